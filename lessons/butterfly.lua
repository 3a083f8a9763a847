-- SPDX-License-Identifier: MIT
lesson {
  number = 13,
  day = 4,
  minutes = 5,
  title = _"The butterfly",
  idea = _"Pairs swap all they have: the fewest steps, but not the fewest bytes.",
}

say {
  _"A ring takes 2(N-1) steps. Each step has a price even if it carries \z
    almost nothing: a message must be started, and somebody waits for it. \z
    Where a tensor has only a few numbers, that price is all there is to \z
    pay.\n\n\z
    So turn the question round. Lesson 11 asked for the fewest bytes. Now we \z
    ask for the fewest steps, if a GPU may send one message and receive one \z
    in each step.",
  notes = _"Ask first: after one step, whose data can a sum contain at most? \z
            After two? The bound log2 N is found in a minute.",
}

local r = run "butterfly-allreduce --gpus 8"

say(_"One block a GPU: nothing is cut up. In step 1 neighbours pair up: 0 with \z
      1, 2 with 3, and so on. Both of a pair send all they have, and both add \z
      what comes in.")

r:step()
assert(r:holds(0, 0) == "A0+B0" and r:holds(1, 0) == "A0+B0")
say(_"GPU 0 and GPU 1 hold the same sum now. Both have done the same addition: \z
      that work is done twice, and so neither has to wait until the other \z
      sends the result back.")

predict {
  _"In step 2 the partner is 2 away: GPU 0 swaps with GPU 2. What will GPU 0 \z
    hold then?",
  kind = "label",
  at = { 0, 0 },
  hints = {
    _"Each sends all it holds, not only its own data.",
    _"GPU 2 holds C0+D0.",
  },
  wrong = {
    ["A0+C0"] = _"After step 1 neither of them has only its own data.",
    ["A0+B0+C0"] = _"GPU 2 did something in step 1, too.",
  },
  answer = function() r:step() return r:holds(0, 0) end,
  why = _"Sums of two become sums of four: each step doubles what a sum \z
          contains. The other name is recursive doubling.",
}

local function partner(rank, k)
  for _, t in ipairs(r:transfers(k)) do
    if t.src == rank then return t.dst end
  end
end
predict {
  _"The distance was 1, then 2, and is now 4. With whom does GPU 5 swap?",
  kind = "rank",
  hints = {
    _"GPU 5 holds E0+F0+G0+H0. Who has the rest?",
    _"5 is 101 in binary. Change the bit that is worth 4.",
  },
  wrong = {
    [4] = _"That was its partner in step 1.",
    [7] = _"That was its partner in step 2.",
    [6] = _"6 is 110 and differs from 101 in two bits.",
  },
  answer = function() r:step() return partner(5, 3) end,
  why = _"A partner differs in one bit. 5 is 101; its partners are 100, 111 \z
          and 001: GPU 4, GPU 7, GPU 1.",
}
assert(partner(5, 1) == 4 and partner(5, 2) == 7 and partner(5, 3) == 1)
for rank = 0, r.ranks - 1 do
  assert(r:holds(rank, 0) == "S0")
end

say { _"Done in %d steps: all %d GPUs have the whole sum, and no GPU was idle in \z
      any step. Draw the GPUs as lines and each swap as a cross between two of \z
      them: the crosses look like wings, hence the name. The fast Fourier \z
      transform has the same picture.":format(r.steps, r.ranks),
      follow = { 0, 0, 0 } }

predict {
  _"Twice as many GPUs: 16. How many steps does it take?",
  kind = "number",
  hints = { _"After one step a sum contains 2 inputs, then 4, then 8." },
  wrong = {
    [6] = _"Twice the GPUs are not twice the steps.",
    [30] = _"That is a ring.",
    [8] = _"In 8 steps a sum could contain 256 inputs.",
  },
  answer = function()
    local sixteen = run "butterfly-allreduce --gpus 16"
    sixteen:finish()
    return sixteen.steps
  end,
  why = _"One step more for twice the GPUs: log2 N steps. Fewer is impossible: a \z
          step can at most double what a sum contains.",
  again = function(round)
    local n = ({ 32, 4, 64 })[round]
    return {
      _"A butterfly on %d GPUs. How many steps does it take?":format(n),
      kind = "number",
      wrong = {
        [n - 1] = _"That is half of a ring.",
      },
      answer = function()
        local other = run("butterfly-allreduce --gpus " .. n)
        other:finish()
        return other.steps
      end,
      why = _"log2 N steps.",
    }
  end,
}

r:show()
r:go(0)
predict {
  _"Now the price. Back to the start with 8 GPUs, %d bytes each. How many bytes \z
    will GPU 0 send in all?":format(r.bytes),
  kind = "number",
  hints = {
    _"It sends its whole block, in every step.",
    _"There are 3 steps.",
  },
  wrong = {
    [r.bytes] = _"That is one step.",
    [(r.ranks - 1) * r.bytes] = _"It does not send to every other GPU. How \z
                                  many partners has it?",
    [r.bytes // r.ranks * 14] = _"That is a ring, where a message is an \z
                                  eighth of S.",
  },
  answer = function() r:finish() return r:sent(0) end,
  why = _"All of S in each of log2 N steps: S log2 N. A sum of two blocks is as \z
          large as one block.",
}

local costs = compare "ring-allreduce butterfly-allreduce --gpus 8 \z
                       --network ethernet"
local ring, fly = costs[1], costs[2]
local function cost(a, kib) return a.steps + a.sent / r.bytes * kib end
assert(fly.sent == 3 * r.bytes and ring.sent == 1.75 * r.bytes)

predict {
  _"Suppose starting a step takes as long as moving 1 KiB. For 1 KiB a GPU the \z
    ring then costs 14 + 1.75, the butterfly 3 + 3: it is faster. Which is \z
    faster for 100 KiB a GPU?",
  choices = { _"The butterfly", _"The ring", _"Both the same" },
  hints = { _"Add up: steps, plus the KiB that a GPU sends." },
  wrong = {
    [1] = _"For large data look at the bytes: 3 times 100 KiB leave each GPU.",
    [3] = _"Add up both: they would be the same at one size only.",
  },
  answer = function() -- on a network like that, and by the formula
    local on = compare("ring-allreduce butterfly-allreduce --gpus 8 \z
                        --type uint8 --count 102400 \z
                        --network alpha=1024ns,beta=1ns")
    assert(math.abs(on[1].time - 1.024 * cost(ring, 100)) < 1e-3)
    assert(math.abs(on[2].time - 1.024 * cost(fly, 100)) < 1e-3)
    if cost(fly, 100) == cost(ring, 100) then return 3 end
    return cost(fly, 100) < cost(ring, 100) and 1 or 2
  end,
  why = _"The butterfly costs %g, the ring %g. Small data pay for steps, large \z
          data for bytes.":format(cost(fly, 100), cost(ring, 100)),
}
assert(cost(ring, 1) == 14 + 1.75 and cost(fly, 1) == 3 + 3)

say(_"On this scale the two are equal at %g KiB. Where it is on your machine \z
      depends on what a step costs there: a measurement tells. Libraries have \z
      such thresholds built in."
    :format((ring.steps - fly.steps) / ((fly.sent - ring.sent) / r.bytes)))

r:show()
play {
  _"Try 4 and 16 GPUs with a, then 6. The butterfly needs a power of two: of \z
    6 GPUs two hand in their data first and get the sum back at the end. \z
    How many steps is that?",
  try = { "4", "16", "6" },
}

remember {
  _"Butterfly: swap all you have with the GPU 1, 2, 4, ... away.",
  _"log2 N steps of S bytes each: every GPU sends S log2 N.",
  _"It wins where messages are small: there steps cost more than bytes.",
}
used {
  nccl = "ncclAllReduce",
  pytorch = "torch.distributed.all_reduce",
  mpi = "MPI_Allreduce",
  text = _"MPICH and Open MPI use it for short messages. NCCL has no butterfly. \z
           Tensor-parallel inference makes many all-reduces this small.",
}
