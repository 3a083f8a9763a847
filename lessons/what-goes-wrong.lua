-- SPDX-License-Identifier: MIT
lesson {
  number = 20,
  day = 7,
  minutes = 6,
  title = _"What goes wrong",
  idea = _"A collective that hangs does not say which rank caused it. The \z
           chain of waiting ranks leads there.",
}

say {
  _"A collective works if all ranks do their part. One may be late, or dead; \z
    it may ask for another root, another count, or another collective.\n\n\z
    What people see is nearly always the same: nothing. The job stands still, \z
    until some time limit no rank reports an error, and every GPU seems to be \z
    busy, because a waiting kernel looks like a working one.\n\n\z
    Here you see runs go wrong, and find out each time who did it.",
  notes = _"Ask who has had a training job that hung, and how they found the \z
            cause. Collect the answers; come back to them at the end.",
}

-- "GPU 0 → GPU 3, GPU 2 → GPU 1": each waits for the one after its arrow.
local function chain(outcome)
  local parts = {}
  for _, w in ipairs(outcome.waits) do
    parts[#parts + 1] = ("GPU %d → GPU %d"):format(w.rank, w.on)
  end
  return table.concat(parts, _", ")
end

local late = run "ring-allreduce --gpus 4 --delay 2=400"
say(_"First: one GPU of the ring is slow. It loses the same time before each \z
      step. Watch the blocks: which come at once, which come late?")
late:step(2)

-- The transfers of step k that came late, and the GPU that has part in two.
local function late_ones(r, k)
  local slowest, list, times = 0, {}, {}
  for _, t in ipairs(r:transfers(k)) do slowest = math.max(slowest, t.us) end
  for _, t in ipairs(r:transfers(k)) do
    if t.us > slowest * 3 / 4 then
      list[#list + 1] = t
      times[t.src] = (times[t.src] or 0) + 1
      times[t.dst] = (times[t.dst] or 0) + 1
    end
  end
  return list, times
end
local function in_both(r, k)
  local list, times = late_ones(r, k)
  for rank = 0, r.ranks - 1 do
    if times[rank] == 2 then return rank, list end
  end
end

local function on_time(rank)
  return _"GPU %d receives at once, and sends at once.":format(rank)
end
predict {
  _"GPU 3 sent to 0 and 0 to 1 at once; 1 sent to 2, and 2 to 3, late. A send \z
    ends only when the receiver takes it. Which GPU is the slow one?",
  kind = "rank",
  wrong = {
    [1] = _"GPU 1 sends late, to a GPU that is late. What does it receive?",
    [3] = _"GPU 3 receives late, from a GPU that is late. What does it send?",
  },
  reason = on_time,
  hints = { _"The slow GPU receives late, and sends late." },
  answer = function() late:step() return (in_both(late, 3)) end,
  why = _"It is at the end of one late transfer and at the start of the other. \z
          Its neighbours take part in one late transfer each.",
  again = function(round)
    local n, slow = ({ 4, 5, 6 })[round], ({ 0, 3, 1 })[round]
    local other = run(("ring-allreduce --gpus %d --delay %d=100"):format(n, slow))
    other:step(2)
    local found, list = in_both(other, 2)
    local a, b = list[1], list[2]
    return {
      _"A ring of %d GPUs. In each step all came at once, but for two that came late: \z
        from GPU %d to %d, and from GPU %d to %d. A send ends only when the \z
        receiver takes it. Which GPU is slow?"
      :format(n, a.src, a.dst, b.src, b.dst),
      kind = "rank",
      hints = { _"The slow GPU receives late, and sends late." },
      wrong = {
        [(found + 1) % n] = _"It receives late, from a GPU that is late. What does \z
                              it send?",
        [(found - 1) % n] = _"It sends late, to a GPU that is late. What does it \z
                              receive?",
      },
      reason = on_time,
      answer = function() other:step() return (in_both(other, 3)) end,
      why = _"It is at the end of one late transfer and at the start of the other.",
    }
  end,
}

-- What the delays cost: whole ones, as the rest of the run is much shorter.
local function milliseconds(r, delay)
  r:finish()
  return math.floor(r:time() / 1000 / delay) * delay
end
predict {
  _"One GPU of a ring of 4 loses 400 ms before each step. How many milliseconds \z
    do these delays cost in all six steps?",
  kind = "number", unit = "ms",
  hints = { _"Can step 2 begin before the slow GPU has finished step 1?" },
  wrong = {
    [100] = _"The others cannot do the work of the slow one.",
    [400] = _"The delay was there in step 1. Was it gone in step 2?",
    [600] = _"The others cannot do the work of the slow one.",
    [1600] = _"It is not one delay for each GPU. How many steps are there?",
    [1200] = _"That is one half of the ring.",
  },
  answer = function() return milliseconds(late, 400) end,
  why = _"Each step waits for the slowest GPU, and so does every all-reduce of \z
          a training step. One slow GPU of a thousand slows down a thousand.",
  again = function(round)
    local n, ms = ({ 3, 5, 2 })[round], ({ 200, 100, 300 })[round]
    local other = run(("ring-allreduce --gpus %d --network nvlink --delay 1=%d")
                      :format(n, ms))
    return {
      _"One GPU of a ring of %d loses %d ms before each step. How many milliseconds \z
        do these delays cost the whole all-reduce?":format(n, ms),
      kind = "number", unit = "ms",
      hints = { _"How many steps are there? Does each of them wait?" },
      wrong = {
        [ms] = _"The delay was there in step 1. Was it gone in step 2?",
        [n ~= 2 and n * ms or 0] = _"It is not one delay for each GPU. How many \z
                                     steps are there?",
        [n ~= 2 and (n - 1) * ms or 100] = _"Count the steps of both halves.",
      },
      answer = function() return milliseconds(other, ms) end,
      why = _"2(N-1) steps, and each waits for the slowest GPU.",
    }
  end,
}

local dead = run "ring-allreduce --gpus 4 --pace free --delay 1=inf"
say(_"Second: one GPU has died. No rank can know that. A rank knows only \z
      whose data it still waits for.")
local waits = dead:settle()
assert(waits.verdict == "hangs" and #waits.guilty == 1)
say(_"Nothing moves any more. An arrow leads to the GPU waited for: %s. Every \z
      chain of arrows ends at GPU %d, and it waits for nobody: it is the dead \z
      one. The clock marks it in the picture.":format(chain(waits), waits.guilty[1]))

local six = run "ring-allreduce --gpus 6 --pace free --delay 4=inf"
local found = six:settle()
predict {
  _"Six GPUs, and one is dead. %s. Which one is it?":format(chain(found)),
  kind = "rank",
  wrong = {
    [5] = _"GPU 5 is itself waiting. For whom?",
    [3] = _"GPU 3 is itself waiting. For whom?",
  },
  hints = { _"Begin at any GPU and follow the arrows." },
  answer = function()
    assert(#found.guilty == 1)
    return found.guilty[1]
  end,
  why = _"On a cluster the arrows come from each process: a stack trace, the \z
          flight recorder of PyTorch, NCCL's RAS.",
  again = function(round)
    local n, gone = ({ 5, 7, 4 })[round], ({ 2, 0, 3 })[round]
    local outcome = run(("ring-allreduce --gpus %d --pace free --delay %d=inf")
                        :format(n, gone)):settle()
    return {
      _"A ring of %d GPUs stands still, and one GPU is dead. Each waits for the one \z
        after its arrow: %s. Which one is it?":format(n, chain(outcome)),
      kind = "rank",
      wrong = {
        [(gone + 1) % n] = _"It is itself waiting. For whom?",
        [(gone - 1) % n] = _"It is itself waiting. For whom?",
      },
      hints = { _"Begin at any GPU and follow the arrows." },
      answer = function() return outcome.guilty[1] end,
      why = _"All arrows lead to it, and it waits for nobody.",
    }
  end,
}

-- How many GPUs wait for ever.
local function hung(r)
  local outcome = r:settle()
  return #outcome.waits, outcome
end
-- The same question for other ranks, about `name` on 8 GPUs.
local function other_root(name, rank, root)
  local other = run(("%s --gpus 8 --mismatch %d=root:%d"):format(name, rank, root))
  return {
    name == "binomial-broadcast" and
    _"A broadcast: GPU 0 sends to 4, 2, 1; GPU 4 to 6 and 5, GPU 2 to 3, GPU 6 to \z
      7. But GPU %d gives root %d, all others root 0. How many GPUs wait for ever?"
    :format(rank, root) or
    _"A reduce: GPU 7 sends to 6, GPU 3 to 2, GPU 5 and 6 to 4, GPU 1, 2, 4 to 0. \z
      But GPU %d gives root %d, all others root 0. How many GPUs wait for ever?"
    :format(rank, root),
    kind = "number",
    hints = { _"From whom does that GPU expect data now? And who expects data from \z
               it?" },
    wrong = { [8] = _"Those who need nothing of that GPU finish.",
              [7] = _"Those who need nothing of that GPU finish." },
    answer = function() return (hung(other)) end,
    why = _"Follow the arrows: each that waits, and all who wait for it.",
  }
end

local root = run "binomial-broadcast --gpus 4 --mismatch 2=root:1"
predict {
  _"Third: a broadcast from GPU 0 over GPU 2 to GPU 3, and from GPU 0 to GPU 1. But \z
    GPU 2 gives root 1, all others give root 0. How many GPUs wait for ever?",
  kind = "number",
  wrong = {
    [0] = _"Who would notice? No message says which root its sender was given.",
    [1] = _"GPU 2 has to pass the data on to GPU 3.",
    [3] = _"GPU 1 gets its data from GPU 0, as it should.",
    [4] = _"GPU 0 sends, and is done.",
  },
  hints = { _"From whom does GPU 2 expect the data? And does that GPU know?" },
  answer = function() return (hung(root)) end,
  why = _"Nobody compares the roots. GPU 2 waits for GPU 1, which has finished, \z
          and GPU 3 waits for GPU 2.",
  again = function(round)
    return other_root("binomial-broadcast", ({ 4, 3, 6 })[round],
                      ({ 1, 1, 1 })[round])
  end,
}

local lucky = run "binomial-reduce --gpus 4 --mismatch 1=root:2"
predict {
  _"Now a reduce: GPU 1 sends to GPU 0, GPU 3 to GPU 2, and then GPU 2 to GPU 0. \z
    But GPU 1 gives root 2 instead of root 0. How many GPUs wait for ever?",
  kind = "number",
  wrong = {
    [1] = _"A GPU waits only for what nobody sends. Does GPU 1 send less now?",
    [2] = _"A GPU waits only for what nobody sends. Does GPU 1 send less now?",
    [4] = _"GPU 3 only sends, and is done.",
  },
  hints = { _"In a tree to root 0, GPU 1 sends to GPU 0. And in one to root 2?" },
  answer = function()
    local n, outcome = hung(lucky)
    assert(outcome.verdict == "correct")
    return n
  end,
  why = _"None, and the sum is right: GPU 1 sends to GPU 0 in both trees. A mistake \z
          may stay hidden until the job has another number of GPUs.",
  again = function(round)
    return other_root("binomial-reduce", ({ 1, 2, 2 })[round],
                      ({ 3, 4, 1 })[round])
  end,
}

local short = run "flat-reduce --gpus 4 --count 8 --mismatch 2=count:4"
predict {
  _"Fourth: a reduce of 8 elements. GPU 2 was given only 4 of them. How many \z
    elements of the sum will be wrong?",
  kind = "number",
  wrong = {
    [0] = _"GPU 2 has sent four elements. What was added to the other four?",
    [8] = _"The four elements that GPU 2 did send are added as they should be.",
  },
  hints = { _"A message may be shorter than its receiver expects." },
  answer = function()
    local o = short:settle()
    assert(o.verdict == "wrong")
    return o.wrong
  end,
  why = _"No error, no hang, only a wrong sum: the worst of all. MPI refuses a \z
          message that is too long, not one that is too short.",
  again = function(round)
    local count, given = ({ 10, 12, 8 })[round], ({ 7, 3, 2 })[round]
    local other = run(("flat-reduce --gpus 4 --count %d --mismatch 1=count:%d")
                      :format(count, given))
    return {
      _"A reduce of %d elements. GPU 1 was given only %d of them. How many elements \z
        of the sum will be wrong?":format(count, given),
      kind = "number",
      wrong = {
        [0] = _"Was something added to all the elements?",
        [count] = _"The elements that GPU 1 did send are added as they should be.",
        [given] = _"These did come. And the others?",
      },
      hints = { _"A message may be shorter than its receiver expects." },
      answer = function() return other:settle().wrong end,
      why = _"Those that GPU 1 did not send.",
    }
  end,
}

-- A ring in which one has a larger count: how it ends, and who complains.
local function too_long(n, rank)
  local r = run(("ring-allreduce --gpus %d --count %d --mismatch %d=count:%d")
                :format(n, 2 * n, rank, 3 * n))
  local outcome = r:settle()
  local who = outcome.said:match "rank (%d+) stopped"
  assert(outcome.verdict == "hangs" and who)
  return outcome, math.tointeger(who)
end
local outcome, who = too_long(3, 1)
run "ring-allreduce --gpus 3 --count 6"
predict {
  _"Fifth: a ring of 3, in which one GPU has another count. GPU %d reports that a \z
    message is too long. Each waits for the one after its arrow: %s. Which GPU has \z
    the wrong count?":format(who, chain(outcome)),
  kind = "rank",
  wrong = {
    [2] = _"GPU 2 got a message that is too long. It did not send that message.",
    [0] = _"GPU 0 waits for GPU 2, as it should. What does GPU 2 complain about?",
  },
  hints = { _"Who received the message that is too long? And who sent it?" },
  answer = function() return too_long(3, 1).guilty[1] end,
  why = _"Whoever reports the error is not the culprit: it received what \z
          another GPU sent.",
  again = function(round)
    local n, rank = ({ 4, 3, 4 })[round], ({ 2, 0, 3 })[round]
    local outcome, who = too_long(n, rank)
    run(("ring-allreduce --gpus %d"):format(n))
    return {
      _"A ring of %d GPUs: each sends to the next one. GPU %d reports that a message \z
        is too long, and all wait. Which GPU has the wrong count?":format(n, who),
      kind = "rank",
      wrong = {
        [who] = _"It got a message that is too long. It did not send that message.",
        [(who + 1) % n] = _"It waits for the one that complains, as it should.",
      },
      hints = { _"Who received the message that is too long? And who sent it?" },
      answer = function() return outcome.guilty[1] end,
      why = _"The one that sent it: the rank before the one that reports it.",
    }
  end,
}

-- A ring by NCCL's rules, in which one gives more elements.
local function unseen(n, rank, more)
  return run(("ring-allreduce --gpus %d --count %d --mismatch %d=count:%d --rules nccl")
             :format(n, 2 * n, rank, 2 * n + more))
end
local longer = unseen(3, 1, 3)
predict {
  _"Sixth: so much for MPI. NCCL compares no counts. In this ring all have 6 elements, \z
    but GPU 1 has 9, and by NCCL's rules the run ends. How many elements will be \z
    wrong, on all GPUs together?",
  kind = "number",
  wrong = {
    [0] = _"GPU 1 expects 9 sums. Did all GPUs send it something for each of them?",
    [9] = _"The first six elements of GPU 1 meet those of the others.",
  },
  hints = { _"Which sums does nobody send to GPU 1?" },
  answer = function()
    local o = longer:settle()
    assert(o.verdict == "wrong")
    return o.wrong
  end,
  why = _"The last three of GPU 1. It took what its buffers held from before, and \z
          reports nothing. Only where the two sides count other chunks of 2 MiB, \z
          NCCL hangs.",
  again = function(round)
    local n, more = ({ 4, 5, 4 })[round], ({ 5, 2, 7 })[round]
    local other = unseen(n, 2, more)
    return {
      _"A ring of %d GPUs. All have %d elements, but GPU 2 has %d. By NCCL's rules the \z
        run ends. How many elements will be wrong, on all GPUs together?"
        :format(n, 2 * n, 2 * n + more),
      kind = "number",
      wrong = {
        [0] = _"Who sent GPU 2 something for each of its elements?",
        [2 * n] = _"These elements meet those of the others.",
        [2 * n + more] = _"The first elements of GPU 2 meet those of the others.",
      },
      hints = { _"Which sums does nobody send to GPU 2?" },
      answer = function() return other:settle().wrong end,
      why = _"Those that only GPU 2 has.",
    }
  end,
}

local mixed = run "ring-allreduce --gpus 4 --mismatch 1=algorithm:butterfly"
outcome = mixed:settle()
assert(outcome.verdict == "hangs" and outcome.said:find("cycle"))
say(_"Last: GPU 1 follows another algorithm, a butterfly, because a variable \z
      is set on its host alone. Calls in another order look the same. %s: here \z
      the arrows lead in a circle, a deadlock. Then compare what each rank \z
      has called."
    :format(chain(outcome)))

-- What each GPU has recorded of a broadcast in which one gives another root.
local function recorded(n, rank, wrong_root)
  local broken = run(("binomial-broadcast --gpus %d --mismatch %d=root:%d")
                     :format(n, rank, wrong_root))
  local rows, waits, outcome = {}, {}, broken:settle()
  for _, w in ipairs(outcome.waits) do waits[w.rank] = w.on end
  for r = 0, n - 1 do
    local root = r == rank and wrong_root or 0
    rows[r + 1] = waits[r] and
      _"GPU %d  broadcast(count=%d, root=%d)  waits for GPU %d"
        :format(r, broken.count, root, waits[r]) or
      _"GPU %d  broadcast(count=%d, root=%d)  done"
        :format(r, broken.count, root)
  end
  lines(rows)
  return {
    _"A job hangs. These are the last records of its %d GPUs. Which line proves what \z
      went wrong?":format(n),
    kind = "line",
    hints = { _"To wait is no mistake. Which GPU has called something else?" },
    answer = function() return outcome.guilty[1] + 1 end,
    reason = function(line)
      return waits[line - 1] and
        _"GPU %d only waits, and has called the same as the others."
          :format(line - 1) or
        _"GPU %d has done what it should.":format(line - 1)
    end,
    why = _"It gives another root than all the others. Every GPU that waits, waits \z
            for it in the end.",
  }
end
local proof = recorded(6, 4, 3)
function proof.again(round)
  return recorded(({ 8, 5, 8 })[round], ({ 4, 2, 6 })[round], ({ 1, 1, 5 })[round])
end
predict(proof)

run "binomial-broadcast --gpus 4"
play(_"Break this run with a: --delay 2=inf, or --mismatch 1=root:2, or --fault \z
       drop:1:0. Run it with p, and follow the arrows. --delay 2=0 takes a \z
       delay away.")

remember {
  _"A late rank delays all, in every step; a dead one stops all, unannounced.",
  _"Ask every rank whom it waits for, and follow the chain to its end.",
  _"Root, count, order: nobody compares them. It hangs, it is wrong, or lucky.",
}
used {
  nccl = "ncclCommGetAsyncError, NCCL_DEBUG=INFO, ncclras",
  pytorch = "TORCH_DISTRIBUTED_DEBUG=DETAIL, TORCH_NCCL_TRACE_BUFFER_SIZE",
  mpi = "MPI_ERR_TRUNCATE",
  text = _"With DETAIL, PyTorch compares every call of all ranks before it runs.",
}
