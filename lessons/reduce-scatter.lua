-- SPDX-License-Identifier: MIT
lesson {
  number = 7,
  day = 2,
  minutes = 5,
  lecture = true,
  title = _"Reduce-scatter",
  idea = _"Everything is added up, and each GPU keeps only its own part of \z
           the sum.",
}

say {
  _"Four GPUs have computed gradients for the same weights, and the gradients \z
    have to be added up. But each GPU updates only a quarter of the weights. \z
    It needs a quarter of the sum and has no use for the rest.\n\n\z
    Reduce-scatter promises just that: afterwards GPU 0 holds the first part \z
    of the sum, GPU 1 the second, and so on.\n\n\z
    The name sounds like two steps: a reduce to one GPU, then a scatter from \z
    there. That would keep the promise, too. Watch how it is really done.",
  notes = _"Ask before the run: where is the complete sum at the end? \z
            The right answer is: nowhere in one place.",
}

local r = run "ring-reduce-scatter --gpus 4 \z
               --input 1,1,1,1/2,2,2,2/3,3,3,3/4,4,4,4"
for rank = 0, r.ranks - 1 do
  for slot = 0, r.ranks - 1 do
    assert(r:values(rank, slot)[1] == rank + 1)
  end
end

say(_"GPU 0 holds the number 1 four times, GPU 1 holds 2, GPU 2 holds 3, \z
      GPU 3 holds 4. Each vector is cut into four chunks of one number. All \z
      chunks 0 are to be added for GPU 0, all chunks 1 for GPU 1, and so on. \z
      Now step 1: see what is sent, and where it is added.")

r:step()
predict {
  _"GPU 1 has made the sum A3+B3, and sends it on in step 2. What will be in \z
    slot 3 of GPU 2?",
  kind = "label",
  at = { 2, 3 },
  hints = { _"GPU 2 adds what it receives to what it has there." },
  wrong = {
    ["A3+B3"] = _"That is what arrives. GPU 2 has something in slot 3 already.",
    C3 = _"Something arrives in this step, and is added.",
    S3 = _"Has D3 been sent to anybody yet?",
  },
  notes = _"Put the four columns on the board and let somebody be GPU 2: it \z
            can only add what it receives to what it holds.",
  answer = function() r:step() return r:holds(2, 3) end,
  why = _"The sum gains one GPU in each step. D3 is still missing: it is added \z
          last, by GPU 3, to whom chunk 3 belongs.",
}

predict {
  _"One step is left. What will GPU 0 keep as its result?",
  choices = { "[10]", "[2.5]", "[10, 10, 10, 10]" },
  at = { 0, 0 },
  hints = { _"Its own part is chunk 0, one number: 1 of GPU 0, 2 of GPU 1, \z
              3 of GPU 2 and 4 of GPU 3." },
  wrong = {
    ["[2.5]"] = _"That is the average. What was asked for is the sum.",
    ["[10, 10, 10, 10]"] = _"That is the sum of all chunks. How much of it \z
                             does one GPU keep?",
  },
  answer = function()
    r:finish()
    for rank = 0, r.ranks - 1 do
      assert(#r:values(rank, rank) == 1 and r:values(rank, rank)[1] == 10)
    end
    return ("[%g]"):format(r:values(0, 0)[1])
  end,
  why = _"1+2+3+4 = 10, and of the four numbers of the sum GPU 0 keeps one. So \z
          does every other GPU.",
  again = function(round)
    local n = ({ 3, 5, 6 })[round]
    local rows = {}
    for i = 1, n do
      rows[i] = (i .. ","):rep(n - 1) .. i
    end
    local other = run(("ring-reduce-scatter --gpus %d --input %s")
                      :format(n, table.concat(rows, "/")))
    return {
      _"A reduce-scatter on %d GPUs. GPU 0 puts in the number 1 %d times, GPU 1 \z
        the number 2, and so on. Which number does GPU 0 keep?":format(n, n),
      kind = "number",
      at = { 0, 0 },
      wrong = {
        [(n + 1) / 2] = _"That is the average. What was asked for is the sum.",
        [n] = _"Its own numbers are not added up: each chunk is for itself.",
      },
      answer = function() other:finish() return other:values(0, 0)[1] end,
      why = _"The sum over all GPUs of its own chunk, and nothing else.",
    }
  end,
}

predict {
  _"Look at all four slots of GPU 0. In how many of them is a complete sum, \z
    with A, B, C and D in it?",
  kind = "number",
  hints = { _"Its result is slot 0. Count the letters in the others." },
  wrong = {
    [4] = _"Then it would be an all-reduce. Count the letters in each slot.",
    [0] = _"The run is over, so the part that it keeps is complete.",
  },
  answer = function()
    local n = 0
    for slot = 0, r.ranks - 1 do
      if #r:holds(0, slot) == #"A0+B0+C0+D0" then n = n + 1 end
    end
    for rank = 0, r.ranks - 1 do
      for slot = 0, r.ranks - 1 do
        local whole = #r:holds(rank, slot) == #"A0+B0+C0+D0"
        assert(whole == (rank == slot))
      end
    end
    return n
  end,
  why = _"The whole sum was never in one GPU. The other slots keep partial sums \z
          that were passed on: leftovers, not results.",
}

-- The two steps of the name, on the same inputs.
local rows = "1,1,1,1/2,2,2,2/3,3,3,3/4,4,4,4"
local first = run("flat-reduce --gpus 4 --input " .. rows)
first:finish()
local sums = ("%d,%d,%d,%d"):format(table.unpack(first:values(0)))
local second = run("flat-scatter --gpus 4 --input " .. sums)
second:finish()
for rank = 0, r.ranks - 1 do
  assert(second:values(rank)[1] == r:values(rank, rank)[1])
end
say(_"The two steps of the name keep the promise, too: this was a reduce to \z
      GPU 0 and then a scatter from it. But GPU 0 held the whole sum, received \z
      %d bytes and sent %d. In the ring nobody received or sent more than %d."
    :format(first:received(0), second:sent(0), r:sent(0)))
assert(r:sent(0) == r:received(0) and first:received(0) > r:received(0))

r:show()
predict {
  _"Somebody called this a \"partial broadcast\". After a broadcast a GPU \z
    holds the data of one GPU. The data of how many is in the result of \z
    GPU 0?",
  kind = "number",
  hints = { _"A letter stands for a GPU. Look at slot 0 of GPU 0." },
  wrong = {
    [1] = _"That would be a broadcast. Count the letters in slot 0.",
    [3] = _"The GPU's own data counts as well.",
  },
  answer = function()
    local _, letters = r:holds(0, 0):gsub("%u", "")
    return letters
  end,
  why = _"A broadcast copies the data of one to all. Here the data of all is \z
          added up, and no two GPUs end with the same part.",
}

local whole = run "ring-allreduce --gpus 4 \z
                   --input 1,1,1,1/2,2,2,2/3,3,3,3/4,4,4,4"
predict {
  _"Another way to the same result: an all-reduce gives everyone the whole \z
    sum, then each GPU cuts out its part. How many bytes does that move?",
  choices = { _"as many", _"twice as many", _"four times as many" },
  hints = { _"Reduce-scatter took three steps, one chunk of 4 bytes each. \z
              Watch how many this takes." },
  wrong = {
    [1] = _"The result is the same, but watch the steps: do 3 suffice?",
    [3] = _"Four times the result, but a ring hands it out with few bytes \z
            more.",
  },
  answer = function()
    whole:finish()
    assert(r:sent(0) == 12 and whole:sent(0) == 24 and r.steps == 3)
    return ({ 1, 2, [4] = 3 })[whole:sent(0) / r:sent(0)]
  end,
  why = _"24 bytes from each GPU instead of 12: its second half hands out \z
          sums that the receivers then throw away.",
}

predict {
  _"A page on the web shows 2.5 in every GPU as the result on these inputs, \z
    and says it is the sum. Which operation gives 2.5?",
  choices = { "max", "avg", "prod" },
  hints = { _"Which number lies in the middle of 1, 2, 3 and 4?" },
  wrong = {
    max = _"The largest of 1, 2, 3 and 4 is one of them.",
    prod = _"1, 2, 3 and 4 are whole numbers, and so is what you get by \z
             multiplying.",
  },
  answer = function()
    for i, op in ipairs { "max", "avg", "prod" } do
      local other = run("ring-reduce-scatter --gpus 4 --op " .. op ..
                        " --input 1,1,1,1/2,2,2,2/3,3,3,3/4,4,4,4")
      other:finish()
      if other:values(0, 0)[1] == 2.5 then return op end
    end
  end,
  why = _"avg is the sum divided by the number of GPUs: 10/4. Both are useful. \z
          A program must ask for the one it means.",
}

local two = run "ring-reduce-scatter --gpus 4 --input 1,1/2,2/3,3/4,4"
predict {
  _"Now each vector has only two numbers, for four GPUs. How many GPUs end \z
    with a number?",
  kind = "number",
  hints = { _"Two numbers cannot be cut in four equal parts. The first parts \z
              get one number each." },
  wrong = {
    [4] = _"Four parts of two numbers: what would be in the last one?",
    [1] = _"The two numbers do not go to the same GPU.",
  },
  answer = function()
    two:finish()
    local n = 0
    for rank = 0, two.ranks - 1 do
      if #two:values(rank, rank) > 0 then n = n + 1 end
    end
    return n
  end,
  why = _"GPU 0 and GPU 1 get one number each. Chunks 2 and 3 have no \z
          elements: they go round as well, with nothing in them.",
}

say(_"Not every library allows uneven parts. ncclReduceScatter and \z
      MPI_Reduce_scatter_block take one length for all: fill the vector up \z
      with zeros to a multiple of N first. MPI_Reduce_scatter takes a length \z
      for each rank.")

-- Tensor.scatter_reduce with include_self: sums and how many are in each.
local function scatter_reduce(input, index, src)
  local sum, many = {}, {}
  for i, value in ipairs(input) do sum[i], many[i] = value, 1 end
  for i, to in ipairs(index) do
    sum[to + 1], many[to + 1] = sum[to + 1] + src[i], many[to + 1] + 1
  end
  return sum, many
end
local sum, many =
  scatter_reduce({ 1, 2, 3, 4 }, { 0, 1, 0, 1, 2, 1 }, { 1, 2, 3, 4, 5, 6 })
predict {
  _"PyTorch's Tensor.scatter_reduce is something else: it adds inside one \z
    tensor. The tensor is 1 2 3 4. Add 1 2 3 4 5 6 to it, at the places \z
    0 1 0 1 2 1. What is at place 1 then? (It had 2.)",
  kind = "number",
  hints = { _"Which of the six go to place 1? The second, the fourth, ..." },
  wrong = {
    [12] = _"That is what comes in. What was there before?",
    [6] = _"That is the last one that comes. Are the others lost?",
    [8] = _"One that comes in is missing, or what was there.",
  },
  answer = function() return sum[2] end,
  why = _"2, and 2, 4 and 6 are added. No GPU sends anything: only the name is \z
          like that of a reduce-scatter.",
}
say(_"All of it: \"sum\" gives %d %d %d %d, and \"mean\" %.4g %g %g %g, for with \z
      include_self=True the tensor's own value counts as well."
    :format(sum[1], sum[2], sum[3], sum[4], sum[1] / many[1], sum[2] / many[2],
            sum[3] / many[3], sum[4] / many[4]))

r:show()
r:go(0)
play {
  _"Follow chunk 0 from GPU 1 to GPU 0. Then change the run with a: \z
    --count 6 on 4 GPUs, or --op max.",
  try = { "4 --count 6", "--op max" },
}

remember {
  _"Reduce-scatter: the sum over all, and rank r keeps part r of it.",
  _"No GPU ever holds the whole sum: this saves half of all-reduce's bytes.",
  _"What is left in the other slots is partial; use only your own part.",
}
used {
  nccl = "ncclReduceScatter",
  pytorch = _"torch.distributed.reduce_scatter_tensor; reduce_scatter (a list)",
  mpi = "MPI_Reduce_scatter_block",
  text = _"ZeRO (from stage 2) and FSDP: gradients, each rank gets the part that \z
           it updates. Tensor with sequence parallelism: a layer's sums.",
}
