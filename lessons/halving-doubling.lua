-- SPDX-License-Identifier: MIT
lesson {
  number = 14,
  day = 4,
  minutes = 6,
  title = _"Halving and doubling",
  idea = _"Few steps like the butterfly, few bytes like the ring.",
}

say {
  _"The ring sends few bytes in many steps. The butterfly takes few steps, \z
    and sends everything in each.\n\n\z
    Can one have both? The partners of the butterfly are good: 1, 2, 4 away. \z
    What is wasteful is that two GPUs add up the same numbers. So let two \z
    partners share the work: each adds up one half of the vector. This is \z
    Rabenseifner's algorithm of 2004.",
  notes = _"Recall reduce-scatter first: all-reduce = reduce-scatter, then \z
            all-gather. This lesson changes how, not what.",
}

local r = run "halving-doubling-allreduce --gpus 8 --count 8"
local chunk = r.bytes // r.ranks

local function chunks_sent(rank, k)
  local bytes = 0
  for _, t in ipairs(r:transfers(k)) do
    if t.src == rank then bytes = bytes + t.bytes end
  end
  return bytes // chunk
end
local function partner(rank, k)
  for _, t in ipairs(r:transfers(k)) do
    if t.src == rank then return t.dst end
  end
end

say(_"Eight GPUs, eight chunks each. GPU 0 and GPU 4 are partners first. GPU 0 \z
      will see to chunks 0 to 3 and gives away its 4 to 7; GPU 4 does the \z
      opposite. The other pairs do the same.")

r:step()
assert(partner(0, 1) == 4 and chunks_sent(0, 1) == 4)
assert(r:holds(0, 0) == "A0+E0" and r:holds(4, 4) == "A4+E4")
predict {
  _"GPU 0 has four sums now, A0+E0 to A3+E3, and leaves the other four to GPU \z
    4. In a butterfly both would have added all eight. In step 2 GPU 0's \z
    partner is GPU 2. How many chunks does GPU 0 send?",
  kind = "number",
  hints = {
    _"GPU 0 sees to four chunks now, and so does GPU 2: the same four.",
    _"Again they share the work: one half each.",
  },
  wrong = {
    [4] = _"So many in step 1, when it had eight. Now it sees to four.",
    [1] = _"That comes one step later.",
    [8] = _"It has left four of its eight to GPU 4.",
  },
  answer = function() r:step() return chunks_sent(0, 2) end,
  why = _"Half of the half. The message halves in every step: 4, 2, 1 chunks. \z
          This is recursive halving.",
}

r:step()
assert(partner(0, 3) == 1 and chunks_sent(0, 3) == 1)
for rank = 0, r.ranks - 1 do
  assert(r:holds(rank, rank) == "S" .. rank)
end
local half = r:sent(0)
say(_"A reduce-scatter, in 3 steps where a ring takes 7: rank r owns the sum of \z
      chunk r. Here the distances are 4, 2, 1. Rabenseifner's are 1, 2, 4: the \z
      distance doubles while the message halves. Then other ranks own the \z
      chunks; steps and bytes are the same.")
assert(r.ranks - 1 == 7)

predict {
  _"Now the sums are handed round: the same way back. To whom does GPU 0 send \z
    in the next step?",
  kind = "rank",
  hints = { _"Back means: the last partner comes first." },
  wrong = {
    [4] = _"That was the first partner. Going back begins with the last.",
    [2] = _"That was the partner before the last.",
  },
  answer = function() r:step() return partner(0, 4) end,
  why = _"Partners 1, 2, 4 away, messages of 1, 2, 4 chunks: an all-gather by \z
          recursive doubling.",
}

predict {
  _"GPU 0 has sent %d of its %d bytes in the first half. How many bytes in all, \z
    at the end?":format(half, r.bytes),
  kind = "number",
  hints = { _"The second half has messages of the same sizes, in reverse." },
  wrong = {
    [half] = _"That is the first half. The way back has messages, too.",
    [r.bytes] = _"That is S once. Add up the chunks: 4, 2, 1 and back.",
    [2 * r.bytes] = _"Close: add up the chunks, 4, 2, 1 and back.",
  },
  answer = function() r:finish() return r:sent(0) end,
  why = _"4+2+1 chunks, then 1+2+4: 2(N-1)/N S. A ring sends as much, and it \z
          is the least possible for the busiest GPU.",
  again = function(round)
    local n = ({ 4, 16, 8 })[round]
    local other = run(("halving-doubling-allreduce --gpus %d --count %d")
                      :format(n, 2 * n))
    return {
      _"Halving and doubling on %d GPUs, %d bytes in each. How many bytes does \z
        each send in all?":format(n, other.bytes),
      kind = "number",
      wrong = {
        [other.bytes] = _"There are two halves: halving and doubling.",
        [2 * other.bytes] = _"Close: add up the messages of both halves.",
        [other.bytes // n * (n - 1)] = _"That is the first half.",
      },
      answer = function() other:finish() return other:sent(0) end,
      why = _"2(N-1)/N S, as in a ring.",
    }
  end,
}
assert(r:sent(0) == 2 * half and r:sent(0) == 2 * 7 * chunk)

local c = compare "ring-allreduce butterfly-allreduce \z
                   halving-doubling-allreduce --gpus 8 --network ethernet"
assert(c[3].sent == c[1].sent and c[3].steps == 2 * c[2].steps)
assert(c[3].steps == r.steps)
say(_"%d steps, 2 log2 N, where a ring takes %d for the same bytes. The price: \z
      partners are far apart. A ring needs fast links to neighbours only; here \z
      GPU 0 and GPU 4 want one as well."
    :format(c[3].steps, c[1].steps))

r:show()
predict {
  _"Someone calls halving-doubling \"a tree algorithm\". What is wrong?",
  choices = {
    _"Nothing: it has log2 N levels, like a tree",
    _"Nobody is a root, and nobody is a leaf",
    _"Nothing but the steps: a tree takes more of them",
  },
  hints = { _"Go back through the steps. In which of them is a GPU idle?" },
  wrong = {
    [1] = _"Levels alone make no tree. Which GPU would be on top?",
    [3] = _"A tree goes up in log2 N steps and down in as many. Count again.",
  },
  answer = function()
    for k = 1, r.steps do
      local sends = {}
      for _, t in ipairs(r:transfers(k)) do sends[t.src] = true end
      for rank = 0, r.ranks - 1 do
        if not sends[rank] then return 1 end
      end
    end
    return 2
  end,
  why = _"In a tree sums meet at one root, and the leaves wait. Here all ranks \z
          do the same all the time.",
}

for k = 1, r.steps do
  for _, t in ipairs(r:transfers(k)) do
    local d = t.src ~ t.dst
    assert(d ~= 0 and d & (d - 1) == 0, "partners differ in one bit")
  end
end
local cube = run "hypercube-allgather --gpus 8"
say(_"The wiring behind it is a hypercube. Write the ranks in binary: partners \z
      always differ in one bit, and 8 GPUs are the corners of a cube, with a \z
      link along every edge. Here is something else on these links: \z
      hypercube_perf of nccl-tests.")

predict {
  _"Which collective is it that hypercube_perf measures?",
  choices = { _"An all-reduce", _"An all-gather", _"An all-to-all" },
  hints = { _"Are blocks added up on their way? Watch what comes to GPU 0." },
  wrong = {
    [1] = _"Then sums would show up, with a plus sign.",
    [3] = _"Then each GPU would end with other blocks than its neighbour.",
  },
  answer = function()
    cube:finish()
    local all = true
    for rank = 0, cube.ranks - 1 do
      for slot = 0, cube.ranks - 1 do
        local own = string.char(string.byte("A") + slot) .. "0"
        all = all and cube:holds(rank, slot) == own
      end
    end
    if all then return 2 end
    return cube:holds(0, 0):find("+", 1, true) and 1 or 3
  end,
  why = _"Nothing is added: everyone has everyone's block. It has been called \z
          an all-reduce; but wiring does not decide what is promised.",
}

local six
predict {
  _"6 is no power of two. Two GPUs hand in their data first, four do the rest, \z
    and the two get the result at the end. How many steps?",
  kind = "number",
  hints = { _"Four GPUs alone take 2 log2 4 = 4 steps." },
  wrong = {
    [4] = _"Those are the steps of the four. What do the other two need?",
    [5] = _"That is with handing in. How do the two get the result?",
    [10] = _"That is a ring of 6.",
  },
  answer = function()
    six = run "halving-doubling-allreduce --gpus 6"
    six:finish()
    return six.steps
  end,
  why = _"One to fold, 2 + 2, one to unfold: as many as with 8. The busiest GPU \z
          sends 2.5 S; in a ring it would be 1.67 S.",
}
local most = 0
for rank = 0, six.ranks - 1 do most = math.max(most, six:sent(rank)) end
assert(most == 2.5 * six.bytes and six.steps == r.steps)
assert(("%.2f"):format(2 * 5 / 6) == "1.67")

r:show()
play {
  _"Go back step by step with the left arrow and watch one GPU's slots. Then \z
    change the number of GPUs with a: 4, 16, 7.",
  try = { "4", "16", "7" },
}

remember {
  _"Halve the message each step, then double it again on the way back.",
  _"2 log2 N steps, 2(N-1)/N S a rank: few steps and few bytes.",
  _"The links are a hypercube's; N should be a power of two.",
}
used {
  nccl = "ncclAllReduce",
  pytorch = "torch.distributed.all_reduce",
  mpi = "MPI_Allreduce",
  text = _"MPICH uses it for long messages; Gloo has it, too. NCCL does not have \z
           it. See Thakur, Rabenseifner and Gropp, 2005.",
}
