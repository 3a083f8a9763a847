-- SPDX-License-Identifier: MIT
lesson {
  skill = "diagnose",
  title = _"Diagnose",
  idea = _"A run went wrong. Find the GPU, and what happened to it, in its records.",
}

local ARROWS = 12 -- rounds in which the records say which GPU waits for which

local choices = { _"a GPU is late", _"a GPU is dead", _"a GPU gives another root",
                  _"a GPU gives another count", _"a GPU takes another algorithm",
                  _"a GPU calls in another order" }

local function pick(...)
  local list = { ... }
  return list[math.random(#list)]
end

-- What each GPU has received of what it should, in all and from each other GPU,
-- and the GPUs that it waits for.
local function records(t)
  t.waits, t.got, t.due, t.from = {}, {}, {}, {}
  for _, w in ipairs(t.outcome.waits) do t.waits[w.rank] = w.on end
  for rank = 0, t.run.ranks - 1 do
    t.got[rank], t.due[rank], t.from[rank] = 0, 0, {}
  end
  for step = 1, t.run.steps do
    for _, m in ipairs(t.run:transfers(step)) do
      if m.src ~= m.dst then
        local list, done = t.from[m.dst], m.done and 1 or 0
        local peer = list[m.src] or { rank = m.src, got = 0, due = 0 }
        if not list[m.src] then
          list[m.src] = peer
          list.order = list.order or {}
          table.insert(list.order, peer)
        end
        peer.got, peer.due = peer.got + done, peer.due + 1
        t.got[m.dst], t.due[m.dst] = t.got[m.dst] + done, t.due[m.dst] + 1
      end
    end
  end
end

-- How much of how much, as a bar of `cells`; what has not come is its trough.
local function bar(got, due, cells)
  local full = got > 0 and math.max(1, got * cells // due) or 0
  return ("█"):rep(full) .. ("░"):rep(cells - full)
end

-- What each GPU has received of what it should, as bars of the same length.
local function bars_of(t)
  local bars, most = {}, 0
  for rank = 0, t.run.ranks - 1 do most = math.max(most, t.due[rank]) end
  local scale = math.max(1, most / 6)
  for rank = 0, t.run.ranks - 1 do
    local cells = math.ceil(t.due[rank] / scale)
    bars[rank] = (cells > 0 and bar(t.got[rank], t.due[rank], cells) or "-") ..
                 (" "):rep(math.ceil(most / scale) - math.max(cells, 1) + 1)
  end
  return bars
end

-- A line for each GPU: what it has received of what it expects, and from whom;
-- `more` has what only some have recorded.  At first an arrow leads to the GPU
-- that it waits for.
local function recorder(t, more)
  t.rows = {}
  local bars = bars_of(t)
  for rank = 0, t.run.ranks - 1 do
    local parts, on = {}, t.waits[rank]
    for i, peer in ipairs(t.from[rank].order or {}) do
      parts[i] = _"%d/%d from %d":format(peer.got, peer.due, peer.rank)
    end
    local row = _"GPU %d  %s"
      :format(rank, bars[rank] .. (more[rank] or table.concat(parts, ", ")))
    t.rows[rank + 1] = t.arrows and on and _"%s -> waits for GPU %d":format(row, on)
                       or row
  end
end

-- A leaf of a tree is late: its only transfer takes long, and comes last.
local function late(t)
  local n = math.random(6, 8)
  t.guilty = 2 * math.random(0, n // 2 - 1) + 1
  t.run = run(("%s --gpus %d --network ethernet --delay %d=%d"):format(
    pick("binomial-broadcast", "binomial-scatter"), n, t.guilty, math.random(2, 9)))
  t.run:go(t.run.steps)
  t.outcome, t.rows, t.us = t.run:settle(), {}, {}
  for step = 1, t.run.steps do
    for i, m in ipairs(t.run:transfers(step)) do
      t.us[#t.us + 1] = m.us
      t.rows[#t.rows + 1] = _"step %d  GPU %d -> GPU %d  %.0f us"
        :format(step, m.src, m.dst, m.us)
      if not t.line or m.us > t.us[t.line] then t.line = #t.us end
    end
  end
  for i, us in ipairs(t.us) do -- and how long beside the others
    t.rows[i] = ("%s %s"):format(t.rows[i], ("█"):rep(math.ceil(us * 24 / t.us[t.line])))
  end
  for line, us in ipairs(t.us) do assert(line == t.line or 2 * us < t.us[t.line]) end
end

local function dead(t)
  local n = math.random(4, 6)
  t.guilty = math.random(0, n - 1)
  t.run = run(("%s --gpus %d --pace free --delay %d=inf"):format(
    pick("ring-allreduce", "ring-allgather"), n, t.guilty))
  t.outcome = t.run:settle()
  t.call = _"A collective in a ring."
  t.line = t.guilty + 1
  records(t)
  recorder(t, {})
end

-- From whom a GPU receives.
local function peers(t, rank)
  local list = {}
  for i, peer in ipairs(t.from[rank].order or {}) do list[i] = peer.rank end
  return table.concat(list, " ")
end

-- Mismatches are tried until one shows: in the end, and where `usual` has what
-- peers() says of each GPU without it, there.
local function mismatched(t, command, name, values, usual)
  local n = tonumber(command:match("%-%-gpus (%d+)"))
  local first = math.random(0, 999)
  for i = 0, 60 do
    local rank = (first + i) % n
    local value = values(rank, first + i)
    if value then
      t.run = run(("%s --mismatch %d=%s:%s"):format(command, rank, name, value))
      t.outcome = t.run:settle()
      t.guilty, t.line = rank, rank + 1
      records(t)
      if t.outcome.verdict == "hangs" and
         not (usual and usual[rank] == peers(t, rank)) then return end
    end
  end
  error(command .. ": no mismatch shows")
end

local function root(t)
  local call, n, usual = pick("broadcast", "reduce"), math.random(5, 8), {}
  local command = ("binomial-%s --gpus %d"):format(call, n)
  t.run = run(command)
  t.run:go(t.run.steps)
  t.outcome = t.run:settle()
  records(t)
  for rank = 0, n - 1 do usual[rank] = peers(t, rank) end
  mismatched(t, command, "root", function(rank, i)
    local value = (rank + 1 + i // n % (n - 1)) % n
    return value ~= 0 and value
  end, usual)
  t.call = call == "broadcast" and _"A broadcast from GPU 0 in a binomial tree."
           or _"A reduce to GPU 0 in a binomial tree."
  recorder(t, {})
end

-- The message that is too long stops the GPU that receives it, the next one.  How
-- many elements each should give is said: else the next one might have given less.
local function count(t)
  local n, times = math.random(3, 5), math.random(2, 4)
  mismatched(t, ("ring-allreduce --gpus %d --count %d"):format(n, n * times), "count",
             function() return n * (times + 1) end)
  t.call = _"An all-reduce of %d elements in a ring.":format(n * times)
  t.stopped = (t.guilty + 1) % n
  t.line = t.stopped + 1
  assert(t.outcome.said:find(("stopped at a message of %d elements from rank %d \z
    where it expects %d"):format(times + 1, t.guilty, times), 1, true) or
    t.outcome.said:find("and so on", 1, true))
  recorder(t, { [t.stopped] = _"stopped: %d elements from %d, room for %d"
    :format(times + 1, t.guilty, times) })
end

local function algorithm(t)
  mismatched(t, ("ring-allreduce --gpus %d"):format(pick(4, 8)), "algorithm",
             function() return pick("butterfly", "halving-doubling") end)
  t.call = _"An all-reduce in a ring."
  recorder(t, {})
end

-- Two GPUs exchange data, and one of them does second what it was to do first:
-- both send, or both receive.
local function order(t)
  t.run = run { pick("pairwise-alltoall --gpus 4", "pairwise-alltoall --gpus 6",
                     "recursive-doubling-allgather --gpus 8"),
                broken = { kind = "deadlock", seed = math.random(1, 9999) } }
  t.outcome = t.run:settle()
  t.guilty = t.run:broken().rank
  t.line = t.guilty + 1
  records(t)
  local other = t.waits[t.guilty]
  assert(t.waits[other] == t.guilty)
  local does = t.guilty > other and
    _"%d of %d received; it sends to GPU %d" or
    _"%d of %d received; it receives from GPU %d"
  local more = {}
  for rank = 0, t.run.ranks - 1 do
    more[rank] = _"%d of %d received":format(t.got[rank], t.due[rank])
  end
  for rank, on in pairs { [t.guilty] = other, [other] = t.guilty } do
    more[rank] = does:format(t.got[rank], t.due[rank], on)
  end
  t.call = _"A send ends when it is received; of two GPUs that swap, the one with the \z
             lower number sends first."
  recorder(t, more)
end

local cases = { late, root, count, algorithm, order, root, count, dead }
local answers = { [late] = 1, [dead] = 2, [root] = 3, [count] = 4,
                  [algorithm] = 5, [order] = 6 }

local function instance(round)
  local t = { arrows = round <= ARROWS }
  local make = cases[round % #cases + 1]
  math.randomseed(round)
  make(t)
  t.what = answers[make]
  lines(t.rows)
  t.end_text = t.outcome.verdict == "correct" and _"The run was too slow."
               or _"It hangs. Each line says what has come to a GPU, and from which \z
                    other."
  t.all = t.call and _"%s %s":format(t.call, t.end_text) or t.end_text
  return t
end

-- Why a GPU is not the one.
local function innocent(t, rank)
  if t.us then
    return _"GPU %d has taken part in a transfer that was not late."
      :format(rank)
  elseif rank == t.stopped then
    return _"GPU %d was sent too much. By whom?":format(rank)
  elseif t.waits[rank] then
    return _"GPU %d has received %d of %d messages: it waits for another GPU."
      :format(rank, t.got[rank], t.due[rank])
  end
  return _"GPU %d has done what the others do: %d of %d messages received."
    :format(rank, t.got[rank], t.due[rank])
end

-- What the proof is: by the number of what happened.
local proofs = {
  _"No other transfer is as slow.",
  _"The GPU before it has received data, so it has sent some: this one took none.",
  _"In the tree it would receive from other GPUs.",
  _"It stopped at a message that does not fit: somebody sent it.",
  _"In the ring each receives from the one before it, and from no other.",
  _"It does first what it should do second; the other GPU keeps to the rule.",
}

local function which_line(round)
  local t = instance(round)
  return {
    _"%s Which line proves what went wrong?":format(t.all),
    kind = "line",
    hints = { t.us and _"Compare the times." or
              _"Which GPU does not do what its place in the ring, the tree or the \z
                pair asks for?" },
    answer = function() return t.line end,
    reason = function(line)
      if t.us then
        return _"That transfer took %.0f us, and so do others.":format(t.us[line])
      end
      return innocent(t, line - 1)
    end,
    why = proofs[t.what],
  }
end

local function which_gpu(round)
  local t = instance(round)
  return {
    _"%s One GPU is to blame. Which?":format(t.all),
    kind = "rank",
    hints = { t.us and _"Of the two GPUs of the late transfer, one has other \z
                         transfers, which were on time." or
              t.stopped and _"Each GPU cuts its elements into as many messages as there \z
                               are GPUs. How long should one be?" or
              _"A GPU that waits is held up by another." },
    answer = function() return t.guilty end,
    reason = function(rank) return innocent(t, rank) end,
    why = t.us and _"The other end of its transfer was on time elsewhere." or
          t.stopped and _"It sent more than the others expect." or proofs[t.what],
  }
end

local function what(round)
  local t = instance(round)
  local text = t.what == answers[order] and t.end_text or t.all
  local out, kinds, list = math.random(#choices - 1), {}, {}
  for kind, name in ipairs(choices) do -- one that is wrong is left out
    if kind ~= (t.what + out - 1) % #choices + 1 then
      kinds[#kinds + 1], list[#list + 1] = kind, name
    end
  end
  return {
    _"%s What happened to GPU %d?":format(text, t.guilty),
    choices = list,
    answer = function() return choices[t.what] end,
    reason = function(given)
      if kinds[given] == answers[late] then
        return _"A late GPU comes to its end, and so do the others: this run hangs."
      elseif t.us then
        return _"Then some transfers would never have come to their end."
      elseif kinds[given] == answers[dead] then
        return _"A dead GPU does nothing wrong. Look at what this one does."
      elseif t.what == answers[dead] then
        return _"GPU %d expects what it should, from whom it should."
          :format(t.guilty)
      end
      return _"Its line says nothing of that."
    end,
    why = proofs[t.what],
  }
end

for _, ask in ipairs { which_line, which_gpu, what } do
  local question = ask(1)
  question.again = ask
  predict(question)
end
