-- SPDX-License-Identifier: MIT
lesson {
  number = 5,
  day = 1,
  minutes = 5,
  title = _"Reduce",
  idea = _"What is only wanted as a sum can be added up on the way.",
}

say {
  _"Four GPUs, and each has two numbers: the loss of its last batch, and how \z
    many samples it got wrong. GPU 0 writes the log. It could gather all \z
    eight numbers and add them up. But it wants only two sums.\n\n\z
    A reduce gives it those: the data of all ranks is combined, element by \z
    element, and the root has the result.",
  notes = _"To reduce here means: to make one vector out of N vectors of the \z
            same length. In lesson 8 everybody gets it.",
}

local function data_of(rank)
  return ("ABCDEFGH"):sub(rank + 1, rank + 1) .. "0"
end

-- What a rank that is not the root holds afterwards.
local function giver(r, root, rank)
  local all = {}
  for i = 1, r.ranks do all[i] = data_of(i - 1) end
  return {
    _"All %d GPUs call reduce, and GPU %d is the root. What will GPU %d hold \z
      afterwards?":format(r.ranks, root, rank),
    kind = "label",
    at = { rank, 0 },
    hints = { _"Who was promised the result?" },
    wrong = {
      [table.concat(all, "+")] = _"That is the result. To whom was it promised?",
      [""] = _"To send is to copy: does the sender lose anything?",
      [data_of(root)] = _"The root receives here. Does it send anything?",
    },
    answer = function() r:finish() return r:holds(rank, 0) end,
    why = _"The result is at the root only. The others called reduce as well, \z
            but they only give.",
  }
end
local question = giver(run "flat-reduce --gpus 4", 0, 2)
question.again = function(round)
  local n, root, rank = ({ 5, 3, 6 })[round], ({ 2, 1, 5 })[round],
                        ({ 4, 0, 3 })[round]
  return giver(run(("flat-reduce --gpus %d --root %d"):format(n, root)), root,
               rank)
end
predict(question)

-- The second element of the result, from the ranks' inputs.
local function second(r, text)
  local own, rows, all, last = {}, {}, 0, 0
  for rank = 0, r.ranks - 1 do
    own[rank + 1] = r:values(rank, 0)
    rows[rank + 1] = ("[%d, %d]"):format(own[rank + 1][1], own[rank + 1][2])
    all = all + own[rank + 1][1] + own[rank + 1][2]
    last = own[rank + 1][2]
  end
  return {
    text:format(table.unpack(rows)),
    kind = "number",
    at = { 0, 0 },
    hints = { _"Element by element: second elements with second elements." },
    wrong = {
      [own[1][1] + own[1][2]] = _"That adds up within a GPU. A reduce goes \z
                                  across the GPUs.",
      [all] = _"One number for everything? Each GPU put in two.",
      [last] = _"That is what the last GPU put in. What of the others?",
    },
    answer = function() r:finish() return r:values(0, 0)[2] end,
    why = _"The second elements of all GPUs. No rank sums up its own vector: as \z
            many elements come out as each rank has put in.",
  }
end
local input = "1,5/2,4/3,3/4,2"
local sum = run("flat-reduce --input " .. input)
question = second(sum, _"The GPUs put in %s, %s, %s and %s. GPU 0 gets two sums. \z
                         What is the second one?")
question.again = function(round)
  return second(run("flat-reduce --input " ..
                    ({ "7,1/2,6/5,4", "1,9/2,2/8,3", "4,3/6,5/9,1" })[round]),
                _"Three GPUs put in %s, %s and %s, and reduce to GPU 0 with sum. \z
                  What is the second number of its result?")
end
predict(question)

-- The same with another operation.
local function greatest(r, text)
  local question = second(r, text)
  local firsts, adds = 0, 0
  for rank = 0, r.ranks - 1 do
    firsts = math.max(firsts, r:values(rank, 0)[1])
    adds = adds + r:values(rank, 0)[2]
  end
  question.wrong = {
    [firsts] = _"That is the largest of the first elements.",
    [r:values(r.ranks - 1, 0)[2]] = _"That belongs to the GPU with the largest \z
                                      first element. Is it the largest second?",
    [adds] = _"That is the sum. What was asked for is the largest.",
  }
  question.why = _"Element by element again: the two maxima come from different \z
                   GPUs. The letters say whose data went in, whatever the \z
                   operation."
  return question
end
local max = run("flat-reduce --op max --input " .. input)
question = greatest(max, _"The same input, %s, %s, %s and %s, but with max \z
                           instead of sum. What is the second number of GPU 0?")
question.again = function(round)
  return greatest(run("flat-reduce --op max --input " ..
                      ({ "1,8/3,6/7,2", "2,5/6,9/8,4", "3,7/1,6/9,5" })[round]),
                  _"Three GPUs put in %s, %s and %s, and reduce to GPU 0 with \z
                    max. What is the second number of its result?")
end
predict(question)

local v = sum:values(0, 0)
say(_"Sum, prod, min and max are everywhere. NCCL also has avg, the sum \z
      divided by N: here it would be %.1f and %.1f. MPI has no average: one \z
      divides afterwards. It has others instead, such as lor, the logical \z
      or, and operations of one's own."
    :format(v[1] / sum.ranks, v[2] / sum.ranks))

local tree = run "binomial-reduce --gpus 8"
tree:step()
say(_"Eight GPUs, along a tree, after step 1. GPU 0, 2, 4 and 6 have each \z
      added what came. The others are done. After each step half of those \z
      that remain are done.")
for rank = 1, 7, 2 do assert(tree:sent(rank) == tree.bytes) end

-- How many bytes the root of a tree receives.
local function comes_in(r)
  local S = r.bytes
  return {
    _"A reduce along a tree of %d GPUs, %d bytes in each. GPU 0 receives one \z
      message in each of the %d steps, a sum of ever more GPUs. How many bytes \z
      does it receive in all?":format(r.ranks, S, r.steps),
    kind = "number",
    hints = { _"What is the length of the sum of two vectors?" },
    wrong = {
      [(r.ranks - 1) * S] = _"That would be all vectors side by side. Here they \z
                              were added on the way.",
      [S] = _"That is one message. How many come to GPU 0?",
      [r.ranks // 2 * S] = r.ranks // 2 ~= r.steps and
        _"That would be the last message of a gather. Does a sum get longer?"
        or nil,
    },
    answer = function()
      r:finish()
      local t = r:transfers(r.steps)
      assert(#t == 1 and t[1].src == r.ranks // 2 and t[1].bytes == S)
      return r:received(0)
    end,
    why = _"S in each step, log2 N times. A sum is as long as one of the \z
            vectors in it: the label grows, the data does not.",
  }
end
question = comes_in(tree)
question.again = function(round)
  return comes_in(run(("binomial-reduce --gpus %d --count %d")
                      :format(({ 16, 32, 8 })[round], ({ 6, 10, 3 })[round])))
end
predict(question)

local gather = run "binomial-gather --gpus 8"
gather:finish()
assert(gather.bytes == tree.bytes and gather.steps == tree.steps)
assert(gather:transfers(3)[1].src == 4 and gather:sent(4) == 4 * tree:sent(4))
say(_"Here is the gather along the same tree. GPU 4 sent %d bytes in the \z
      last step, where the reduce had %d. GPU 0 received %d bytes here, %d in \z
      the reduce. Sums keep every message at S, the size of one GPU's data."
    :format(gather:sent(4), tree:sent(4), gather:received(0),
            tree:received(0)))

-- What a GPU of a tree holds in the end.
local function half_way(r, rank)
  return {
    _"A reduce to GPU 0 along a tree of %d GPUs: in step 1 every second GPU sends \z
      to the one before it, then every second of the others, and so on. What \z
      will GPU %d hold in the end?":format(r.ranks, rank),
    kind = "label",
    at = { rank, 0 },
    hints = { _"Who sends to GPU %d before it sends itself?":format(rank) },
    wrong = {
      ["S0"] = _"The whole sum is at GPU 0. What would bring it back here?",
      [""] = _"To send is to copy: it keeps what it has sent.",
      [r:holds(rank, 0)] = _"It has added before it sent.",
    },
    answer = function()
      r:finish()
      for other = 1, r.ranks - 1 do
        assert(not r:order(other, 0):find("A"), "sums only go towards GPU 0")
      end
      return r:holds(rank, 0)
    end,
    why = _"The sum of its part, which it sent on: a partial sum. Whoever wants \z
            the whole on all GPUs calls all-reduce: lesson 8.",
  }
end
question = half_way(run "binomial-reduce --gpus 6", 4)
question.again = function(round)
  return half_way(run("binomial-reduce --gpus " .. ({ 8, 5, 7 })[round]),
                  ({ 6, 2, 4 })[round])
end
predict(question)

tree:show()
play {
  _"Press a and try --root 3. Then 5 and 7 GPUs: who sends to whom when N \z
    is no power of two?",
  try = { "--root 3", "5", "7" },
}

remember {
  _"Reduce: the data of all ranks, combined element by element.",
  _"The result is at the root only.",
  _"Sums keep the size S on their way; what is gathered grows.",
}
used {
  nccl = "ncclReduce (ncclSum, ncclProd, ncclMin, ncclMax, ncclAvg)",
  pytorch = "torch.distributed.reduce",
  mpi = "MPI_Reduce (MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_LOR, ...)",
  text = _"For a loss or a count on the rank that writes the log. One reduce \z
           of chunk r to every rank r: together that is a reduce-scatter, \z
           lesson 7.",
}
