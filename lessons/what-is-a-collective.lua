-- SPDX-License-Identifier: MIT
lesson {
  number = 1,
  day = 1,
  minutes = 3,
  lecture = 4,
  title = _"What is a collective?",
  idea = _"All ranks of a group make one call, and the group is promised a \z
           result.",
}

local function data_of(rank) return ("ABCDEFGH"):sub(rank + 1, rank + 1) .. "0" end

lecture()
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
lecture()
say(_"A box is a GPU, and \"›\" marks what it sends next. A0 is the data of \z
      GPU 0, B0 that of GPU 1, and so on. \z
      Now every GPU makes two calls: a send to the next GPU and a receive \z
      from the one before. The next of GPU 3 is GPU 0.")

-- What a rank holds when each has sent to the next.
local function shifted(r, rank)
  local own, came = data_of(rank), data_of((rank - 1) % r.ranks)
  return {
    _"%d GPUs, and each sends its data to the next. What will GPU %d hold when \z
      all have sent and received?":format(r.ranks, rank),
    kind = "label",
    at = { rank, 0 },
    hints = { _"Which GPU has this one as its next?" },
    wrong = {
      [own] = _"That goes out, and something else comes in and is written over \z
                it.",
      [data_of((rank + 1) % r.ranks)] =
        _"That is the data of the GPU to which it sends. From which does it \z
          receive?",
      [own .. "+" .. came] = _"Nothing is added here: what comes in is written \z
                               over what was there.",
    },
    notes = _"Let all answer at once, then ask why: one who named the GPU's own \z
              data, and one who named that of the next GPU.",
    answer = function() r:finish() return r:holds(rank, 0) end,
    why = _"It sends to the one side and receives from the other. What came in \z
            was written over what it had.",
  }
end
local question = shifted(shift, 0)
question.again = function(round)
  local n, rank = ({ 5, 3, 6 })[round], ({ 0, 2, 4 })[round]
  return shifted(run("shift-sendrecv --gpus " .. n), rank)
end
lecture "spare"
predict(question)

assert(#shift:transfers(1) == shift.ranks)
say(_"That took %d sends and %d receives, and they had to match: the receive \z
      on GPU 0 names GPU 3, the send on GPU 3 names GPU 0. The programmer \z
      writes both sides. A receive without its send waits forever."
    :format(#shift:transfers(1), #shift:transfers(1)))

say {
  _"Three more words. What happens at the same time is a step: all of this \z
    was one step. What data passes over is a link: between two GPUs, or \z
    between a GPU and a switch. And a title begins with \"flat\" where one GPU \z
    sends to each other GPU itself, or receives from each.",
  terms = { "step", "link", "flat" },
}

-- How many ranks send or receive.
local function take_part(r)
  local does, n = {}, 0
  r:finish()
  for _, t in ipairs(r:transfers(1)) do does[t.src], does[t.dst] = true, true end
  for rank = 0, r.ranks - 1 do n = n + (does[rank] and 1 or 0) end
  return n
end

local cast = run "flat-broadcast --gpus 4"
lecture()
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
  answer = function() return take_part(cast) end,
  why = _"On all. Receivers take part too; no rank can make the call for \z
          another.",
  again = function(round)
    local n, root = ({ 5, 6, 3 })[round], ({ 2, 0, 1 })[round]
    local other = run(("flat-reduce --gpus %d --root %d"):format(n, root))
    return {
      _"GPU %d is to have the sum of what %d GPUs have, its own included: a \z
        reduce. On how many of them must the program call reduce?"
      :format(root, n),
      kind = "number",
      wrong = {
        [1] = _"GPU %d alone cannot read the memory of another GPU.":format(root),
        [n - 1] = _"Those send. Can data arrive without a call on the receiving \z
                    side?",
      },
      answer = function() return take_part(other) end,
      why = _"On all. The root takes part too; no rank can make the call for \z
              another.",
    }
  end,
}

lecture "spare"
say(_"All make the same call, with root 0 in it. Each knows from its own rank \z
      what it has to do: GPU 0 sends, the others receive. Nobody names a \z
      partner. If one GPU leaves the call out, others may wait for it for \z
      ever.")

-- How many ranks have the data of all.
local function complete(r)
  local all = 0
  r:finish()
  for rank = 0, r.ranks - 1 do
    local full = 1
    for slot = 0, r.ranks - 1 do
      if r:holds(rank, slot) == "" then full = 0 end
    end
    all = all + full
  end
  return all
end

local gather = run "flat-gather --gpus 4"
predict {
  _"The next collective is a gather to GPU 0. All 4 GPUs call it. On how many \z
    of them will A0, B0, C0 and D0 be together afterwards?",
  kind = "number",
  hints = { _"To call is one thing, to be promised something another." },
  wrong = {
    [4] = _"All of them give their data. Do all of them get something?",
    [3] = _"Those send. Who receives?",
    [0] = _"So it was before the call: a part on each. What does the call \z
            change?",
  },
  answer = function() return complete(gather) end,
  why = _"On one. All call, but a gather promises its result to the root only.",
  again = function(round)
    local n, gathers = ({ 5, 6, 3 })[round], round ~= 2
    local other = run((gathers and "flat-gather" or "ring-allgather") ..
                      " --gpus " .. n)
    local lines = {
      [0] = _"So it was before the call: a part on each. What does the call \z
              change?",
    }
    if gathers then
      lines[n - 1] = _"Those send. Who receives?"
      lines[n] = _"All of them give their data. Do all of them get something?"
    else
      lines[1] = _"That would be a gather. To whom is the result promised here?"
      lines[n - 1] = _"Which GPU would be the one that does not have it all?"
    end
    return {
      (gathers and _"%d GPUs call gather, and GPU 0 is the root. On how many of \z
                     them will the data of all be together afterwards?"
       or _"%d GPUs call all-gather, which has no root. On how many of them \z
            will the data of all be together afterwards?"):format(n),
      kind = "number",
      wrong = lines,
      answer = function() return complete(other) end,
      why = _"A gather promises its result to the root only. An all-gather has \z
              no root: it promises the result to all.",
    }
  end,
}
assert(gather:holds(0, 3) == "D0" and gather:holds(1, 0) == "")

say(_"So there are three kinds. One-to-many: broadcast, scatter. Many-to-one: \z
      gather, reduce; the one is the root. Many-to-many, without a root: \z
      all-gather, reduce-scatter, all-reduce, all-to-all. The key p shows a \z
      table of them, in every lesson.")

-- The kind of a collective, by the number of ranks that get something and of
-- those whose data it is.
local function kind_of(r, slots)
  local letters, givers, takers = {}, 0, 0
  r:finish()
  for rank = 0, r.ranks - 1 do
    local gets = r:received(rank) > 0
    takers = takers + (gets and 1 or 0)
    for slot = 0, gets and slots - 1 or -1 do
      for letter in r:order(rank, slot):gmatch "%a" do
        givers = givers + (letters[letter] and 0 or 1)
        letters[letter] = true
      end
    end
  end
  return givers == 1 and 1 or takers == 1 and 2 or 3
end

local server = run "server-allreduce --gpus 4"
local kinds = { _"one-to-many", _"many-to-one", _"many-to-many" }
predict {
  _"An all-reduce, done like this: all send to GPU 0, it adds up and sends \z
    the sum to all. Which kind of collective is an all-reduce?",
  choices = kinds,
  hints = { _"Do not look at the arrows. Whose data is in the result, and who \z
              gets the result?" },
  wrong = {
    [1] = _"GPU 0 sends at the end. Is it only its own data that arrives?",
    [2] = _"GPU 0 does the adding. Is it the only one that gets the sum?",
  },
  answer = function() return kind_of(server, 1) end,
  why = _"The sum is made of everybody's data, and everybody gets it. That \z
          it went through GPU 0 is how it was done, not what was promised.",
  again = function(round)
    local name, slots = ({ "flat-reduce", "flat-scatter", "ring-allgather" })
                        [round], ({ 1, 4, 4 })[round]
    local other = run(name .. " --gpus 4")
    local right = ({ 2, 1, 3 })[round]
    local lines = {
      _"Is the data of one GPU only in the result?",
      _"Is there only one GPU that gets something?",
      _"Many give and many get? One of the two is a single GPU here.",
    }
    lines[right] = nil
    return {
      ({ _"Each of four GPUs puts in a vector, and GPU 0 gets the sum of all: a \z
           reduce. Which kind of collective is that?",
         _"GPU 0 cuts its data into four parts, and each of four GPUs gets one: \z
           a scatter. Which kind of collective is that?",
         _"Each of four GPUs has a piece, and the pieces go round until all \z
           have all: an all-gather. Which kind of collective is that?" })[round],
      choices = kinds,
      wrong = lines,
      answer = function() return kind_of(other, slots) end,
      why = _"Count the GPUs whose data is in the result, and those that get \z
              it.",
    }
  end,
}

local cost = compare "server-allreduce ring-allreduce --gpus 4"
assert(cost[1].steps < cost[2].steps and cost[1].sent > cost[2].sent)
lecture "spare"
say {
  _"Keep the two apart: a collective is what is promised, an algorithm is how \z
    it is done. Two algorithms for one promise: with the server %d steps, and \z
    %d bytes leave the busiest GPU; with the ring %d steps and %d bytes. The \z
    results are the same. (S is what each GPU puts in.)"
  :format(cost[1].steps, cost[1].sent, cost[2].steps, cost[2].sent),
  terms = { "S" },
}

cast:show()
play {
  _"The broadcast again. Press a and type --root 2: who sends now? Then \z
    --delay 3=500: GPU 3 makes its call late. Who has to wait for it?",
  try = { "--root 2", "--delay 3=500" },
}

lecture()
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
