-- SPDX-License-Identifier: MIT
lesson {
  number = 15,
  day = 5,
  minutes = 8,
  title = _"Trees",
  idea = _"Sums go up a tree and come down; two trees keep everyone busy.",
}

say {
  _"A ring's steps grow with N. On a thousand GPUs there are some two thousand, \z
    whatever the size of the data. A tree's depth grows with log2 N \z
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
  again = function(round)
    local n = ({ 16, 32, 4 })[round]
    local other = run(("binomial-reduce --gpus %d --count 10"):format(n))
    return {
      _"A reduction on a binomial tree. Each of the %d GPUs has %d bytes. How \z
        many bytes does the root receive?":format(n, other.bytes),
      kind = "number",
      hints = { _"Sums stay as large as one input. How many children has the root?" },
      wrong = {
        [other.bytes] = _"That is one message. The root gets one in every step.",
        [(n - 1) * other.bytes] = _"All the others send, but not all of them to \z
                                    the root.",
        [2 * other.bytes] = n > 4 and _"In a binary tree it would be. In a \z
                                        binomial one the root has more children."
                            or nil,
      },
      answer = function() other:finish() return other:received(0) end,
      why = _"The root has log2 N children, and hears from each of them once.",
    }
  end,
}
assert(bin:received(0) == 3 * bin.bytes and bin.steps == 3)

local tree = run "tree-allreduce --gpus 8 --chunks 1"
-- A rank is a leaf of a slot's tree if it sends the slot before it has received
-- anything in it: on the way up.
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
local function leaves(r, slot)
  local n = 0
  for rank = 0, r.ranks - 1 do n = n + (leaf(r, rank, slot) and 1 or 0) end
  return n
end
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
  answer = function() tree:step(up) return leaves(tree, 0) end,
  why = _"Half of the ranks are leaves: 1, 3, 5, 7. They send up once and then \z
          wait until the result comes down.",
  again = function(round)
    local n = ({ 16, 12, 32 })[round]
    local other = run(("tree-allreduce --gpus %d --chunks 1"):format(n))
    return {
      _"A binary tree of %d GPUs, on the way up. How many GPUs add nothing and \z
        only send?":format(n),
      kind = "number",
      wrong = {
        [n - 1] = _"All but the root send, but some of those add as well.",
        [1] = _"There is more than one GPU at the bottom.",
        [n // 4] = _"These are the GPUs just above the leaves.",
      },
      answer = function() other:finish() return leaves(other, 0) end,
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

-- How many alphas an algorithm costs on ethernet if messages have hardly any
-- bytes.
local ALPHA = 20
local function alphas(how)
  local r = run(how .. " --count 2 --network ethernet")
  r:go(r.steps)
  local n = math.floor(r:time() / ALPHA + 0.5)
  assert(math.abs(r:time() - n * ALPHA) < 0.1)
  return n
end
local in_tree
tree:go(1)
predict {
  _"In step 1 GPU 1 and GPU 3 send to GPU 2. Its port takes one message after \z
    the other, so this step costs 2 alpha (lesson 11). How many alpha do all \z
    %d steps cost?":format(tree.steps),
  kind = "number",
  hints = {
    _"Go level by level. Who has two children, and who has one?",
    _"Up: 2 alpha into GPU 2, 2 into GPU 4, 1 into GPU 0. And down?",
  },
  wrong = {
    [6] = _"That would be one alpha a step. In some steps a port carries two \z
            messages.",
    [12] = _"Not in all steps. How many children has GPU 0?",
    [14] = _"That is a ring of 8. Count the messages on the way up and down.",
    [5] = _"That is the way up. The result has to come down.",
  },
  answer = function()
    in_tree = alphas "tree-allreduce --gpus 8 --chunks 1"
    return in_tree
  end,
  why = _"2 + 2 + 1 up, and 1 + 2 + 2 down: on ethernet, where alpha is 20 us, \z
          200 us. A ring of 8 has 14 steps of one message: 280 us.",
  again = function(round)
    local n = ({ 16, 4, 32 })[round]
    local how = ("tree-allreduce --gpus %d --chunks 1"):format(n)
    local other = run(how)
    return {
      _"A binary tree on %d GPUs adds up and sends back, %d steps. GPU 0 has one \z
        child, other inner GPUs have two. How many alpha does it cost?"
      :format(n, other.steps),
      kind = "number",
      hints = { _"A port that serves two children carries two messages, one \z
                  after the other." },
      wrong = {
        [other.steps] = _"That would be one alpha a step. In some steps a port \z
                          carries two messages.",
        [2 * other.steps] = _"Not in all steps: GPU 0 has one child only.",
        [other.steps - 1] = _"That is the way up. The result has to come down.",
      },
      answer = function() return alphas(how) end,
      why = _"2 alpha for each level, up and down, and 1 for that of GPU 0.",
    }
  end,
}
assert(in_tree * ALPHA == 200 and 2 * (8 - 1) * ALPHA == 280)

tree:show()
tree:finish()
local pipe
predict {
  _"Now the idle levels. We cut the data into 4 chunks, and the second follows as \z
    soon as the first has moved up. How many steps now?",
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
  again = function(round)
    local n, chunks = ({ 8, 16, 4 })[round], ({ 6, 4, 8 })[round]
    local one = run(("tree-allreduce --gpus %d --chunks 1"):format(n))
    return {
      _"One chunk takes %d steps to go up a binary tree of %d GPUs and down again. \z
        How many do %d chunks take, each just behind the one before it?"
      :format(one.steps, n, chunks),
      kind = "number",
      hints = { _"A chunk arrives one step after the one before it." },
      wrong = {
        [one.steps * chunks] = _"That would be one chunk after the other. The \z
                                 next need not wait so long.",
        [one.steps + chunks] = _"Close: the first chunk is one of them.",
        [one.steps] = _"That is one chunk. The others come after it.",
      },
      answer = function()
        local other = run(("tree-allreduce --gpus %d --chunks %d --count %d")
                          :format(n, chunks, chunks))
        other:finish()
        return other.steps
      end,
      why = _"2 depth + C-1.",
    }
  end,
}
assert(pipe:sent(2) == 3 * pipe.bytes and pipe:sent(1) == pipe.bytes)
assert(pipe.steps == 2 * up + 4 - 1)

-- What a model says of 8 bytes and of 1 GiB, in microseconds.
local function ends(command)
  local c = chart(command .. " --network ethernet")
  local points = c.curves[1].points
  assert(points[1][1] == 8 and points[#points][1] == 2 ^ 30)
  return points[1][2], points[#points][2], c
end
local little, much = ends "tree-allreduce --gpus 8 --chunks 1"
local little4, much4 = ends "tree-allreduce --gpus 8 --chunks 4"
local best, most = ends "tree-allreduce --gpus 8"
assert(little4 > little and best == little and much4 > most)
say(_"For 1 GiB on ethernet that is %.0f ms instead of %.0f, and %.0f ms with the \z
      best number of chunks, which this curve has for each size. For 8 bytes 4 chunks \z
      take %.0f us, one takes %.0f: each chunk is a message and costs its alpha."
    :format(much4 / 1e3, much / 1e3, most / 1e3, little4, little))

-- Whole milliseconds: of so many S of 1 GiB through a port, and what is left.
local function through(s) return math.floor(s * 2 ^ 30 * 0.08e-6 + 0.5) end
local function whole(us) return math.floor(us / 1e3 + 0.5) end
local port, took = through(3), whole(most)
assert(port < took and took < 1.1 * port)
say(_"More chunks do not help. GPU 2 still sends 3 S, once up and twice down, and \z
      3 GiB take %d ms through its port out. The other %d ms of the %d are \z
      alpha for each chunk, additions, and the wait for the first one. A leaf \z
      sends 1 S: its port out has nothing to do most of the time."
    :format(port, took - port, took))

local two = run "double-tree-allreduce --gpus 8"
say(_"Now the idle leaves. Two trees at once, half of the data each: slots 0 and \z
      1 go up the tree that you know, to GPU 0; slots 2 and 3 its mirror image, \z
      to GPU 7. So even ranks are inner in the first tree and leaves in the \z
      second, and odd ranks the other way round.")
predict {
  _"GPU 2 is an inner node of the first tree, with two children, and a leaf of \z
    the second. How much does it send in all, in parts of S? (In one tree with \z
    all the data: 3.)",
  kind = "number",
  hints = {
    _"Each tree has half of the data.",
    _"In the first tree once up and twice down. In the second once up.",
  },
  wrong = {
    [3] = _"In the first tree it sends only half of the data three times.",
    [1.5] = _"That is the first tree. What does a leaf of the second send?",
    [4] = _"Four messages, but each of half the data only.",
    [1] = _"It sends more often than twice.",
  },
  answer = function() two:finish() return two:sent(2) / two.bytes end,
  why = _"Half of S up once and down twice, and the other half up once: 2 S. \z
          Nobody is a leaf twice, and nobody sends more.",
  again = function(round)
    local n, rank = ({ 8, 16, 12 })[round], ({ 7, 9, 0 })[round]
    local other = run(("double-tree-allreduce --gpus %d"):format(n))
    local root = rank == 0 or rank == n - 1
    return {
      root and
      _"A double tree on %d GPUs. GPU %d is the root of one tree, where it has \z
        one child, and a leaf of the other. How much does it send, in parts of S?"
      :format(n, rank) or
      _"A double tree on %d GPUs. GPU %d has two children in one tree, and is a \z
        leaf of the other. How much does it send, in parts of S?"
      :format(n, rank),
      kind = "number",
      hints = { _"Each tree has half of the data." },
      wrong = {
        [3] = _"Each tree has only half of the data.",
        [1.5] = _"What does it send as a root, and what as a leaf?",
        [0.5] = _"That is one of the two trees.",
      },
      answer = function() other:finish() return other:sent(rank) / other.bytes end,
      why = _"An inner node sends up once, and down to each child; a root only \z
              down; a leaf only up. Each time half of S.",
    }
  end,
}
for rank = 0, 7 do
  assert(leaf(two, rank, 0) ~= leaf(two, rank, 2))
  assert(leaf(two, rank, 0) == (rank % 2 == 1))
  assert(two:sent(rank) <= 2 * two.bytes)
end

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
  again = function(round)
    local n = ({ 9, 12, 5 })[round]
    local other = run("double-tree-allreduce --gpus " .. n)
    return {
      _"A double tree on %d GPUs. How many of them are a leaf in one tree and an \z
        inner node in the other?":format(n),
      kind = "number",
      hints = { _"An even number of GPUs shares the work evenly. And an odd one?" },
      wrong = {
        [n // 2] = _"Those are the leaves of one tree. And of the other?",
        [0] = _"Each tree has leaves: about half of the GPUs.",
        [n % 2 == 1 and n or n - 1] =
          _"With an odd number one GPU is inner twice; with an even one none is.",
      },
      answer = function()
        other:finish()
        local once = 0
        for rank = 0, n - 1 do
          if leaf(other, rank, 0) ~= leaf(other, rank, 2) then once = once + 1 end
        end
        return once
      end,
      why = _"All of them if N is even; all but GPU 0 if it is odd.",
    }
  end,
}

-- A ring and two trees on ethernet: what 8 bytes and 1 GiB take, and from which
-- size on the ring is faster (nil: at none).
local function rivals(n)
  local c = chart("ring-allreduce double-tree-allreduce --network ethernet \z
                   --gpus " .. n)
  local at = c.fastest[2]
  assert(c.fastest[1].name == "double-tree" and (not at or at.name == "ring"))
  local ring, trees = c.curves[1].points, c.curves[2].points
  return { ring = { ring[1][2], ring[#ring][2] },
           trees = { trees[1][2], trees[#trees][2] }, from = at and at.from }
end
local many = rivals(64)
local ring, trees = many.ring, many.trees
assert(math.floor(ring[1] / ALPHA + 0.5) == 126)
say(_"64 GPUs on ethernet. With 8 bytes the ring takes %.0f us, 126 alpha, and two \z
      trees %.0f us, %d alpha. From %.0f MiB on the ring is faster: 1 GiB takes \z
      %d ms, and %d with two trees."
    :format(ring[1], trees[1], math.floor(trees[1] / ALPHA + 0.5),
            many.from / 2 ^ 20, whole(ring[2]), whole(trees[2])))
port, took = through(2), whole(trees[2])
assert(port < took and whole(ring[2]) < took)
say(_"Why, if a ring's port sends %.2f S and a tree's 2 S, which is hardly more? 2 \z
      GiB take %d ms. For the other %d ms of the %d a tree's port waits, for the \z
      first chunk and for additions, or starts messages. In a ring all ports \z
      are busy from the first step on."
    :format(2 * 63 / 64, port, took - port, took))
many = rivals(1024)
assert(not many.from)
say(_"And on 1024 GPUs the two trees are faster at all sizes, even for 1 GiB: %d ms \z
      against %d. A ring has 2046 steps there, which cost %d ms in alpha alone. \z
      So rings suit large data on not too many GPUs, and trees suit many GPUs."
    :format(whole(many.trees[2]), whole(many.ring[2]), whole(2046 * ALPHA)))
assert(whole(many.ring[1]) == whole(2046 * ALPHA))

-- What two trees take on ethernet: said before the chart shows it.
local function how_long(ranks, mib)
  return {
    _"Your turn: %d MiB on %d GPUs by two trees, with the best number of chunks. A \z
      byte takes 0.08 ns on ethernet. How many milliseconds? Within 20 %% is right."
    :format(mib, ranks),
    kind = "number",
    unit = "ms",
    within = 0.2,
    hints = {
      _"For so much data the bytes decide. How many S go through a port?",
      _"%d MiB at 0.08 ns a byte take %.1f ms.":format(mib, mib * 2 ^ 20 * 0.08e-6),
    },
    answer = function()
      local c = chart("double-tree-allreduce --network ethernet --gpus " .. ranks)
      for _, point in ipairs(c.curves[1].points) do
        if point[1] == mib * 2 ^ 20 then
          return math.floor(point[2] / 100 + 0.5) / 10
        end
      end
    end,
    reason = function(given, ms)
      return given > ms and
        _"It is less: two trees send 2 S through a port, not 3, and hardly wait." or
        _"It is more: a port sends 2 S, and waits for the first chunk."
    end,
    why = _"2 S through a port, and some per cent for waiting and for alpha.",
  }
end
local turn = how_long(8, 256)
function turn.again(round)
  return how_long(({ 4, 16, 8 })[round], ({ 512, 256, 1024 })[round])
end
predict(turn)

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
  _"A tree takes 2 depth steps; two messages at one port cost two alpha.",
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
