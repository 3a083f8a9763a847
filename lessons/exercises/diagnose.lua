-- SPDX-License-Identifier: MIT
lesson {
  skill = "diagnose",
  title = _"Diagnose",
  idea = _"A run went wrong. Find the GPU, and what happened to it, in its records.",
}

local ARROWS = 12 -- rounds in which the records say which GPU waits for which

local choices = { _"a GPU is late", _"a GPU is dead", _"a GPU gives another root",
                  _"a GPU gives another count", _"a GPU takes another algorithm" }

local function pick(...)
  local list = { ... }
  return list[math.random(#list)]
end

-- What each GPU has received of what it should, and the GPUs that it waits for.
local function records(t)
  t.waits, t.got, t.due = {}, {}, {}
  for _, w in ipairs(t.outcome.waits) do t.waits[w.rank] = w.on end
  for rank = 0, t.run.ranks - 1 do t.got[rank], t.due[rank] = 0, 0 end
  for step = 1, t.run.steps do
    for _, m in ipairs(t.run:transfers(step)) do
      t.due[m.dst] = t.due[m.dst] + 1
      t.got[m.dst] = t.got[m.dst] + (m.done and 1 or 0)
    end
  end
end

-- A line for each GPU, as a flight recorder has it: its call, how far it has
-- come, and an arrow to the GPU that it waits for.
local function recorder(t, call)
  local rows = {}
  records(t)
  for rank = 0, t.run.ranks - 1 do
    local on = t.waits[rank]
    local row = _"GPU %d  %s  %d of %d received"
      :format(rank, call(rank), t.got[rank], t.due[rank])
    rows[rank + 1] = t.arrows and on and ("%s  → GPU %d"):format(row, on) or row
  end
  return rows
end

-- A leaf of a tree is late: its only transfer takes long.
local function late(t)
  local n = math.random(6, 8)
  t.guilty = 2 * math.random(0, n // 2 - 1) + 1
  t.run = run(("%s --gpus %d --network ethernet --delay %d=%d"):format(
    pick("binomial-broadcast", "binomial-reduce"), n, t.guilty, math.random(2, 9)))
  t.run:go(t.run.steps)
  t.outcome, t.rows, t.us = t.run:settle(), {}, {}
  for step = 1, t.run.steps do
    for i, m in ipairs(t.run:transfers(step)) do
      t.us[#t.us + 1] = m.us
      t.rows[#t.rows + 1] = _"step %d  GPU %d → GPU %d  %.0f us"
        :format(step, m.src, m.dst, m.us)
      if not t.line or m.us > t.us[t.line] then t.line = #t.us end
    end
  end
end

local function dead(t)
  local n = math.random(4, 6)
  t.guilty = math.random(0, n - 1)
  t.run = run(("%s --gpus %d --pace free --delay %d=inf"):format(
    pick("ring-allreduce", "ring-allgather"), n, t.guilty))
  t.outcome = t.run:settle()
  t.rows = recorder(t, function()
    return ("%s(count=%d)"):format("all_reduce", t.run.count)
  end)
  t.line = t.guilty + 1
end

-- Mismatches are tried until one shows.
local function mismatched(t, command, name, values)
  local n = tonumber(command:match("%-%-gpus (%d+)"))
  local first = math.random(0, 999)
  for i = 0, 60 do
    local rank = (first + i) % n
    local value = values(rank, first + i)
    if value then
      t.run = run(("%s --mismatch %d=%s:%s"):format(command, rank, name, value))
      t.outcome = t.run:settle()
      t.guilty, t.value, t.line = rank, value, rank + 1
      if t.outcome.verdict == "hangs" then return end
    end
  end
  error(command .. ": no mismatch shows")
end

local function root(t)
  local n = math.random(5, 8)
  local call = pick("broadcast", "reduce")
  mismatched(t, ("binomial-%s --gpus %d"):format(call, n), "root", function(rank, i)
    local value = (rank + 1 + i // n % (n - 1)) % n
    return value ~= 0 and value
  end)
  t.rows = recorder(t, function(rank)
    return ("%s(count=%d, root=%s)"):format(call, t.run.count,
                                             rank == t.guilty and t.value or 0)
  end)
end

-- The message that is too long stops the GPU that receives it.
local function count(t)
  local n = math.random(3, 5)
  local times = math.random(2, 4)
  mismatched(t, ("ring-allreduce --gpus %d --count %d"):format(n, n * times), "count",
             function() return n * (times + 1) end)
  local stopped, elements, from, room = t.outcome.said:match(
    "rank (%d+) stopped at a message of (%d+) elements? from rank (%d+) where it expects (%d+)")
  records(t)
  t.stopped, t.line, t.rows = tonumber(stopped), stopped + 1, {}
  for rank = 0, n - 1 do
    local on = t.waits[rank]
    local row = _"GPU %d  %s  %d of %d received"
      :format(rank, "all_reduce", t.got[rank], t.due[rank])
    if rank == t.stopped then
      row = _"GPU %d  %s  stopped: %d elements from GPU %d, room for %d"
        :format(rank, "all_reduce", elements, from, room)
    elseif on and t.arrows then
      row = ("%s  → GPU %d"):format(row, on)
    end
    t.rows[rank + 1] = row
  end
  assert(tonumber(from) == t.guilty)
end

local function algorithm(t)
  local n = pick(4, 8)
  mismatched(t, ("ring-allreduce --gpus %d"):format(n), "algorithm",
             function() return pick("butterfly", "halving-doubling") end)
  t.rows = recorder(t, function(rank)
    return ("all_reduce(count=%d) %s"):format(
      t.run.count, rank == t.guilty and t.value or "ring")
  end)
end

local cases = { late, root, count, algorithm, late, root, count, dead }
local answers = { [late] = 1, [dead] = 2, [root] = 3, [count] = 4, [algorithm] = 5 }

local function instance(round)
  local t = { arrows = round <= ARROWS }
  local make = cases[round % #cases + 1]
  math.randomseed(round)
  make(t)
  t.what = answers[make]
  lines(t.rows)
  t.end_text = t.outcome.verdict == "correct" and _"The run was too slow."
               or _"The run hangs."
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

local function which_line(round)
  local t = instance(round)
  return {
    _"%s Which line proves what went wrong?":format(t.end_text),
    kind = "line",
    hints = { t.us and _"Compare the times." or
              _"Which line says something that the others do not?" },
    answer = function() return t.line end,
    reason = function(line)
      if t.us then
        return _"That transfer took %.0f us, and so do others.":format(t.us[line])
      end
      return innocent(t, line - 1)
    end,
    why = t.us and _"No other transfer is as slow." or
          t.stopped and _"It stopped at a message that does not fit: somebody sent it." or
          _"No other GPU has such a line.",
  }
end

local function which_gpu(round)
  local t = instance(round)
  return {
    _"%s One GPU is to blame. Which?":format(t.end_text),
    kind = "rank",
    hints = { t.us and _"One of the two has other transfers, which were not late." or
              _"A GPU that waits is held up by another." },
    answer = function() return t.guilty end,
    reason = function(rank) return innocent(t, rank) end,
    why = t.us and _"The other end of its transfer was on time elsewhere." or
          t.stopped and _"It sent more than the others expect." or
          _"All others wait for it, or for one that does.",
  }
end

local function what(round)
  local t = instance(round)
  return {
    _"%s What happened to GPU %d?":format(t.end_text, t.guilty),
    choices = choices,
    answer = function() return t.what end,
    reason = function(given)
      if given == 1 then
        return _"A late GPU comes to its end, and so do the others: this run hangs."
      elseif t.us then
        return _"Then not all transfers would have come through."
      elseif given == 2 then
        return _"GPU %d has received %d of %d messages and has reported its call."
          :format(t.guilty, t.got[t.guilty], t.due[t.guilty])
      end
      return _"Its line says nothing of that."
    end,
  }
end

for _, ask in ipairs { which_line, which_gpu, what } do
  local question = ask(1)
  question.again = ask
  predict(question)
end
