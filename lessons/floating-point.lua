-- SPDX-License-Identifier: MIT
lesson {
  number = 18,
  day = 6,
  minutes = 5,
  title = _"Who adds first",
  idea = _"In floating point the brackets decide about a sum, and the algorithm \z
           sets the brackets.",
}

say {
  _"A float32 keeps 24 significant bits, about seven digits. Near 100000000 \z
    the next number that it can hold is 8 away: 100000000 + 1 gives 100000000 \z
    again. The 1 is lost.\n\n\z
    So it matters who adds first: (100000000 + 1) - 100000000 is 0, but \z
    (100000000 - 100000000) + 1 is 1.\n\n\z
    In an all-reduce nobody writes brackets. Where do they come from?",
  notes = _"Real gradients do not lose everything, as these do, but their last \z
            bits. The cause is the same.",
}
local function float32(x) return (string.unpack("f", string.pack("f", x))) end
assert(float32(1e8 + 1) == 1e8 and float32(1e8 + 8) == 1e8 + 8)
assert(float32(1e8 + 5) == 1e8 + 8 and float32(1e8 + 3) == 1e8)

local r = run("ring-allreduce --input " .. table.concat({
  ("100000000,"):rep(5) .. "100000000",
  "1,1,1,1,1,1",
  ("-100000000,"):rep(5) .. "-100000000",
}, "/"))
say(_"A ring. All six elements of GPU 0 are %d, those of GPU 1 are %d, those \z
      of GPU 2 are %d. The true sum is 1, for each of the six."
    :format(r:values(0, 0)[1], r:values(1, 0)[1], r:values(2, 0)[1]))

r:step()
predict {
  _"GPU 1 has added up: its slot 2 is A2+B2. By how much is the number in there \z
    larger than 100000000?",
  kind = "number",
  at = { 1, 2 },
  hints = { _"Can a float32 hold 100000001?" },
  wrong = {
    [1] = _"The next float32 above 100000000 is 8 away.",
    [8] = _"The nearer one is taken: 100000000 or 100000008?",
  },
  answer = function() return r:values(1, 2)[1] - 100000000 end,
  why = _"The sum is rounded to the nearest float32. The label says that B2 \z
          is in it, and so it is; but its value left no trace.",
  again = function(round)
    local small = ({ 3, 7, 13 })[round]
    local other = run(("ring-allreduce --input 100000000,100000000/%d,%d")
                      :format(small, small))
    return {
      _"Two GPUs add up in float32: 100000000 + %d. Near 100000000 it can hold every \z
        eighth number. By how much is the sum larger than 100000000?"
      :format(small),
      kind = "number",
      hints = { _"It is rounded to the nearest number that it can hold." },
      wrong = {
        [small] = _"A float32 cannot hold that number.",
        [({ 8, 0, 8 })[round]] = _"The other neighbour is nearer.",
      },
      answer = function()
        other:finish()
        return other:values(0, 0)[1] - 100000000
      end,
      why = _"The nearest multiple of 8.",
    }
  end,
}

-- Four GPUs with four elements each, all of them alike.
local function four(algorithm, list)
  local rows = {}
  for x in list:gmatch "[^/]+" do
    rows[#rows + 1] = table.concat({ x, x, x, x }, ",")
  end
  return run(algorithm .. " --input " .. table.concat(rows, "/"))
end
local function right(other, sum)
  local n = 0
  for slot = 0, other.ranks - 1 do
    for _, x in ipairs(other:values(0, slot)) do n = n + (x == sum and 1 or 0) end
  end
  return n
end
predict {
  _"The ring goes on. How many of the six sums that GPU 0 has in the end will be \z
    right, which means 1?",
  kind = "number",
  hints = {
    _"Each chunk begins at another GPU. Where does the 1 come last?",
    _"GPU 0 has A1+C1 already. What is 100000000 - 100000000?",
  },
  wrong = {
    [6] = _"Does the 1 come last in every chunk? Each begins at another GPU.",
    [0] = _"Is the 1 always added before the two large numbers have met?",
    [1] = _"A chunk has two elements here, and both are treated alike.",
    [4] = _"In how many of the three chunks have A and C met before B comes?",
    [3] = _"A chunk has two elements here, and both are treated alike.",
  },
  answer = function() r:finish() return right(r, 1) end,
  why = _"0 0 1 1 0 0. Same numbers, same GPUs, and yet chunk 1 is right and its \z
          neighbours are not.",
  again = function(round)
    local algorithm = ({ "halving-doubling", "ring", "ring" })[round]
    local list = ({ "1e8/-1e8/1/1", "1e8/-1e8/1/1", "1e8/1/-1e8/1" })[round]
    local other = four(algorithm .. "-allreduce", list)
    return {
      round == 1 and
      _"Halving and doubling on four GPUs that hold %s, four times each, in \z
        float32. In how many of the four chunks will the sum be 2, which is right?"
      :format((list:gsub("/", ", "))) or
      _"A ring of four GPUs that hold %s, four times each, in float32. In how many \z
        of the four chunks will the sum be 2, which is right?"
      :format((list:gsub("/", ", "))),
      kind = "number",
      hints = { round == 1 and
                _"GPU 0 adds with GPU 1 first, and GPU 2 with GPU 3." or
                _"Chunk c goes from GPU c+1 round to GPU c. Where do the two large \z
                  numbers meet?" },
      answer = function() other:finish() return right(other, 2) end,
      why = _"A 1 survives unless it is added to a number as large as 1e8.",
    }
  end,
}
assert(table.concat(r:values(0), " ") == "0 0 1 1" or
       table.concat(r:values(0), " ") == "0 0 1 1 0 0")

-- The bound of run/verify.h: N * eps * sum of the absolute values.
local bound = r.ranks * 2 ^ -23 * (1e8 + 1 + 1e8)
assert(bound > 1)
say(_"A 0 where the sum is 1, and yet the run is called correct: collviz allows \z
      for the rounding that some order of addition may cause. For these numbers \z
      that is up to N eps (|A| + |B| + |C|) = %.0f, as eps is 2^-23."
    :format(bound))

r:go(2)
say(_"Back in the middle, where the sums are made: slot r of GPU r. Which data \z
      is in them, and in which order it was added:\n\z
      %s = %s    %s = %s    %s = %s\n\z
      The sets are alike, the brackets are not: only in chunk 1 did A and C \z
      cancel before B came."
    :format(r:holds(0, 0), r:order(0, 0), r:holds(1, 1), r:order(1, 1),
            r:holds(2, 2), r:order(2, 2)))
assert(r:order(1, 1) == "B1+(A1+C1)")

-- How many chunks are added to what is there, in steps from to to.
local function additions(other, from, to)
  local n = 0
  for k = from, to do
    other:go(k)
    for _, t in ipairs(other:transfers(k)) do
      if other:holds(t.dst, t.dst_slot) ~= t.label then n = n + 1 end
    end
  end
  return n
end
predict {
  _"Will all three GPUs have the same sums, bit for bit? That depends on who adds \z
    in the second half, steps 3 and 4. How many chunks are added there?",
  kind = "number",
  hints = { _"Slot r of GPU r is complete now. What do the others need?" },
  wrong = {
    [6] = _"So many are sent. Are they added to something?",
    [3] = _"So many are sent in a step. Are they added to something?",
    [2] = _"Each GPU gets two chunks. Does it add them to something?",
  },
  answer = function() return additions(r, 3, 4) end,
  why = _"None: each sum is completed once, by its owner, and then only copied. So \z
          all have the same. That keeps the replicas of a model equal.",
  again = function(round)
    local other = run(({ "ring-allreduce --gpus 4",
                         "ring-allreduce --gpus 4",
                         "ring-allreduce --gpus 5" })[round])
    local half = other.steps // 2
    local said = ({ _"A ring of 4 GPUs, steps 1 to 3.",
                    _"A ring of 4 GPUs, steps 4 to 6.",
                    _"A ring of 5 GPUs, steps 5 to 8." })[round]
    local n = other.ranks
    return {
      _"%s How many chunks are added in these steps, on all GPUs together?"
      :format(said),
      kind = "number",
      hints = { _"One half adds, the other half copies." },
      wrong = {
        [round == 1 and n - 1 or n * (n - 1)] = round == 1 and
          _"So many does each GPU add." or
          _"So many are sent. Are they added to something?",
        [n] = _"Count all steps, and ask what happens to a chunk that comes.",
      },
      answer = function()
        if round == 1 then return additions(other, 1, half) end
        return additions(other, half + 1, other.steps)
      end,
      why = _"The reduce-scatter adds, the all-gather copies.",
    }
  end,
}
r:finish()
for rank = 1, r.ranks - 1 do
  assert(table.concat(r:values(rank), " ") == table.concat(r:values(0), " "))
end

local fly = run "butterfly-allreduce --input 1e8/1/-1e8/1"
predict {
  _"Another algorithm: a butterfly, with four GPUs that hold 1e8, 1, -1e8, 1. \z
    The true sum is 2. What will it get?",
  kind = "number",
  hints = {
    _"First GPU 0 and 1 exchange, and 2 and 3. Then the two halves.",
    _"1e8 + 1 is 1e8. And -1e8 + 1?",
  },
  wrong = {
    [1] = _"Which of the two 1s would come through step 1?",
    [2] = _"That is the true sum. What is 1e8 + 1 in float32?",
  },
  answer = function()
    fly:finish()
    return fly:values(0, 0)[1]
  end,
  why = _"Both 1s were lost in the first step, each beside its large number.",
  again = function(round)
    local input = ({ "1/1e8/1/-1e8", "1e8/-1e8/1/1", "1/1/1e8/-1e8" })[round]
    local other = run("butterfly-allreduce --input " .. input)
    return {
      _"A butterfly of four GPUs that hold %s, in float32. What will it get? The \z
        true sum is 2.":format((input:gsub("/", ", "))),
      kind = "number",
      hints = { _"First GPU 0 and 1 exchange, and 2 and 3. Then the two halves." },
      wrong = {
        [1] = _"The 1s come in pairs here: both survive the first step, or none.",
      },
      answer = function() other:finish() return other:values(0, 0)[1] end,
      why = _"A 1 survives unless it is added to a number as large as 1e8.",
    }
  end,
}

say(_"GPU 0 added %s, GPU 3 %s. Both got %d: a+b and b+a are the same in \z
      floating point, bit for bit. Addition is commutative, but not \z
      associative: sides may be changed, brackets not."
    :format(fly:order(0, 0), fly:order(3, 0), fly:values(3, 0)[1]))
for rank = 0, 3 do assert(fly:values(rank, 0)[1] == 0) end

local halving = four("recursive-halving-reduce-scatter", "1e8/1/-1e8/1")
predict {
  _"The same four numbers once more, four times each. Halving and doubling has the \z
    butterfly's partners, and so its brackets. MPI's reduce-scatter, recursive \z
    halving, begins with the farthest: GPU 0 swaps with GPU 2 first, and GPU 1 \z
    with GPU 3. What does GPU 0 get?",
  kind = "number",
  hints = { _"GPU 0 and 2 hold 1e8 and -1e8. And GPU 1 and 3?" },
  wrong = {
    [0] = _"The butterfly began with GPU 0 and 1. Who begins here?",
    [1] = _"Which of the two 1s would come through step 1, and which not?",
  },
  answer = function() halving:finish() return halving:values(0, 0)[1] end,
  why = _"The two large numbers cancel in step 1, and the two 1s are added to each \z
          other.",
  again = function(round)
    local list = ({ "1e8/-1e8/1/1", "1/1e8/1/-1e8", "1/1/1e8/-1e8" })[round]
    local other = four("recursive-halving-reduce-scatter", list)
    return {
      _"Recursive halving on four GPUs that hold %s, four times each, in float32. \z
        GPU 0 swaps with GPU 2 first. Which sum does it get? 2 is right."
      :format((list:gsub("/", ", "))),
      kind = "number",
      hints = { _"GPU 0 adds with GPU 2 first, and GPU 1 with GPU 3." },
      wrong = {
        [1] = _"Which of the two 1s would come through step 1, and which not?",
      },
      answer = function() other:finish() return other:values(0, 0)[1] end,
      why = _"A 1 survives unless it is added to a number as large as 1e8.",
    }
  end,
}
local near = four("halving-doubling-allreduce", "1e8/1/-1e8/1")
near:finish()
local ring = four("ring-allreduce", "1e8/1/-1e8/1")
ring:finish()
assert(near:order(0, 0) == fly:order(0, 0))
for rank = 0, 3 do assert(halving:values(rank, rank)[1] == 2) end
assert(fly:values(0, 0)[1] == 0)
say(_"Recursive halving gives %s on each GPU, the ring %s, the butterfly %s \z
      everywhere. None is broken: each adds every contribution once. They differ \z
      in brackets: %s and %s in chunk 0."
    :format(halving:values(0, 0)[1], table.concat(ring:values(0), " "),
            fly:values(0, 0)[1], halving:order(0, 0), ring:order(0, 0)))

-- To arrange: which GPU holds which number, so that an algorithm gets a sum.
local function arrange(text, algorithm, items, sum, slot, order)
  local function gets(given)
    local rows = {}
    for i, item in ipairs(given) do
      local row = {}
      for k = 1, #items do row[k] = items[item] end
      rows[i] = table.concat(row, ",")
    end
    local got = run(algorithm .. " --input " .. table.concat(rows, "/"))
    got:go(got.steps)
    return got:values(0, slot)[1], got:order(0, slot)
  end
  return {
    text,
    items = items,
    hints = { _"Which two are added first? Let the large ones meet there." },
    answer = function(given)
      if not given or gets(given) ~= sum then given = order end
      assert(gets(given) == sum)
      return given
    end,
    reason = function(given)
      local got, brackets = gets(given)
      return _"With that it gets %d: it adds %s.":format(got, brackets)
    end,
    why = _"The brackets of an algorithm are fixed. Which GPU holds which number \z
            decides what is lost.",
  }
end
local numbers = { "1e8", "1", "-1e8", "2" }
local turn = arrange(_"Put these on GPU 0, 1, 2, 3 so that a butterfly gets 3, the \z
                       true sum.",
                     "butterfly-allreduce", numbers, 3, 0, { 1, 3, 2, 4 })
function turn.again(round)
  if round == 1 then
    return arrange(_"Put these on GPU 0, 1, 2, 3 so that GPU 0 gets 3 by recursive \z
                     halving.",
                   "recursive-halving-reduce-scatter", numbers, 3, 0, { 1, 2, 3, 4 })
  elseif round == 2 then
    return arrange(_"In a ring of 3 chunk 0 goes from GPU 1 to GPU 2 and to GPU 0. Put \z
                     these on GPU 0, 1, 2 so that its sum is right.", "ring-allreduce",
                   { "1e8", "1", "-1e8" }, 1, 0, { 2, 1, 3 })
  end
  return arrange(_"Put these on GPU 0, 1, 2, 3 so that a butterfly gets 0, not 3.",
                 "butterfly-allreduce", { "1e8", "1", "2", "-1e8" }, 0, 0, { 1, 2, 3, 4 })
end
predict(turn)

say(_"So if a training run is repeated with the same data and seed, and the last \z
      bits of its gradients differ, look at the number of GPUs and at the \z
      algorithm: both set the brackets, and so does the cutting into chunks. NCCL \z
      may choose another algorithm for another size or machine.")
assert(#ring:order(0, 0) ~= #r:order(0, 0) and ring:order(0, 0) ~= halving:order(0, 0))

r:show()
play {
  _"The key i shows the order of addition of each slot. With a: \z
    sharded-server-allreduce; which chunk is right now? Then --type \z
    float64, and --type int32: is the sum right everywhere?",
  try = { "sharded-server-allreduce", "--type float64", "--type int32" },
}

remember {
  _"Floating-point addition is commutative, but not associative.",
  _"Algorithm, number of GPUs and chunks set the brackets, so the last bits.",
  _"Compare with a tolerance; for the same bits, keep all three the same.",
}
used {
  nccl = "ncclAllReduce, ncclReduce, ncclReduceScatter",
  pytorch = "torch.distributed.all_reduce",
  mpi = "MPI_Allreduce",
  text = _"MPI only recommends the same result each time for the same \z
           arguments in the same order.",
}
