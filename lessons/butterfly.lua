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
  again = function(round)
    local rank, steps = ({ 6, 3, 5 })[round], ({ 1, 2, 2 })[round]
    local other = run "butterfly-allreduce --gpus 8"
    local own = string.char(65 + rank) .. "0"
    return {
      _"A butterfly: partners are 1 away in step 1, 2 away in step 2. What does \z
        GPU %d hold after step %d?":format(rank, steps),
      kind = "label",
      at = { rank, 0 },
      hints = { _"Each sends all it holds, not only its own data." },
      wrong = {
        [own] = _"That is what it began with. It has added up since.",
        [own .. "+" .. string.char(65 + (rank ~ 2)) .. "0"] =
          _"That is not all that has come. Go step by step.",
        S0 = _"Three steps are needed until all 8 are in it.",
      },
      answer = function() other:step(steps) return other:holds(rank, 0) end,
      why = _"2 inputs after step 1, 4 after step 2.",
    }
  end,
}

local function partner(rank, k, other)
  for _, t in ipairs((other or r):transfers(k)) do
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
  again = function(round)
    local rank, k = ({ 6, 3, 9 })[round], ({ 2, 3, 4 })[round]
    local n, away = round == 3 and 16 or 8, 1 << k - 1
    local other = run("butterfly-allreduce --gpus " .. n)
    local lines = {
      [(rank + away) % n] = _"Is its partner on that side? Look at the bit.",
      [(rank - away) % n] = _"Is its partner on that side? Look at the bit.",
      [n - 1 - rank] = _"All its bits differ. Only one of them may.",
    }
    lines[rank ~ away] = nil
    return {
      _"A butterfly on %d GPUs. In step %d partners are %d apart. With whom does \z
        GPU %d swap?":format(n, k, away, rank),
      kind = "rank",
      hints = { _"Write the rank in binary. Partners differ in one bit." },
      wrong = lines,
      answer = function() other:step(k) return partner(rank, k, other) end,
      why = _"A partner differs in the bit that is worth the distance.",
    }
  end,
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
  why = _"One step more for twice the GPUs: log2 N steps. With one message in a \z
          step fewer is impossible: it can at most double what a sum contains.",
  again = function(round)
    local n = ({ 32, 4, 64 })[round]
    return {
      _"A butterfly on %d GPUs. How many steps does it take?":format(n),
      kind = "number",
      hints = { _"After one step a sum contains 2 inputs, then 4, then 8." },
      wrong = {
        [n - 1] = _"That is half of a ring.",
        [2 * (n - 1)] = _"That is a ring.",
        [n] = _"Twice the GPUs are not twice the steps.",
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
  again = function(round)
    local n, count = ({ 16, 4, 32 })[round], ({ 10, 25, 2 })[round]
    local other = run(("butterfly-allreduce --gpus %d --count %d")
                      :format(n, count))
    return {
      _"A butterfly on %d GPUs, %d bytes each. How many bytes does each GPU send \z
        in all?":format(n, other.bytes),
      kind = "number",
      hints = { _"It sends its whole block, in every step." },
      wrong = {
        [other.bytes] = _"That is one step.",
        [(n - 1) * other.bytes] = _"It does not send to every other GPU. How \z
                                    many partners has it?",
        [2 * other.bytes * (n - 1) / n] = _"That is a ring.",
      },
      answer = function() other:finish() return other:sent(0) end,
      why = _"S log2 N.",
    }
  end,
}

local costs = compare "ring-allreduce butterfly-allreduce --gpus 8 \z
                       --network ethernet"
local ring, fly = costs[1], costs[2]
local function cost(a, kib) return a.steps + a.sent / r.bytes * kib end
assert(fly.sent == 3 * r.bytes and ring.sent == 1.75 * r.bytes)

-- What the network says of n GPUs with so many KiB each, on which a step costs as
-- much as 1 KiB; both are counted in that.
local function on_network(n, kib)
  local on = compare(("ring-allreduce butterfly-allreduce --gpus %d \z
                       --type uint8 --count %d --network alpha=1024ns,beta=1ns")
                     :format(n, kib * 1024))
  return math.floor(on[1].time / 1.024 + 0.5), math.floor(on[2].time / 1.024 + 0.5)
end
local of_ring
predict {
  _"Suppose starting a step takes as long as moving 1 KiB. For 1 KiB a GPU the \z
    ring then costs 14 + 1.75, the butterfly 3 + 3: it is faster. What does \z
    the butterfly cost for 100 KiB a GPU?",
  kind = "number",
  hints = { _"Add up: steps, plus the KiB that a GPU sends." },
  wrong = {
    [103] = _"In each of the 3 steps 100 KiB leave the GPU.",
    [300] = _"Those are the bytes. And the steps?",
    [600] = _"Only the bytes grow a hundredfold, the steps do not.",
    [189] = _"That is the ring, with 1.75 times 100 KiB.",
  },
  answer = function()
    local of_butterfly
    of_ring, of_butterfly = on_network(8, 100)
    assert(of_ring == cost(ring, 100) and of_butterfly == cost(fly, 100))
    return of_butterfly
  end,
  why = _"3 steps and 3 x 100 KiB. The ring costs 14 + 175 = 189: for large data \z
          it is faster. Small data pay for steps, large data for bytes.",
  again = function(round)
    local n, kib = ({ 4, 16, 8 })[round], ({ 10, 50, 20 })[round]
    local log = math.floor(math.log(n, 2) + 0.5)
    return {
      _"Starting a step takes as long as moving 1 KiB. What does a butterfly on %d \z
        GPUs cost for %d KiB a GPU, counted in that?":format(n, kib),
      kind = "number",
      hints = { _"Add up: steps, plus the KiB that a GPU sends." },
      wrong = {
        [log + kib] = _"All of it leaves the GPU in every step.",
        [log * kib] = _"Those are the bytes. And the steps?",
        [2 * (n - 1) + 2 * (n - 1) * kib / n] = _"That is a ring.",
      },
      answer = function() return select(2, on_network(n, kib)) end,
      why = _"log2 N steps, and S log2 N bytes.",
    }
  end,
}
assert(of_ring == 189)
assert(cost(ring, 1) == 14 + 1.75 and cost(fly, 1) == 3 + 3)

say(_"On this scale the two are equal at %g KiB. Where it is on your machine \z
      depends on what a step costs there: a measurement tells. Libraries have \z
      such thresholds built in."
    :format((ring.steps - fly.steps) / ((fly.sent - ring.sent) / r.bytes)))

-- To wire: in step k GPU r swaps all it has with GPU r xor 2^(k-1); or, in a ring
-- of 4, with a neighbour, and then with the other one.
local function wire(text, n, links)
  local steps, distance = {}, 1
  while distance < n do
    local list = {}
    for rank = 0, n - 1 do
      local other = rank ~ distance
      if links == "ring" and distance == 2 then other = 3 - rank end
      list[#list + 1] = ("%d>%d +0"):format(rank, other)
    end
    steps[#steps + 1] = table.concat(list, ", ")
    distance = 2 * distance
  end
  return {
    text:format(n, #steps),
    kind = "wiring", of = "all-reduce", ranks = n, links = links,
    par = { steps = #steps },
    hints = { _"Two GPUs can send to each other in the same step: then both have the \z
                sum of the two.",
              _"In the next step choose a partner whose sum has nothing of yours." },
    answer = function() return steps end,
    why = _"A sum has twice as many terms after each step, and each of them once.",
  }
end
local made = wire(_"Make one yourself: wire an all-reduce of %d GPUs, with one slot \z
                    each, in %d steps. In a step a GPU sends to one other at most.",
                  4, "any")
function made.again(round)
  if round == 1 then
    return wire(_"%d GPUs stand in a ring and can send both ways. Each has one slot. \z
                  Wire an all-reduce in %d steps.", 4, "ring")
  elseif round == 2 then
    return wire(_"%d GPUs with one slot each: wire an all-reduce in %d steps. In a \z
                  step a GPU sends to one other at most.", 8, "any")
  end
  return wire(_"%d GPUs are the corners of a cube and can send along its edges. Each \z
                has one slot. Wire an all-reduce in %d steps.", 8, "cube")
end
predict(made)

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
