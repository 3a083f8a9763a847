-- SPDX-License-Identifier: MIT
lesson {
  number = 4,
  day = 1,
  minutes = 4,
  title = _"Gather",
  idea = _"Everybody's data comes to the root, and all of it through the \z
           root's link.",
}

say {
  _"Four GPUs have each worked through a part of the test data. Each has \z
    predictions of its own, and one of them is to write all into a file.\n\n\z
    A gather is a scatter backwards: every rank gives its data, and the root \z
    ends with all of it, one after the other.",
  notes = _"Ask: who else has the whole afterwards? Nobody. Who wants it \z
            everywhere calls all-gather, lesson 6.",
}

local r = run "flat-gather --gpus 4"
say(_"The slots of GPU 0 are the places for what comes, one for each GPU. Its \z
      own data is in place already. The other GPUs have nothing to receive.")

r:finish()
say(_"Each of the others has sent its %d bytes once, and has them still: to \z
      send is to copy. Only GPU 0 has everything.":format(r:sent(1)))
assert(r:sent(1) == r.bytes and r:holds(1, 1) == "B0")

local function data_of(rank)
  return ("ABCDEFGH"):sub(rank + 1, rank + 1) .. "0"
end

-- What is in a slot of the root after a gather.
local function place(r, root, slot)
  return {
    _"%d GPUs gather to GPU %d. What will be in its slot %d?"
    :format(r.ranks, root, slot),
    kind = "label",
    at = { root, slot },
    hints = { _"%s is in its place already. Which slot is that?"
              :format(data_of(root)) },
    wrong = {
      [data_of(root)] = _"That is the data of the root. Does the root decide \z
                          which place is whose?",
      [data_of(slot + 1)] = slot + 1 ~= root and
        _"Slots count from 0, as ranks do." or nil,
      [""] = _"Every rank gives its data, so no slot of the root stays empty.",
    },
    answer = function() r:finish() return r:holds(root, slot) end,
    why = _"Data of rank r goes to place r, whoever the root is and whatever \z
            comes first. So one can tell afterwards whose is whose.",
  }
end
local other = run "flat-gather --gpus 4 --root 2"
local question = place(other, 2, 0)
question.again = function(round)
  local n, root, slot = ({ 5, 4, 6 })[round], ({ 4, 1, 3 })[round],
                        ({ 1, 2, 4 })[round]
  return place(run(("flat-gather --gpus %d --root %d"):format(n, root)), root,
               slot)
end
predict(question)
for rank = 0, other.ranks - 1 do
  assert(other:holds(2, rank) == data_of(rank))
end

-- How many bytes come to the root.
local function comes_in(r)
  return {
    _"%d GPUs with %d bytes each, and GPU 0 gathers them. How many bytes does \z
      it receive?":format(r.ranks, r.bytes),
    kind = "number",
    hints = { _"How many GPUs send to it?" },
    wrong = {
      [r.bytes] = _"That is what comes from one GPU. How many send?",
      [r.ranks * r.bytes] = _"Does the data of GPU 0 come over a link, too?",
    },
    answer = function()
      r:finish()
      for rank = 1, r.ranks - 1 do assert(r:sent(rank) == r.bytes) end
      return r:received(0)
    end,
    why = _"N-1 times as much as any other GPU sends. Its own part does not \z
            travel.",
  }
end
local flat = run "flat-gather --gpus 8"
question = comes_in(flat)
question.again = function(round)
  return comes_in(run(("flat-gather --gpus %d --count 4")
                      :format(({ 6, 5, 12 })[round])))
end
predict(question)

say(_"All this comes in through one link, the root's. The other links are \z
      used for a short time and then idle, while the root's is full to the \z
      end. And GPU 0 needs room for %d bytes, N times the data of a GPU."
    :format(flat.ranks * flat.bytes))

-- The same along a tree.
local function comes_in_along(r)
  local half, S = r.ranks // 2, r.bytes
  return {
    _"In a broadcast a tree takes work off the root. Here is a gather along a \z
      tree, on %d GPUs with %d bytes each. How many bytes does GPU 0 receive?"
    :format(r.ranks, S),
    kind = "number",
    hints = { _"What must GPU 0 hold in the end, and what of it is there now?" },
    wrong = {
      [r.steps * S] = _"That would be so if every message had %d bytes."
                      :format(S),
      [half * S] = _"That is the last message. What came before it?",
      [r.ranks * S] = _"Does anything come to GPU 0 that it has already?",
      [S] = _"Then the data of most GPUs would be lost.",
    },
    answer = function()
      r:finish()
      assert(r:sent(half) == half * S)
      return r:received(0)
    end,
    why = _"As many as without a tree: it ends with everything, so everything \z
            has to come in. Only the senders are fewer: one in each step.",
  }
end
local tree = run "binomial-gather --gpus 8"
question = comes_in_along(tree)
question.again = function(round)
  return comes_in_along(run(("binomial-gather --gpus %d --count %d")
                            :format(({ 4, 16, 8 })[round],
                                    ({ 6, 2, 5 })[round])))
end
predict(question)
assert(tree:received(0) == flat:received(0))

local all, direct = 0, 0
for rank = 0, tree.ranks - 1 do
  all, direct = all + tree:sent(rank), direct + flat:sent(rank)
end
assert(all > direct)
say(_"All links together carried %d bytes, where sending straight to GPU 0 \z
      took %d. So the tree is for small data, where what costs is dealing \z
      with many senders. For large data nothing helps: the root's link has \z
      to take N-1 parts."
    :format(all, direct))

-- How many bytes a rank sends at once, with all that it has gathered.
local function goes_up(r, rank, has, last)
  return {
    _"A gather along a tree of %d GPUs, %d bytes of its own in each. In step 1 \z
      every second GPU sends to the one before it. How many bytes does GPU %d \z
      send in step %d?":format(r.ranks, r.bytes, rank, last),
    kind = "number",
    hints = { _"What has GPU %d gathered by then? After step 1 it has its own \z
                data and that of one more GPU.":format(rank) },
    wrong = {
      [last * r.bytes] = last ~= has and
        _"What comes in doubles with each step." or nil,
      [(has - 1) * r.bytes] =
        _"That is what it has received. Its own data goes up, too.",
      [r.bytes] = _"It has more than its own by then. What came in the steps \z
                    before?",
    },
    answer = function()
      r:finish()
      assert(r:sent(rank) == has * r.bytes)
      for _, t in ipairs(r:transfers(last)) do
        if t.src == rank then return r:sent(rank) end
      end
    end,
    why = _"All that it has gathered. Nothing can be left out, so what is sent \z
            grows: 1, 2, 4, 8 times the data of a GPU.",
  }
end
question = goes_up(run "binomial-gather --gpus 16 --count 4", 8, 8, 4)
question.again = function(round)
  local n, count = ({ 8, 16, 8 })[round], ({ 10, 5, 3 })[round]
  return goes_up(run(("binomial-gather --gpus %d --count %d"):format(n, count)),
                 ({ 4, 12, 6 })[round], ({ 4, 4, 2 })[round],
                 ({ 3, 3, 2 })[round])
end
predict(question)

flat:show()
play {
  _"Press a and try 16 --count 16: twice as many GPUs, each with as much \z
    data as before. How much does the root receive now, and how much does \z
    each of the others send?",
  try = { "16 --count 16" },
}

remember {
  _"Gather: the root ends with the data of all ranks, in rank order.",
  _"The root's link fills: N-1 parts come in, with a tree or without.",
  _"In a tree the messages grow, since nothing can be left out.",
}
used {
  nccl = _"ncclGather (from 2.28; before, ncclSend and ncclRecv in a group)",
  pytorch = "torch.distributed.gather",
  mpi = "MPI_Gather, MPI_Gatherv",
  text = _"For collecting results on one rank: metrics, predictions. \z
           PyTorch's torch.gather is something else: it picks by index \z
           inside one tensor.",
}
