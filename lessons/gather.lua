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

local other = run "flat-gather --gpus 4 --root 2"
predict {
  _"The same again with GPU 2 as the root. What will be in its slot 0?",
  kind = "label",
  at = { 2, 0 },
  hints = { _"C0 is in its place already. Which slot is that?" },
  wrong = {
    C0 = _"C0 is the data of the root. Does the root decide which place is \z
           whose?",
    B0 = _"Slots count from 0, as ranks do.",
    [""] = _"Every rank gives its data, so no slot of the root stays empty.",
  },
  answer = function() other:finish() return other:holds(2, 0) end,
  why = _"Data of rank r goes to place r, whoever the root is and whatever \z
          comes first. So one can tell afterwards whose is whose.",
}
for rank = 0, other.ranks - 1 do
  assert(other:holds(2, rank) == ("ABCD"):sub(rank + 1, rank + 1) .. "0")
end

local flat = run "flat-gather --gpus 8"
predict {
  _"Eight GPUs with %d bytes each. Every GPU but the root sends %d bytes. How \z
    many bytes does GPU 0 receive?":format(flat.bytes, flat.bytes),
  kind = "number",
  hints = { _"How many GPUs send to it?" },
  wrong = {
    [flat.bytes] = _"That is what comes from one GPU. How many send?",
    [flat.ranks * flat.bytes] = _"Does the data of GPU 0 come over a link, \z
                                  too?",
  },
  answer = function()
    flat:finish()
    assert(flat:sent(1) == flat.bytes and flat:sent(7) == flat.bytes)
    return flat:received(0)
  end,
  why = _"N-1 times as much as any other GPU sends. Its own part does not \z
          travel.",
  again = function(round)
    local n = ({ 6, 5, 12 })[round]
    local other = run(("flat-gather --gpus %d --count 4"):format(n))
    return {
      _"A gather to GPU 0 on %d GPUs with %d bytes each. How many bytes does \z
        GPU 0 receive?":format(n, other.bytes),
      kind = "number",
      wrong = {
        [other.bytes] = _"That is what comes from one GPU. How many send?",
        [n * other.bytes] = _"Does the data of GPU 0 come over a link, too?",
      },
      answer = function() other:finish() return other:received(0) end,
      why = _"N-1 times as much as any other GPU sends.",
    }
  end,
}

say(_"All this comes in through one link, the root's. The other links are \z
      used for a short time and then idle, while the root's is full to the \z
      end. And GPU 0 needs room for %d bytes, N times the data of a GPU."
    :format(flat.ranks * flat.bytes))

local tree = run "binomial-gather --gpus 8"
predict {
  _"In a broadcast, a tree took work off the root. Here is a gather along a \z
    tree. Does GPU 0 receive fewer bytes than before?",
  choices = { _"fewer", _"as many", _"more" },
  hints = { _"What must GPU 0 hold in the end, and what of it is there now?" },
  wrong = {
    [1] = _"Fewer messages come in. But look how large the last one is.",
    [3] = _"Does anything come to GPU 0 that it has already?",
  },
  answer = function()
    tree:finish()
    local now, before = tree:received(0), flat:received(0)
    return now < before and 1 or now == before and 2 or 3
  end,
  why = _"It ends with everything, so everything has to come in, whatever the \z
          way. Only the senders are fewer: one in each step.",
}

predict {
  _"In step %d GPU 4 sent to GPU 0. A GPU's own data is %d bytes. How many \z
    bytes did GPU 4 send?"
  :format(tree.steps, tree.bytes),
  kind = "number",
  hints = { _"What had GPU 4 gathered by then? With > you can go back and \z
              look." },
  wrong = {
    [tree.bytes] = _"It has more than its own by then. What came in steps 1 \z
                     and 2?",
    [2 * tree.bytes] = _"GPU 5 sent to it in step 1. And what came in step 2?",
    [3 * tree.bytes] = _"That is what it received. Its own data goes up, too.",
  },
  answer = function() return tree:sent(4) end,
  why = _"E0, F0, G0 and H0. Nothing can be left out, so what is sent grows: \z
          1, 2, 4 times the data of a GPU.",
}

local all, direct = 0, 0
for rank = 0, tree.ranks - 1 do
  all, direct = all + tree:sent(rank), direct + flat:sent(rank)
end
-- each of these ranks sends once, in steps 1, 2 and 3
assert(tree:sent(1) == tree.bytes and tree:sent(2) == 2 * tree.bytes)
assert(tree:sent(4) == 4 * tree.bytes)
assert(tree:transfers(tree.steps)[1].src == 4)
say(_"All links together carried %d bytes, where sending straight to GPU 0 \z
      took %d. So the tree is for small data, where what costs is dealing \z
      with many senders. For large data nothing helps: the root's link has \z
      to take N-1 parts."
    :format(all, direct))

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
