-- SPDX-License-Identifier: MIT
lesson {
  number = 1,
  day = 1,
  minutes = 3,
  lecture = true,
  title = _"What is a collective?",
  idea = _"All ranks of a group make one call, and the group is promised a \z
           result.",
}

say {
  _"A model is trained on several GPUs. As a rule each of them has a process \z
    of its own, with memory of its own and a number, from 0 on: its rank. \z
    What a rank does not have, another has to send to it.\n\n\z
    There are two ways to do so. Point-to-point: one rank sends, another \z
    receives, and each names the other. Collective: all ranks of a group \z
    make the same call, and the group is promised a result.\n\n\z
    You will see both. The ranks here are real: they run, send and receive.",
  notes = _"Rank and GPU are used as one word in these lessons: one rank on \z
            each GPU. A machine with fewer GPUs, or none, runs the same ranks.",
}

local shift = run "shift-sendrecv --gpus 4"
say(_"A box is a GPU, and \"›\" marks what it sends next. A0 is the data of \z
      GPU 0, B0 that of GPU 1, and so on. \z
      Now every GPU makes two calls: a send to the next GPU and a receive \z
      from the one before. The next of GPU 3 is GPU 0.")

predict {
  _"What will GPU 0 hold when all have sent and received?",
  choices = { "A0", "B0", "D0" },
  at = { 0, 0 },
  hints = { _"GPU 0 sends to GPU 1. But who sends to GPU 0?" },
  wrong = {
    A0 = _"A0 goes out, and something else comes in and is written over it.",
    B0 = _"B0 goes from GPU 1 to its next. Is that GPU 0?",
  },
  notes = _"Let all answer at once, then ask one who said A0 and one who said \z
            B0 why.",
  answer = function() shift:finish() return shift:holds(0, 0) end,
  why = _"It sends to the one side and receives from the other. What came in \z
          was written over A0.",
  again = function(round)
    local n = ({ 5, 3, 6 })[round]
    local other = run("shift-sendrecv --gpus " .. n)
    return {
      _"%d GPUs, and each sends to the next. What will GPU 0 hold when all have \z
        sent and received?":format(n),
      kind = "label",
      at = { 0, 0 },
      wrong = {
        A0 = _"A0 goes out, and something else comes in and is written over it.",
        B0 = _"B0 goes from GPU 1 to its next. Is that GPU 0?",
      },
      answer = function() other:finish() return other:holds(0, 0) end,
      why = _"It receives from the last GPU, whose next is GPU 0.",
    }
  end,
}

assert(#shift:transfers(1) == shift.ranks)
say(_"That took %d sends and %d receives, and they had to match: the receive \z
      on GPU 0 names GPU 3, the send on GPU 3 names GPU 0. The programmer \z
      writes both sides. A receive without its send waits forever."
    :format(#shift:transfers(1), #shift:transfers(1)))

say {
  _"Two more words. What happens at the same time is a step: all of this was \z
    one step. What data passes over is a link: between two GPUs, or between a \z
    GPU and a switch.",
  terms = { "step", "link" },
}

local cast = run "flat-broadcast --gpus 4"
predict {
  _"Now a collective: in a broadcast GPU 0, the root, gives its data to all. \z
    On how many of these 4 GPUs must the program call broadcast?",
  kind = "number",
  hints = { _"Can data be put into the memory of a rank that has not said \z
              where it should go?" },
  wrong = {
    [1] = _"The root alone cannot write into the memory of another GPU.",
    [3] = _"Those receive. Can data be sent without a call on the sending \z
            side?",
  },
  notes = _"Many say: only the root. This mistake is behind many a hang, so \z
            let them defend it.",
  answer = function()
    cast:finish()
    local takes_part, n = {}, 0
    for _, t in ipairs(cast:transfers(1)) do
      takes_part[t.src], takes_part[t.dst] = true, true
    end
    for rank = 0, cast.ranks - 1 do
      if takes_part[rank] then n = n + 1 end
    end
    return n
  end,
  why = _"On all. Receivers take part too; no rank can make the call for \z
          another.",
}

say(_"All make the same call, with root 0 in it. Each knows from its own rank \z
      what it has to do: GPU 0 sends, the others receive. Nobody names a \z
      partner. If one GPU leaves the call out, others may wait for it for \z
      ever.")

local gather = run "flat-gather --gpus 4"
predict {
  _"The next collective is a gather to GPU 0. All 4 GPUs call it. Which of \z
    them hold A0, B0, C0 and D0 afterwards?",
  choices = { _"all of them", _"only GPU 0", _"none: each has a part" },
  hints = { _"To call is one thing, to be promised something another." },
  wrong = {
    [1] = _"All of them give their data. Do all of them get something?",
    [3] = _"So it was before the call: a part on each. What does the call \z
            change?",
  },
  answer = function()
    gather:finish()
    local all = 0
    for rank = 0, gather.ranks - 1 do
      local full = true
      for slot = 0, gather.ranks - 1 do
        full = full and gather:holds(rank, slot) ~= ""
      end
      if full then all = all + 1 end
    end
    if all == gather.ranks then return 1 end
    return all == 1 and 2 or 3
  end,
  why = _"All call, but a gather promises its result to the root only.",
}
assert(gather:holds(0, 3) == "D0" and gather:holds(1, 0) == "")

say(_"So there are three kinds. One-to-many: broadcast, scatter. Many-to-one: \z
      gather, reduce; the one is the root. Many-to-many, without a root: \z
      all-gather, reduce-scatter, all-reduce, all-to-all. The key p shows a \z
      table of them, in every lesson.")

local server = run "server-allreduce --gpus 4"
predict {
  _"An all-reduce, done like this: all send to GPU 0, it adds up and sends \z
    the sum to all. Which kind of collective is an all-reduce?",
  choices = { _"one-to-many", _"many-to-one", _"many-to-many" },
  hints = { _"Do not look at the arrows. Whose data is in the result, and who \z
              gets the result?" },
  wrong = {
    [1] = _"GPU 0 sends at the end. Is it only its own data that arrives?",
    [2] = _"GPU 0 does the adding. Is it the only one that gets the sum?",
  },
  answer = function()
    server:finish()
    local givers = 0
    for _ in server:order(0, 0):gmatch "%a" do givers = givers + 1 end
    local takers = 0
    for rank = 0, server.ranks - 1 do
      if server:holds(rank, 0) == server:holds(0, 0) then
        takers = takers + 1
      end
    end
    assert(givers == 1 or givers == server.ranks)
    if givers == 1 then return 1 end
    return takers == 1 and 2 or 3
  end,
  why = _"The sum is made of everybody's data, and everybody gets it. That \z
          it went through GPU 0 is how it was done, not what was promised.",
}

local cost = compare "server-allreduce ring-allreduce --gpus 4"
assert(cost[1].steps < cost[2].steps and cost[1].sent > cost[2].sent)
say(_"Keep the two apart: a collective is what is promised, an algorithm is \z
      how it is done. Two algorithms for one promise: with the server %d \z
      steps, and %d bytes leave the busiest GPU; with the ring %d steps and \z
      %d bytes. The results are the same."
    :format(cost[1].steps, cost[1].sent, cost[2].steps, cost[2].sent))

cast:show()
play {
  _"The broadcast again. Press a and type --root 2: who sends now? Then \z
    --delay 3=500: GPU 3 makes its call late. Who has to wait for it?",
  try = { "--root 2", "--delay 3=500" },
}

remember {
  _"Point-to-point: one sends, one receives, each names the other.",
  _"Collective: every rank of the group makes the call, receivers as well.",
  _"One-to-many, many-to-one, many-to-many: that is what, not how.",
}
used {
  nccl = "ncclSend, ncclRecv; ncclBroadcast, ncclAllReduce, ...",
  pytorch = "torch.distributed.send, recv; broadcast, all_reduce, ...",
  mpi = "MPI_Send, MPI_Recv; MPI_Bcast, MPI_Allreduce, ...",
  text = _"The group is called a communicator in MPI and NCCL, a process \z
           group in PyTorch. All its ranks must make its collective calls in \z
           the same order.",
}
