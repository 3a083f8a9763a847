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
  _"GPU 1 has added up: its slot 2 is A2+B2. Which number is in there?",
  choices = { "100000001", "100000000", "1" },
  at = { 1, 2 },
  hints = { _"Can a float32 hold 100000001?" },
  wrong = {
    ["100000001"] = _"The next float32 above 100000000 is 8 away.",
    ["1"] = _"A2 is 100000000. It does not vanish.",
  },
  answer = function() return ("%d"):format(r:values(1, 2)[1]) end,
  why = _"The sum is rounded to the nearest float32. The label says that B2 \z
          is in it, and so it is; but its value left no trace.",
}

predict {
  _"The ring goes on. Which six sums will GPU 0 have in the end?",
  choices = { "1 1 1 1 1 1", "0 0 0 0 0 0", "0 0 1 1 0 0" },
  hints = {
    _"Each chunk begins at another GPU. Where does the 1 come last?",
    _"GPU 0 has A1+C1 already. What is 100000000 - 100000000?",
  },
  wrong = {
    ["1 1 1 1 1 1"] = _"Does the 1 come last in every chunk? Each begins at \z
                        another GPU.",
    ["0 0 0 0 0 0"] = _"Is the 1 always added before the two large numbers \z
                        have met?",
  },
  answer = function()
    r:finish()
    return table.concat(r:values(0), " ")
  end,
  why = _"Same numbers, same GPUs, and yet chunk 1 is right and its neighbours \z
          are not.",
}

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

predict {
  _"In the end, will all three GPUs have the same sums, bit for bit?",
  choices = { _"yes", _"no, each adds in its own order" },
  hints = { _"Who adds in the second half of a ring?" },
  wrong = {
    [2] = _"In the second half of a ring, is anything added at all?",
  },
  answer = function()
    r:finish()
    local first = table.concat(r:values(0), " ")
    for rank = 1, r.ranks - 1 do
      if table.concat(r:values(rank), " ") ~= first
         or r:order(rank, 0) ~= r:order(0, 0) then
        return 2
      end
    end
    return 1
  end,
  why = _"In a ring each sum is completed once, by its owner, and then only \z
          copied. That keeps the replicas of a model equal.",
}

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

local input = " --input 1e8,1e8,1e8,1e8/1,1,1,1/-1e8,-1e8,-1e8,-1e8/1,1,1,1"
local hd = run("halving-doubling-allreduce" .. input)
hd:finish()
local ring = run("ring-allreduce" .. input)
ring:finish()
say(_"The same four numbers: halving-doubling gives %s, the ring %s, the \z
      butterfly %s everywhere. None is broken: each adds every contribution \z
      once. They differ in brackets: %s and %s in chunk 0."
    :format(table.concat(hd:values(0), " "), table.concat(ring:values(0), " "),
            fly:values(0, 0)[1], hd:order(0, 0), ring:order(0, 0)))

predict {
  _"A training run is repeated, same data, same seed. The last bits of the \z
    gradients differ. What may have changed, to explain it?",
  choices = { _"the number of GPUs", _"the algorithm", _"either" },
  hints = { _"Compare brackets: 3 and 4 GPUs, ring and halving-doubling." },
  wrong = {
    [1] = _"It may have. Is it the only thing that sets the brackets?",
    [2] = _"It may have. Is it the only thing that sets the brackets?",
  },
  answer = function()
    local by_n = #ring:order(0, 0) ~= #r:order(0, 0)
    local by_algorithm = ring:values(0, 0)[1] ~= hd:values(0, 0)[1]
    return by_n and by_algorithm and 3 or by_n and 1 or 2
  end,
  why = _"Both set the brackets, and so does the cutting into chunks. NCCL may \z
          choose another algorithm for another size or machine.",
}

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
