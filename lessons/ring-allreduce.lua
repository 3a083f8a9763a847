-- SPDX-License-Identifier: MIT
lesson {
  number = 10,
  day = 3,
  minutes = 9,
  lecture = 8,
  title = _"Ring all-reduce",
  idea = _"Chunks go round a ring twice: once to be summed, once to be handed \z
           out.",
}

lecture()
say {
  _"Three GPUs have trained on different data. Each holds six gradients, and \z
    each needs the sum of all three.\n\n\z
    They stand in a ring: GPU 0 sends to GPU 1, GPU 1 to GPU 2, GPU 2 to \z
    GPU 0, and nobody sends to anybody else. Each cuts its six numbers into \z
    three chunks.\n\n\z
    You will watch the real thing: three ranks that run, send and add.",
  notes = _"Ask the class first: what would you do? Most say: send all to one, \z
            add, send back. Keep that answer for lesson 11.",
}

local r = run "ring-allreduce --gpus 3 --count 6"
local chunk = r.bytes // r.ranks

lecture()
say(_"A box is a GPU, a block is a chunk. The letter says whose data it is, \z
      the number which chunk: B2 is chunk 2 of GPU 1. All the 0s belong \z
      together, and so do the 1s and the 2s: they are to be added.")

lecture()
r:step()
say(_"That was step 1. Every GPU sent one chunk to the next and received one \z
      from the one before, all at the same time. What came was added to what \z
      was there: GPU 1 has A2+B2 now.")

lecture()
predict {
  _"In the next step every GPU passes on the sum it has just made. What will \z
    GPU 1 hold in slot 1?",
  choices = { "B1", "A1+B1", "A1+B1+C1" },
  at = { 1, 1 },
  hints = {
    _"GPU 1 receives from GPU 0. What has GPU 0 got in slot 1?",
    _"GPU 0 holds A1+C1 there, and GPU 1 adds its own B1.",
  },
  wrong = {
    B1 = _"Something arrives in this slot, and is added to B1.",
    ["A1+B1"] = _"What comes from GPU 0 is more than A1: look at its slot 1.",
  },
  notes = _"Give them half a minute with pencil and paper (t). Slot 1 is lit \z
            in the picture.",
  answer = function() r:step() return r:holds(1, 1) end,
  why = _"GPU 0 sent A1+C1, and GPU 1 added its own B1. A sum grows by one GPU \z
          with every step, so it is complete after N-1 steps.",
  again = function(round)
    local n, k, rank = ({ 4, 5, 6 })[round], ({ 2, 3, 2 })[round],
                       ({ 3, 0, 4 })[round]
    local slot, before = (rank - 1 - k) % n, (rank - 1) % n
    local other = run("ring-allreduce --gpus " .. n)
    other:go(k - 1)
    local comes, own = other:holds(before, slot), other:holds(rank, slot)
    return {
      _"A ring all-reduce on %d GPUs, after step %d. GPU %d holds %s in slot %d \z
        and passes it on. What will GPU %d hold there after step %d?"
      :format(n, k - 1, before, comes, slot, rank, k),
      kind = "label",
      at = { rank, slot },
      wrong = {
        [own] = _"Something arrives in this slot, and is added.",
        [comes] = _"That is what arrives. The receiver adds it to what it has.",
      },
      answer = function() other:step() return other:holds(rank, slot) end,
      why = _"What came, and its own. A sum grows by one GPU with every step, so \z
              it is complete after N-1 steps.",
    }
  end,
}

for rank = 0, r.ranks - 1 do
  assert(#r:holds(rank, rank) == #"A0+B0+C0", "rank r owns chunk r half way")
end

local four = run "ring-allreduce --gpus 4"
lecture()
predict {
  _"Now 4 GPUs, so 3 steps to half way. Which GPU will have the complete sum \z
    of chunk 2 then?",
  kind = "rank",
  wrong = {
    [3] = _"GPU 3 sends chunk 2 in step 1. Follow it from there.",
    [0] = _"It comes to GPU 0 in step 1. How far does it get in two more?",
  },
  hints = { _"Who sends chunk 2 in step 1? From there it is three steps." },
  answer = function()
    four:step(3)
    for rank = 0, four.ranks - 1 do
      if four:holds(rank, 2) == "A2+B2+C2+D2" then return rank end
    end
  end,
  why = _"It started at GPU 3 and went by way of GPU 0 and GPU 1: the last to \z
          add is the owner.",
  again = function(round)
    local n, chunk = ({ 5, 4, 6 })[round], ({ 3, 1, 4 })[round]
    local other = run("ring-allreduce --gpus " .. n)
    return {
      _"A ring all-reduce on %d GPUs, half way. Which GPU has the complete sum \z
        of chunk %d?":format(n, chunk),
      kind = "rank",
      wrong = {
        [chunk + 1] = _"There this chunk started its way: it was sent first.",
        [chunk - 1] = _"It has come there, but one GPU is still missing.",
      },
      answer = function()
        other:step(n - 1)
        for rank = 0, n - 1 do
          local _, added = other:order(rank, chunk):gsub("%a", "")
          if added == n then return rank end
        end
      end,
      why = _"Rank r owns chunk r half way.",
    }
  end,
}
local ahead = run "ring-allreduce --gpus 5"
lecture "spare"
predict {
  _"5 GPUs, before the first step. GPU 1 will own the complete sum of chunk 1 \z
    half way, after 4 steps. And what will be in its slot 0 then?",
  kind = "label",
  at = { 1, 0 },
  hints = { _"GPU 0 sends chunk 4 first. Which chunks come to GPU 1 in 4 steps?" },
  wrong = {
    [""] = _"To send is to copy, and every slot held something at the start.",
    ["A0+B0+C0+D0+E0"] = _"GPU 0 will have that one. What comes to GPU 1?",
    ["A0+B0"] = _"What comes in goes to slots 4, 3, 2 and 1.",
  },
  notes = _"Many say that it is empty. It is overwritten in the second half.",
  answer = function()
    ahead:step(4)
    local _, added = ahead:order(1, 1):gsub("%a", "")
    assert(added == ahead.ranks, "GPU 1 owns chunk 1 half way")
    return ahead:holds(1, 0)
  end,
  why = _"Nothing came there yet, so it is what it was. Here no slot is ever \z
          empty: it keeps its old data until new data arrives.",
  again = function(round)
    local n, rank, slot = ({ 4, 5, 6 })[round], ({ 2, 4, 3 })[round],
                          ({ 1, 1, 2 })[round]
    local other = run("ring-allreduce --gpus " .. n)
    local lines = {
      [""] = _"To send is to copy, and every slot held something at the start.",
      ["S" .. slot] = _"GPU %d will have that one. What has come to GPU %d?"
                      :format(slot, rank),
    }
    if round == 2 then
      lines[other:holds(rank, slot)] = _"That is what it had. A partial sum came \z
                                         and was added."
    end
    return {
      _"A ring all-reduce on %d GPUs, before the first step: GPU 0 sends chunk %d \z
        first. What will be in slot %d of GPU %d half way, after %d steps?"
      :format(n, n - 1, slot, rank, n - 1),
      kind = "label",
      at = { rank, slot },
      wrong = lines,
      answer = function() other:step(n - 1) return other:holds(rank, slot) end,
      why = _"Only its own chunk is complete there. The others are old: the data \z
              that it had, or a sum that it has passed on.",
    }
  end,
}
r:show()

local half = 2
lecture()
say(_"Back to 3 GPUs. This was the first half, a reduce-scatter: GPU 0 owns the \z
      sum of chunk 0, GPU 1 that of chunk 1, GPU 2 that of chunk 2. Baidu's \z
      text and many after it call it scatter-reduce, and shift the numbers by \z
      one: there a GPU sends its own chunk first. It is the same ring.")

lecture()
predict {
  _"Now the finished sums are handed round in the same direction. How many \z
    more steps until everyone has all three?",
  kind = "number",
  hints = { _"After one step a GPU has two of three." },
  wrong = {
    [1] = _"After one step a GPU has got one more. How many does it lack?",
    [3] = _"One of the three is there already.",
    [4] = _"That is both halves together.",
  },
  answer = function()
    r:finish()
    return r.steps - half
  end,
  why = _"N-1 again: this second half is an all-gather. Together 2(N-1).",
  again = function(round)
    local n = ({ 5, 4, 8 })[round]
    local other = run("ring-allreduce --gpus " .. n)
    other:go(n - 1)
    return {
      _"A ring all-reduce on %d GPUs, half way, after %d steps: each GPU has one \z
        finished sum. How many more steps until everyone has all %d?"
      :format(n, n - 1, n),
      kind = "number",
      wrong = {
        [1] = _"After one step a GPU has got one more. How many does it lack?",
        [n] = _"One of the %d is there already.":format(n),
        [2 * (n - 1)] = _"That is both halves together.",
      },
      answer = function() other:finish() return other.steps - (n - 1) end,
      why = _"N-1 again: this second half is an all-gather. Together 2(N-1).",
    }
  end,
}

lecture()
say(_"All-reduce: everyone has S0, S1, S2. S0 is the complete sum of chunk \z
      0, A0+B0+C0. Each GPU \z
      sent %d bytes, %d chunks of %d, in %d steps; its own data is %d bytes."
    :format(r:sent(0), r:sent(0) // chunk, chunk, r.steps, r.bytes))

local five = run "ring-allreduce --gpus 5"
lecture "spare"
predict {
  _"Someone wrote: \"the ring repeats N times\". Here are 5 GPUs. How many \z
    steps is it really?",
  kind = "number",
  hints = { _"Each half takes one step less than there are GPUs." },
  wrong = {
    [5] = _"N steps: 3 GPUs would have taken 3. They took 4.",
    [10] = _"2N steps: 3 GPUs would have taken 6. They took 4.",
    [4] = _"That is one half.",
  },
  answer = function() five:finish() return five.steps end,
  why = _"2(N-1): N-1 steps to sum, N-1 to hand out. Neither N nor 2N: a chunk \z
          need not travel to where it already is.",
  again = function(round)
    local n = ({ 6, 4, 9 })[round]
    local other = run("ring-allreduce --gpus " .. n)
    return {
      _"A ring all-reduce on %d GPUs. How many steps?":format(n),
      kind = "number",
      wrong = {
        [n] = _"Both halves together take more.",
        [2 * n] = _"Each half takes one step less than that.",
        [n - 1] = _"That is one half.",
      },
      answer = function() other:finish() return other.steps end,
      why = _"2(N-1): N-1 steps to sum, N-1 to hand out.",
    }
  end,
}

-- How many steps one reduce-scatter takes.
local function one_half(n)
  local all = run("ring-allreduce --gpus " .. n)
  local half = run("ring-reduce-scatter --gpus " .. n)
  assert(all.steps == 2 * half.steps)
  return {
    _"Somebody wrote of the ring all-reduce: \"it is N-1 reduce-scatters and N-1 \z
      all-gathers\". How many steps does one reduce-scatter alone take, on %d \z
      GPUs?":format(n),
    kind = "number",
    hints = { _"Each GPU needs its chunk of all the others." },
    wrong = {
      [1] = _"In one step a chunk gets one GPU further. How many must add to it?",
      [n] = _"A GPU has its own part of the sum already.",
      [2 * (n - 1)] = _"That is the whole all-reduce.",
    },
    answer = function() half:finish() return half.steps end,
    why = _"N-1 steps make one reduce-scatter. So an all-reduce, 2(N-1) steps, is \z
            one reduce-scatter and one all-gather: N-1 counts steps, not \z
            collectives.",
  }
end
local question = one_half(6)
question.again = function(round) return one_half(({ 4, 8, 5 })[round]) end
predict(question)

-- To wire: the whole ring on 3 GPUs, or one half of it on 4.
local function ring_steps(n, first, sign, from)
  for k = 0, n - 2 do
    local step = {}
    for rank = 0, n - 1 do
      step[rank + 1] = ("%d>%d %s%d"):format(rank, (rank + 1) % n, sign,
                                             (rank - k - from) % n)
    end
    first[#first + 1] = table.concat(step, ", ")
  end
  return first
end
local function wire(of, n, text, steps)
  return {
    text:format(n, #steps),
    kind = "wiring", of = of, ranks = n, links = "one-way ring",
    chunks = of == "all-reduce" and n or nil,
    par = { steps = #steps, chunks = #steps },
    hints = { _"In the first half + adds; in the second half = replaces.",
              _"Step 1: GPU 0 sends the last chunk, GPU 1 chunk 0, and so on. \z
                After that each passes on what it has just got." },
    answer = function() return steps end,
  }
end
local both = ring_steps(3, ring_steps(3, {}, "+", 1), "=", 0)
question = wire("all-reduce", 3, _"Make one yourself: wire the ring all-reduce of %d \z
                                   GPUs, in %d steps. A GPU can send to the next \z
                                   one only.", both)
question.again = function(round)
  if round == 1 then
    return wire("reduce-scatter", 4,
                _"Wire the first half of a ring all-reduce on %d GPUs, in %d \z
                  steps: afterwards GPU r owns the complete sum of chunk r.",
                ring_steps(4, {}, "+", 1))
  elseif round == 2 then
    return wire("all-gather", 4,
                _"Wire the second half of a ring all-reduce on %d GPUs, in %d \z
                  steps: GPU r owns chunk r, and all are to have all chunks.",
                ring_steps(4, {}, "=", 0))
  end
  return wire("all-reduce", 3, _"Wire the ring all-reduce of %d GPUs, in %d steps. \z
                                 A GPU can send to the next one only.", both)
end
predict(question)

r:show()
play {
  _"Press Enter here, then step with the arrows, look into a slot with \z
    i, change the number of GPUs with a. And --delay 1=500: who waits?",
  try = { "5", "--delay 1=500" },
}

lecture()
remember {
  _"Ring all-reduce = reduce-scatter, then all-gather, on the same ring.",
  _"2(N-1) steps, and in each every GPU sends one chunk of S/N.",
  _"Half way rank r owns the whole sum of chunk r; the rest is stale.",
}
lecture()
used {
  nccl = "ncclAllReduce (NCCL_ALGO=Ring)",
  pytorch = "torch.distributed.all_reduce",
  mpi = "MPI_Allreduce",
  text = _"In data-parallel training this adds up the gradients of every step.",
}
