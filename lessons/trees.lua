-- SPDX-License-Identifier: MIT
lesson {
  number = 15,
  day = 5,
  minutes = 6,
  title = _"Trees",
  idea = _"Sums go up a tree and come down; two trees keep everyone busy.",
}

say {
  _"A ring's steps grow with N. On a thousand GPUs that is some two thousand \z
    steps, whatever the size of the data. A tree's depth grows with log2 N \z
    only: sums go up to the root, and the result comes down.\n\n\z
    You know the binomial tree from broadcast. Here it is upside down.",
  notes = _"Draw a binomial and a binary tree of 8 beside each other, and let \z
            the class count the root's children.",
}

local bin = run "binomial-reduce --gpus 8"
predict {
  _"A reduction on a binomial tree. Each of the 8 GPUs has %d bytes. How many \z
    bytes does GPU 0, the root, receive?":format(bin.bytes),
  kind = "number",
  hints = {
    _"Sums stay as large as one input.",
    _"GPU 0 gets a message in every step.",
  },
  wrong = {
    [bin.bytes] = _"That is one message. GPU 0 gets one in every step.",
    [(bin.ranks - 1) * bin.bytes] = _"7 GPUs send, but not all of them to \z
                                      GPU 0.",
  },
  answer = function() bin:finish() return bin:received(0) end,
  why = _"The root has log2 N children, here 3, and hears from one in every \z
          step. With N its load grows.",
}
assert(bin:received(0) == 3 * bin.bytes and bin.steps == 3)

local tree = run "tree-allreduce --gpus 8 --chunks 1"
local up = tree.steps // 2
predict {
  _"A binary tree: nobody has more than two children, however large N is. GPU \z
    0 is the root, GPU 4 is below it, then GPU 2 and GPU 6. First the sums go \z
    up. How many of the 8 GPUs add nothing and only send?",
  kind = "number",
  hints = { _"Those are the leaves. Which GPUs have no one below them?" },
  wrong = {
    [1] = _"There is more than one GPU at the bottom.",
    [7] = _"All but the root send, but some of those add as well.",
    [2] = _"That is how many children a GPU may have.",
  },
  answer = function()
    tree:step(up)
    local inner, leaves = {}, 0
    for k = 1, up do
      for _, t in ipairs(tree:transfers(k)) do inner[t.dst] = true end
    end
    for rank = 0, tree.ranks - 1 do
      if not inner[rank] then leaves = leaves + 1 end
    end
    return leaves
  end,
  why = _"Half of the ranks are leaves: 1, 3, 5, 7. They send up once and then \z
          wait until the result comes down.",
  again = function(round)
    local n = ({ 16, 12, 32 })[round]
    local other = run(("tree-allreduce --gpus %d --chunks 1"):format(n))
    return {
      _"A binary tree of %d GPUs, on the way up. How many GPUs add nothing and \z
        only send?":format(n),
      kind = "number",
      wrong = { [n - 1] = _"All but the root send, but some of those add as well." },
      answer = function()
        local inner, leaves = {}, 0
        other:finish()
        for k = 1, other.steps // 2 do
          for _, t in ipairs(other:transfers(k)) do inner[t.dst] = true end
        end
        for rank = 0, n - 1 do
          if not inner[rank] then leaves = leaves + 1 end
        end
        return leaves
      end,
      why = _"Half of the ranks are leaves.",
    }
  end,
}
assert(tree:holds(0, 0) == "S0")
for k = 1, up do
  for _, t in ipairs(tree:transfers(k)) do assert(t.dst % 2 == 0) end
end

tree:finish()
say(_"Up and down: %d steps, twice the depth. GPU 2 has sent %d bytes, once up \z
      and twice down; GPU 1, a leaf, %d. And while one level works, the others \z
      wait. Two troubles: idle levels, and idle leaves."
    :format(tree.steps, tree:sent(2), tree:sent(1)))
assert(tree:sent(2) == 3 * tree.bytes and tree:sent(1) == tree.bytes)

local pipe
predict {
  _"First the idle levels. We cut the data into 4 chunks, and the next follows \z
    as soon as the first has moved up. How many steps now?",
  kind = "number",
  hints = {
    _"The first chunk still takes 6. Does the second start after it, or behind \z
      it?",
    _"A chunk arrives one step after the one before it.",
  },
  wrong = {
    [24] = _"That would be one chunk after the other. The next need not wait \z
             so long.",
    [6] = _"That is one chunk. The others come after it.",
    [10] = _"Close: the first chunk is one of the four.",
  },
  answer = function()
    pipe = run "tree-allreduce --gpus 8 --chunks 4"
    pipe:finish()
    return pipe.steps
  end,
  why = _"2 depth + C-1 with C chunks: not 4 times 6. A pipeline: chunk after \z
          chunk on its way, some going down while others still go up.",
}
say(_"More steps, yet less time for large data: %d steps of a quarter are worth \z
      %.3g whole ones, against %d. Small data gain nothing, for each step has \z
      its price. And an inner GPU still sends 3 S in all, a leaf 1 S."
    :format(pipe.steps, pipe.steps / 4, tree.steps))
assert(pipe:sent(2) == 3 * pipe.bytes and pipe:sent(1) == pipe.bytes)
assert(pipe.steps == 2 * up + 4 - 1)

-- A slot's sum goes up a tree. A rank is a leaf of that tree if it sends the slot
-- before it has received anything in it.
local function leaf(r, rank, slot)
  for k = 1, r.steps do
    for _, t in ipairs(r:transfers(k)) do
      if t.dst == rank and t.dst_slot == slot then return false end
    end
    for _, t in ipairs(r:transfers(k)) do
      if t.src == rank and t.src_slot == slot then return true end
    end
  end
end

local two = run "double-tree-allreduce --gpus 8"
predict {
  _"Now the idle leaves. Two trees at once, half of the data each: slots 0 and \z
    1 go up the tree that you know, to GPU 0; slots 2 and 3 its mirror image, \z
    to GPU 7. GPU 2 is an inner node of the first. What is it in the second?",
  choices = { _"An inner node", _"A leaf", _"Not in it" },
  hints = { _"The mirror image puts GPU 5 where GPU 2 was. Look at who adds up \z
             chunks 2 and 3." },
  wrong = {
    [1] = _"In the mirror image, which GPU stands where GPU 2 stood?",
    [3] = _"It has data in slots 2 and 3 as well.",
  },
  answer = function()
    two:finish()
    assert(not leaf(two, 2, 0))
    local l = leaf(two, 2, 2)
    return l == nil and 3 or l and 2 or 1
  end,
  why = _"Even ranks are inner in the first tree, odd ranks in the second. Each \z
          is a leaf in the other.",
}
for rank = 0, 7 do
  assert(leaf(two, rank, 0) ~= leaf(two, rank, 2))
  assert(leaf(two, rank, 0) == (rank % 2 == 1))
end
local most = 0
for rank = 0, 7 do most = math.max(most, two:sent(rank)) end
say(_"Nobody is a leaf twice. An inner node sends its half up once and down \z
      twice, and as a leaf the other half once. The busiest GPU sends %d bytes, \z
      %d S; in one tree it was %d S. The steps: %d."
    :format(most, most // two.bytes, tree:sent(2) // tree.bytes, two.steps))

local seven = run "double-tree-allreduce --gpus 7"
local once = _"In one of the two trees it only sends up: it is a leaf there."
predict {
  _"Seven GPUs, an odd number. One GPU is an inner node in both trees. Which?",
  kind = "rank",
  wrong = { once, once, once, once, once, once }, -- GPU 1 to GPU 6
  hints = {
    _"Who adds something up in slots 0 and 1, and in slots 2 and 3, too?",
    _"One of the two roots is busy in the other tree as well.",
  },
  answer = function()
    seven:finish()
    local found
    for rank = 0, 6 do
      if not leaf(seven, rank, 0) and not leaf(seven, rank, 2) then
        assert(not found)
        found = rank
      end
    end
    return found
  end,
  why = _"For odd N the second tree is the first, shifted by one rank. GPU 0 is \z
          the first's root and has a child in the second.",
}

local c = compare "ring-allreduce tree-allreduce double-tree-allreduce \z
                   --gpus 64 --network ethernet"
say(_"On 64 GPUs: %d steps in a ring, %d with two trees. A ring sends a little \z
      less than 2 S, two trees %g S. So rings suit large data on few GPUs, \z
      and trees suit many GPUs."
    :format(c[1].steps, c[3].steps, c[3].sent / (64 * 2 * 4)))
assert(c[3].sent == 2 * 64 * 2 * 4 and c[1].sent < c[3].sent)

two:show()
say {
  _"Who takes what for an all-reduce? NCCL takes rings, double trees or \z
    switches that add, whichever it expects to be fastest. Open MPI takes a \z
    butterfly for small data and rings for large. Gloo has a ring. Horovod has \z
    none: it packs small tensors together and calls NCCL, MPI or Gloo.",
  notes = _"Where this can be read: NCCL's src/graph/tuning.cc, Open MPI's \z
            coll_tuned_decision_fixed.c, Gloo's allreduce.cc; Horovod: Sergeev \z
            and Del Balso, 2018.",
}
play {
  _"Look at one GPU in both trees with Tab. Try 16 GPUs with a, and more \z
    chunks: --chunks 8.",
  try = { "16", "--chunks 8" },
}

remember {
  _"A tree takes 2 depth steps; its depth grows with log2 N.",
  _"Pipelining fills the levels: 2 depth + C-1 steps for C chunks.",
  _"Two trees, half the data each: inner in one is leaf in the other.",
}
used {
  nccl = "ncclAllReduce (NCCL_ALGO=Tree)",
  pytorch = "torch.distributed.all_reduce",
  mpi = "MPI_Allreduce",
  text = _"Two trees: Sanders, Speck and Traeff, 2009 (broadcast, reduction, \z
           scan). The all-reduce is NCCL's, since 2.4; a chain inside each node.",
}
