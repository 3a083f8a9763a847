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

local function chunks_sent(rank, k, other)
  local bytes = 0
  for _, t in ipairs((other or r):transfers(k)) do
    if t.src == rank then bytes = bytes + t.bytes end
  end
  return bytes // chunk
end
local function partner(rank, k, other)
  for _, t in ipairs((other or r):transfers(k)) do
    if t.src == rank then return t.dst end
  end
end

say(_"Eight GPUs, eight chunks each. GPU 0 and GPU 1 are partners first. GPU 0 \z
      will see to chunks 0 to 3 and gives away its 4 to 7; GPU 1 does the \z
      opposite. The other pairs do the same.")

r:step()
assert(partner(0, 1) == 1 and chunks_sent(0, 1) == 4)
assert(r:holds(0, 0) == "A0+B0" and r:holds(1, 4) == "A4+B4")
predict {
  _"GPU 0 has four sums now, A0+B0 to A3+B3, and leaves the other four to GPU \z
    1. In a butterfly both would have added all eight. In step 2 GPU 0's \z
    partner is GPU 2. How many chunks does GPU 0 send?",
  kind = "number",
  hints = {
    _"GPU 0 sees to four chunks now, and so does GPU 2: the same four.",
    _"Again they share the work: one half each.",
  },
  wrong = {
    [4] = _"So many in step 1, when it had eight. Now it sees to four.",
    [1] = _"That comes one step later.",
    [8] = _"It has left four of its eight to GPU 1.",
  },
  answer = function() r:step() return chunks_sent(0, 2) end,
  why = _"Half of the half. The message halves in every step: 4, 2, 1 chunks. \z
          This is recursive halving.",
  again = function(round)
    local n, k = ({ 16, 32, 16 })[round], ({ 3, 2, 2 })[round]
    local other = run(("halving-doubling-allreduce --gpus %d --count %d")
                      :format(n, n))
    return {
      _"Halving and doubling on %d GPUs, with %d chunks each. How many chunks does \z
        GPU 0 send in step %d?":format(n, n, k),
      kind = "number",
      hints = { _"In step 1 it gives away one half, and keeps the other." },
      wrong = {
        [n] = _"It never sends all it has.",
        [n // 2] = _"So many in step 1, when it had all of them.",
        [1] = _"So few only in the last step of the first half.",
      },
      answer = function() other:step(k) return chunks_sent(0, k, other) end,
      why = _"The message halves in every step.",
    }
  end,
}

r:step()
assert(partner(0, 3) == 4 and chunks_sent(0, 3) == 1)
for rank, chunk in pairs { [0] = 0, 4, 2, 6, 1, 5, 3, 7 } do
  assert(r:holds(rank, chunk) == "S" .. chunk)
end
local half = r:sent(0)
say(_"A reduce-scatter, in 3 steps where a ring takes 7: every GPU owns the sum of \z
      one chunk, GPU 1 that of chunk 4. The distance doubles, 1, 2, 4, while the \z
      message halves: the nearest GPUs, often in one host, exchange the most. \z
      MPI's reduce-scatter begins with the farthest: GPU 1 ends with chunk 1.")
assert(r.ranks - 1 == 7)

predict {
  _"Now the sums are handed round: the same way back. To whom does GPU 0 send \z
    in the next step?",
  kind = "rank",
  hints = { _"Back means: the last partner comes first." },
  wrong = {
    [1] = _"That was the first partner. Going back begins with the last.",
    [2] = _"That was the partner before the last.",
  },
  answer = function() r:step() return partner(0, 4) end,
  why = _"Partners 4, 2, 1 away, messages of 1, 2, 4 chunks: an all-gather, in \z
          which what a GPU has doubles.",
  again = function(round)
    local rank, k = ({ 5, 3, 6 })[round], ({ 6, 4, 5 })[round]
    local other = run "halving-doubling-allreduce --gpus 8 --count 8"
    other:step(3)
    local a, b, c = partner(rank, 1, other), partner(rank, 2, other),
                    partner(rank, 3, other)
    local lines = {
      [a] = _"That was the first partner. In which order does it go back?",
      [b] = _"That was the partner in the middle.",
      [c] = _"That was the last partner. It comes first now.",
      [7 - rank] = _"A partner differs in one bit, as in the first half.",
    }
    lines[({ a, c, b })[round]] = nil
    return {
      _"Halving and doubling: GPU %d has swapped with %d, then %d, then %d. Three \z
        steps are left. With whom does it swap in the step %d of all 6?"
      :format(rank, a, b, c, k),
      kind = "rank",
      hints = { _"Back means: the last partner comes first." },
      wrong = lines,
      answer = function() other:finish() return partner(rank, k, other) end,
      why = _"The same partners, from the last to the first.",
    }
  end,
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
say(_"%d steps, 2 log2 N, where a ring takes %d for the same bytes. A ring needs \z
      fast links to neighbours only; here GPU 0 and GPU 4 are partners, too, \z
      but the farthest exchange the least: one chunk of 8."
    :format(c[3].steps, c[1].steps))
assert(chunks_sent(0, 3) == 1 and chunks_sent(0, 4) == 1)

r:show()
-- How many GPUs send nothing in step k.
local function idle(other, k)
  local sends, n = {}, 0
  for _, t in ipairs(other:transfers(k)) do sends[t.src] = true end
  for rank = 0, other.ranks - 1 do n = n + (sends[rank] and 0 or 1) end
  return n
end
predict {
  _"Someone calls halving-doubling \"a tree algorithm\". In a tree the leaves send \z
    up once and then wait. In how many of these %d steps is a GPU idle, which \z
    means that it sends nothing?":format(r.steps),
  kind = "number",
  hints = { _"Go back through the steps. In which of them is a GPU idle?" },
  wrong = {
    [3] = _"Back or forth, each GPU has a partner in every step.",
    [r.steps] = _"So it is in a tree. Who would be a leaf here?",
    [5] = _"In a tree the leaves would wait that long. Who would be a leaf here?",
    [1] = _"In which step would a GPU have no partner?",
  },
  answer = function()
    local steps = 0
    for k = 1, r.steps do steps = steps + (idle(r, k) > 0 and 1 or 0) end
    return steps
  end,
  why = _"In none: nobody is a root, nobody is a leaf, and all ranks do the same \z
          all the time. Levels alone make no tree.",
  again = function(round)
    local how = ({ "tree-allreduce --gpus 8 --chunks 1",
                   "halving-doubling-allreduce --gpus 16",
                   "tree-allreduce --gpus 16 --chunks 1" })[round]
    local other = run(how)
    local said = ({
      _"An all-reduce on a binary tree of 8 GPUs, in one piece.",
      _"An all-reduce by halving and doubling, on 16 GPUs.",
      _"An all-reduce on a binary tree of 16 GPUs, in one piece.",
    })[round]
    return {
      _"%s How many GPUs send nothing in step 1?":format(said),
      kind = "number",
      hints = { _"Who has something to send before anything has come?" },
      wrong = {
        [1] = _"The root waits. But it is not the only one.",
        [round == 2 and 8 or 0] = round == 2 and
          _"That would be so in a tree. Here each GPU has a partner." or
          _"Can an inner node send before its children have sent?",
        [other.ranks - 1] = _"More than one GPU sends in this step.",
      },
      answer = function() other:step() return idle(other, 1) end,
      why = _"In a tree only the leaves begin; in halving and doubling all do.",
    }
  end,
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
  _"It has been called an all-reduce. What will GPU 0 hold in slot 5 in the end?",
  kind = "label",
  at = { 0, 5 },
  hints = { _"Are blocks added up on their way? Watch what comes to GPU 0." },
  wrong = {
    S5 = _"Then blocks would have been added up. Watch for a plus sign.",
    A5 = _"GPU 0 has one block, A0.",
    A0 = _"That is its own block. It stays in slot 0.",
    S0 = _"Then blocks would have been added up. Watch for a plus sign.",
  },
  answer = function()
    cube:finish()
    for rank = 0, cube.ranks - 1 do
      for slot = 0, cube.ranks - 1 do
        local own = string.char(string.byte("A") + slot) .. "0"
        assert(cube:holds(rank, slot) == own, "it is an all-gather")
      end
    end
    return cube:holds(0, 5)
  end,
  why = _"Nothing is added: everyone has everyone's block. It is an all-gather; \z
          wiring does not decide what is promised.",
  again = function(round)
    local n, rank, slot = ({ 8, 16, 4 })[round], ({ 6, 9, 1 })[round],
                          ({ 3, 12, 2 })[round]
    local other = run("hypercube-allgather --gpus " .. n)
    return {
      _"hypercube_perf of nccl-tests, on %d GPUs. What will GPU %d hold in slot %d \z
        in the end?":format(n, rank, slot),
      kind = "label",
      at = { rank, slot },
      hints = { _"Are blocks added up on their way? GPU 0 begins with A0." },
      wrong = {
        ["S" .. slot] = _"That would be an all-reduce. Nothing is added here.",
        [string.char(65 + rank) .. "0"] = _"That is its own block, in its own slot.",
        [string.char(65 + rank) .. slot] = _"Each GPU begins with one block only.",
      },
      answer = function() other:finish() return other:holds(rank, slot) end,
      why = _"It is an all-gather: slot r has the block of GPU r.",
    }
  end,
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
  again = function(round)
    local n, inner = ({ 12, 5, 20 })[round], ({ 8, 4, 16 })[round]
    local log = math.floor(math.log(inner, 2) + 0.5)
    return {
      _"Halving and doubling on %d GPUs, no power of two: some hand in their data to \z
        %d others, which do the rest. How many steps?":format(n, inner),
      kind = "number",
      hints = { _"One step to hand in, one to give back. And between?" },
      wrong = {
        [2 * log] = _"Those are the steps of the %d alone.":format(inner),
        [2 * log + 1] = _"That is with handing in. How do they get the result?",
        [2 * (n - 1)] = _"That is a ring.",
      },
      answer = function()
        local other = run("halving-doubling-allreduce --gpus " .. n)
        other:finish()
        return other.steps
      end,
      why = _"One to fold, 2 log2 of the others, one to unfold.",
    }
  end,
}
local most = 0
for rank = 0, six.ranks - 1 do most = math.max(most, six:sent(rank)) end
assert(most == 2.5 * six.bytes and six.steps == r.steps)
assert(("%.2f"):format(2 * 5 / 6) == "1.67")

-- One transfer is lost; which, depends on the seed.
local function repair(seed)
  local broken = run { "halving-doubling-allreduce --gpus 4",
                       broken = { kind = "lost", seed = seed } }
  broken:go(broken.steps)
  assert(broken:settle().verdict == "wrong")
  return {
    _"Mend one. Of these 4 GPUs' transfers one was lost, and sums are wrong. Which? \z
      Type its step and the transfer, as in step 3, 2>0.",
    kind = "transfer",
    hints = {
      _"Look at the slots that are wrong: whose letters are missing?",
      _"In which step would these letters have come, and from which partner?",
    },
    answer = function(given)
      local place = broken:broken().place
      return given and broken:mends(given).right and given or place
    end,
    reason = function(given)
      local step, src, dst = given:match("step (%d+), (%d+)>(%d+)")
      return _"The prover has tried what GPU %d may send to GPU %d in step %d: the \z
               sums are still wrong.":format(src, dst, step)
    end,
    why = _"With that transfer back, every sum is complete.",
  }
end
local mend = repair(3)
function mend.again(round) return repair(10 + round) end
predict(mend)

r:show()
r:go(r.steps)
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
