-- SPDX-License-Identifier: MIT
lesson {
  skill = "repair",
  title = _"Repair",
  idea = _"A schedule that was right was changed in one place. Find it, and mend it.",
}

-- What can be broken in each way, so that it shows (collviz --broken).
local all = {
  "ring-allreduce --gpus 3", "ring-allreduce --gpus 4",
  "halving-doubling-allreduce --gpus 4", "ring-reduce-scatter --gpus 4",
}
local copies = { "ring-allgather --gpus 4", "recursive-doubling-allgather --gpus 4" }
local trees = { "binomial-broadcast --gpus 6", "binomial-broadcast --gpus 8" }
local sums = { "binomial-reduce --gpus 6", "reduce-broadcast-allreduce --gpus 4" }
local rooted = { "chain-broadcast --gpus 4", "binomial-gather --gpus 4",
                 "binomial-scatter --gpus 4" }
local kinds = {
  { "lost", all, copies, trees, sums }, { "slot", all, copies },
  { "peer", all, copies, sums }, { "op", all, sums },
  { "order", all, copies, sums }, { "root", trees, rooted },
  { "race", all, copies, sums },
  { "deadlock", { "halving-doubling-allreduce --gpus 4",
                  "recursive-doubling-allgather --gpus 4",
                  "recursive-halving-reduce-scatter --gpus 4" } },
}

-- The instance of a round: a broken run, and the same run as it was proved.
local function instance(round)
  math.randomseed(round)
  local kind = kinds[round % #kinds + 1]
  local group = kind[math.random(2, #kind)]
  local command = group[math.random(#group)]
  local t = { kind = kind[1], command = command, n = command:match("%d+$") }
  t.name = command:match("^%S+")
  t.run = run { command, broken = { kind = kind[1], seed = round } }
  return t
end

-- Shows which GPUs wait in a run that hangs.
local function hang(t)
  local outcome = t.run:settle()
  local waits = {}
  assert(outcome.verdict == "hangs")
  for rank, on, step in outcome.said:gmatch(
    "rank (%d+) waits until rank (%d+) receives %(step (%d+)%)") do
    t.sends = true
    waits[#waits + 1] =
      _"GPU %d, step %d: it sends to GPU %d, which has not received that"
        :format(rank, step, on)
  end
  for rank, on, step in outcome.said:gmatch(
    "rank (%d+) waits for rank (%d+) %(step (%d+)%)") do
    waits[#waits + 1] =
      _"GPU %d, step %d: it receives from GPU %d, which has not sent that"
        :format(rank, step, on)
  end
  assert(#waits > 0)
  lines(waits)
  return _"A send waits until it is received. So of two GPUs the lower number sends first. \z
           One GPU does not, and the run hangs."
end

local function slots(r)
  local n = 0
  while pcall(r.holds, r, 0, n) do n = n + 1 end
  return n
end

-- What a slot holds, and what it should hold; nil if that is the same.  A sum that
-- only one of the runs calls S0 is complete in both.
local function difference(t, rank, slot)
  local is, should = t.run:holds(rank, slot), t.whole:holds(rank, slot)
  local function terms(text)
    return (text:gsub("^S(%d+)$", function(chunk)
      local all = {}
      for r = 1, t.run.ranks do all[r] = string.char(64 + r) .. chunk end
      return table.concat(all, "+")
    end))
  end
  if terms(is) ~= terms(should) then return is ~= "" and is or _"nothing", should end
end

-- What is wrong in the end: the first slot of the GPU that has a wrong result.
local function symptom(t)
  if t.kind == "deadlock" then return hang(t) end
  t.whole = run(t.command)
  t.whole:go(t.whole.steps)
  t.run:go(t.run.steps)
  local outcome = t.run:settle()
  assert(outcome.verdict == "wrong", t.command .. " is not wrong")
  local rank = tonumber(outcome.said:match("rank (%d+)"))
  t.slots = slots(t.run)
  t.run:show()
  for slot = 0, t.slots - 1 do
    local is, should = difference(t, rank, slot)
    if is then
      return _"One change broke it: GPU %d slot %d ends with %s instead of %s."
        :format(rank, slot, is, should)
    end
  end
end

-- The first step after which a slot is not what it is in the proved run.
local function first_difference(t)
  for step = 1, t.run.steps do
    t.run:go(step)
    t.whole:go(step)
    for rank = 0, t.run.ranks - 1 do
      for slot = 0, t.slots - 1 do
        local is = difference(t, rank, slot)
        if is then return step, rank, slot, is end
      end
    end
  end
end

local function place_of(text)
  return text:match("step (%d+), (%d+)>(%d+)")
end

-- What helps: first how to look, then when it went wrong, then what the prover
-- says.
local function hints(t, how)
  if t.kind == "deadlock" then
    return { _"Which of the two has the lower number? What does it do first?" }
  end
  local step, rank, slot, is = first_difference(t)
  t.run:go(t.run.steps)
  t.run:show()
  return {
    how,
    _"Up to step %d every slot is as it should be; after step %d GPU %d slot %d \z
      holds %s.":format(step - 1, step, rank, slot, is),
    t.run:proof(),
  }
end

-- What was changed, and so what takes it back.
local function change(kind, broken)
  local step, src, dst = place_of(broken.place)
  local other = broken.mend:match("^step (%d+)$")
  if kind == "lost" then
    return _"What was changed: %s of step %s was taken away.":format(broken.mend, step)
  elseif kind == "deadlock" then
    return (broken.rank == math.max(tonumber(src), tonumber(dst)) and
      _"What was changed: GPU %d takes steps %s and %s in the wrong order. Both GPUs send, \z
        and neither receives until its own message has been taken." or
      _"What was changed: GPU %d takes steps %s and %s in the wrong order. Both GPUs \z
        receive, and neither sends until a message has come.")
      :format(broken.rank, step, other)
  elseif kind == "order" then
    return _"What was changed: steps %s and %s have changed places."
      :format(step, other)
  elseif other then
    return _"What was changed: %s of step %s belongs in step %s."
      :format(broken.is, step, other)
  end
  return _"What was changed: step %s has %s instead of %s."
    :format(step, broken.is, broken.mend)
end

local function where(round)
  local t = instance(round)
  local wrong = symptom(t)
  return {
    _"%s on %d GPUs. %s Where is the fault? Type the step and the transfer, as \z
      in step 3, 2>0. Up and Down go through all there are; type one that is missing."
      :format(t.name, t.n, wrong),
    kind = "transfer",
    hints = hints(t, _"Go through the places with Up and Down, and watch: after \z
                       which step does a slot first hold what it should not?"),
    answer = function(given)
      local place = t.run:broken().place
      if t.kind ~= "deadlock" then t.run:go(tonumber((place_of(place)))) end
      return given and t.run:mends(given).right and given or place
    end,
    reason = function(given)
      local step, src, dst = place_of(given)
      if t.sends and src < dst then
        return _"GPU %d has the lower number of the two: it has to send first."
          :format(src)
      end
      return _"The prover has tried every change of what GPU %d sends to GPU %d \z
               in step %d: none makes it right.":format(src, dst, step)
    end,
    why = change(t.kind, t.run:broken()),
  }
end

local function what(round)
  local t = instance(round)
  local wrong = symptom(t)
  local broken = t.run:broken()
  local step = place_of(broken.place)
  local is = t.kind == "lost" and _"nothing is sent there now"
             or _"it is %s now":format(broken.is)
  if t.kind == "deadlock" then
    wrong = _"It hangs: of two GPUs the lower number must send first."
  end
  local help = hints(t, _"What do the other GPUs send in that step, and in the one \z
                          before?")
  if t.kind ~= "deadlock" then t.run:go(tonumber(step)) end
  return {
    _"%s on %d GPUs. %s The fault is at %s: %s. What belongs there? A transfer \z
      (2>0 +1 adds, 2>0 =1 copies), another step (step 2), or - for nothing."
      :format(t.name, t.n, wrong, broken.place, is),
    kind = "mend",
    hints = help,
    answer = function(given)
      return given and t.run:mends(broken.place, given).right and given
             or broken.mend
    end,
    reason = function(given)
      if t.kind == "deadlock" then return _"With that it still hangs." end
      return _"The prover says of that: %s."
        :format(t.run:mends(broken.place, given).said)
    end,
    why = change(t.kind, broken),
  }
end

for _, ask in ipairs { where, what } do
  local question = ask(1)
  question.again = ask
  predict(question)
end
