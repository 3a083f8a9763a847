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
  return table.concat(parts, ", ")
end

local late = run "ring-allreduce --gpus 4 --delay 2=400"
say(_"First: one GPU of the ring is slow. It loses the same time before each \z
      step. Watch the blocks: which come at once, which come late?")
late:step(2)

predict {
  _"GPU 3 sent to 0 and 0 to 1 at once; 1 sent to 2, and 2 to 3, late. A send \z
    ends only when the receiver takes it. Which GPU is the slow one?",
  kind = "rank",
  wrong = {
    [1] = _"GPU 1 sends late, to a GPU that is late. What does it receive?",
    [3] = _"GPU 3 receives late, from a GPU that is late. What does it send?",
  },
  hints = { _"The slow GPU receives late, and sends late." },
  answer = function()
    late:step()
    local slowest, times = 0, {}
    for _, t in ipairs(late:transfers(3)) do
      slowest = math.max(slowest, t.us)
    end
    for _, t in ipairs(late:transfers(3)) do
      if t.us > slowest / 2 then
        times[t.src] = (times[t.src] or 0) + 1
        times[t.dst] = (times[t.dst] or 0) + 1
      end
    end
    for rank = 0, late.ranks - 1 do
      if times[rank] == 2 then return rank end
    end
  end,
  why = _"It is at the end of one late transfer and at the start of the other. \z
          Its neighbours take part in one late transfer each.",
}

predict {
  _"One GPU of a ring of 4 loses 400 ms before each step. How much longer do \z
    all six steps take?",
  choices = { _"100 ms: the four share it", _"400 ms: once", _"2400 ms" },
  wrong = {
    [1] = _"The others cannot do the work of the slow one.",
    [2] = _"The delay was there in step 1. Was it gone in step 2?",
  },
  hints = { _"Can step 2 begin before the slow GPU has finished step 1?" },
  answer = function()
    late:finish()
    local ms = late:time() / 1000
    return ms < 300 and 1 or ms < 1500 and 2 or 3
  end,
  why = _"Each step waits for the slowest GPU, and so does every all-reduce of \z
          a training step. One slow GPU of a thousand slows down a thousand.",
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
}

local root = run "binomial-broadcast --gpus 4 --mismatch 2=root:1"
predict {
  _"Third: a broadcast. GPU 2 gives root 1, all others give root 0. \z
    What happens?",
  choices = { _"GPU 2 gets an error", _"GPU 2 gets no data, the others go on",
              _"some GPUs wait forever" },
  wrong = {
    [1] = _"Who would notice? No message says which root its sender was given.",
    [2] = _"GPU 2 has to pass the data on to GPU 3.",
  },
  hints = { _"From whom does GPU 2 expect the data? And does that GPU know?" },
  answer = function() return root:settle().verdict == "hangs" and 3 or 2 end,
  why = _"Nobody compares the roots. GPU 2 waits for GPU 1, which has finished, \z
          and GPU 3 waits for GPU 2.",
}

local lucky = run "binomial-reduce --gpus 4 --mismatch 1=root:2"
predict {
  _"Now a reduce, and GPU 1 gives root 2 instead of root 0. What happens?",
  choices = { _"some GPUs wait forever", _"the sum is wrong",
              _"the sum is right" },
  wrong = {
    [1] = _"A GPU waits only for what nobody sends. Does GPU 1 send less now?",
    [2] = _"What would be missing from it, or be added twice?",
  },
  hints = { _"In a tree to root 0, GPU 1 sends to GPU 0. And in one to root 2?" },
  answer = function()
    local verdict = lucky:settle().verdict
    return verdict == "hangs" and 1 or verdict == "wrong" and 2 or 3
  end,
  why = _"GPU 1 sends to GPU 0 in both trees. A mistake may stay hidden until \z
          the job has another number of GPUs.",
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
}

local long = "ring-allreduce --gpus 3 --count 6 --mismatch 1=count:9"
local outcome = run(long):settle()
assert(outcome.verdict == "hangs" and outcome.said:find("stopped"))
run "ring-allreduce --gpus 3 --count 6"
predict {
  _"Fifth: in a ring of 3 one has another count, and %s. Which GPU has \z
    the wrong count?":format(outcome.said),
  kind = "rank",
  wrong = {
    [2] = _"GPU 2 got a message that is too long. It did not send that message.",
    [0] = _"GPU 0 waits for GPU 2, as it should. What does GPU 2 complain about?",
  },
  hints = { _"Who received the message that is too long? And who sent it?" },
  answer = function() return run(long):settle().guilty[1] end,
  why = _"Whoever reports the error is not the culprit: it received what \z
          another GPU sent.",
}

local other = run "ring-allreduce --gpus 4 --mismatch 1=algorithm:butterfly"
outcome = other:settle()
assert(outcome.verdict == "hangs" and outcome.said:find("cycle"))
say(_"Last: GPU 1 follows another algorithm, a butterfly, because a variable \z
      is set on its host alone. Calls in another order look the same. %s: here \z
      the arrows lead in a circle, a deadlock. Then compare what each rank \z
      has called."
    :format(chain(outcome)))

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
