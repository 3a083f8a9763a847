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

local input = "--input 1,5/2,4/3,3/4,2"
local sum = run("flat-reduce " .. input)
local function show(run_, rank)
  local v = run_:values(rank, 0)
  local out = {}
  for i, x in ipairs(v) do out[i] = ("%d"):format(x) end
  return table.concat(out, ", ")
end
local own = {}
for rank = 0, sum.ranks - 1 do own[rank + 1] = show(sum, rank) end
predict {
  _"All four call reduce, and GPU 0 is the root. What will GPU 2 hold \z
    afterwards?",
  choices = { "A0+B0+C0+D0", "C0", _"nothing" },
  at = { 2, 0 },
  hints = { _"Who was promised the result?" },
  wrong = {
    [1] = _"That is the result. To whom was it promised?",
    [3] = _"To send is to copy: does the sender lose anything?",
  },
  answer = function()
    sum:finish()
    local held = sum:holds(2, 0)
    return held == "" and 3 or held
  end,
  why = _"The result is at the root only. GPU 2 called reduce as all did, \z
          but it only gives.",
}

predict {
  _"The GPUs put in [%s], [%s], [%s] and [%s], and the operation was sum. \z
    What does GPU 0 have now?":format(table.unpack(own)),
  choices = { "6, 6, 6, 6", "24", "10, 14" },
  at = { 0, 0 },
  hints = { _"Element by element: first elements with first elements." },
  wrong = {
    ["6, 6, 6, 6"] = _"That adds up within each GPU. A reduce goes across \z
                       the GPUs.",
    ["24"] = _"One number for everything? Each GPU put in two.",
  },
  answer = function() return show(sum, 0) end,
  why = _"1+2+3+4 and 5+4+3+2. No rank sums up its own vector: as many \z
          elements come out as each rank has put in.",
}

local max = run("flat-reduce " .. input .. " --op max")
predict {
  _"The same input, but with max instead of sum. What will GPU 0 have?",
  choices = { "4, 2", "4, 5", "5" },
  at = { 0, 0 },
  hints = { _"The largest of the first elements, the largest of the second." },
  wrong = {
    ["4, 2"] = _"That is one GPU's whole vector. Is it the largest at both \z
                 positions?",
    ["5"] = _"One number for everything? Each position has its own result.",
  },
  answer = function() max:finish() return show(max, 0) end,
  why = _"Element by element again: the two maxima come from different GPUs. \z
          The letters say whose data went in, whatever the operation.",
}

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

predict {
  _"Each of these messages had %d bytes. In step 3 GPU 4 sends the sum of \z
    four GPUs to GPU 0. How many bytes is that?":format(tree.bytes),
  kind = "number",
  hints = { _"What is the length of the sum of two vectors?" },
  wrong = {
    [4 * tree.bytes] = _"That would be four vectors side by side. Here they \z
                         were added.",
    [2 * tree.bytes] = _"GPU 4 has added twice. Does a sum get longer by that?",
  },
  answer = function()
    tree:finish()
    local t = tree:transfers(3)
    assert(#t == 1 and t[1].src == 4)
    return t[1].bytes
  end,
  why = _"E0+F0+G0+H0 is as long as E0 alone. The label grows, the data does \z
          not.",
  again = function(round)
    local n, count = 8, ({ 6, 10, 3 })[round]
    local other = run(("binomial-reduce --gpus %d --count %d")
                      :format(n, count))
    return {
      _"A reduce along a tree of %d GPUs with %d bytes each. How many bytes has \z
        the last message, with the sum of %d GPUs in it?"
      :format(n, other.bytes, n // 2),
      kind = "number",
      wrong = {
        [n // 2 * other.bytes] = _"That would be four vectors side by side. Here \z
                                   they were added.",
      },
      answer = function()
        other:finish()
        return other:transfers(other.steps)[1].bytes
      end,
      why = _"A sum is as long as one of the vectors that went into it.",
    }
  end,
}

local gather = run "binomial-gather --gpus 8"
gather:finish()
assert(gather.bytes == tree.bytes and gather.steps == tree.steps)
assert(gather:transfers(3)[1].src == 4 and gather:sent(4) == 4 * tree:sent(4))
say(_"Here is the gather along the same tree. GPU 4 sent %d bytes in the \z
      last step, where the reduce had %d. GPU 0 received %d bytes here, %d in \z
      the reduce. Sums keep every message at S, the size of one GPU's data."
    :format(gather:sent(4), tree:sent(4), gather:received(0),
            tree:received(0)))

tree:show()
predict {
  _"Was the whole sum, A0 to H0, at any time on another GPU than GPU 0?",
  choices = { _"yes, on GPU 4", _"yes, on all", _"no" },
  hints = { _"With > you can go through the run and look at GPU 4." },
  wrong = {
    [1] = _"GPU 4 has added up four GPUs. Are A0 to D0 among them?",
    [2] = _"Sums only go towards GPU 0. What would bring the whole to the \z
            others?",
  },
  answer = function()
    local whole, four = 0, false
    for k = 0, tree.steps do
      tree:go(k)
      for rank = 1, tree.ranks - 1 do
        local _, plus = tree:holds(rank, 0):gsub("+", "")
        if plus == tree.ranks - 1 then
          whole = whole + 1
          four = four or rank == 4
        end
      end
    end
    return whole == 0 and 3 or four and whole == 1 and 1 or 2
  end,
  why = _"GPU 4 still has the sum of its half, a partial sum. Whoever wants \z
          the whole on all GPUs calls all-reduce: lesson 8.",
}

play {
  _"Press a and try --root 3. Then 5 and 6 GPUs: who sends to whom when N \z
    is no power of two?",
  try = { "--root 3", "5", "6" },
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
