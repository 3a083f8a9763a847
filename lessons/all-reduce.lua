-- SPDX-License-Identifier: MIT
lesson {
  number = 8,
  day = 2,
  minutes = 3,
  lecture = 4,
  title = _"All-reduce",
  idea = _"Everyone gives a vector, and everyone ends with the sum of all.",
}

lecture()
say {
  _"Four GPUs train copies of one model, each on other data. After every step \z
    each has gradients of its own. So that the copies stay equal, all of them \z
    must continue with the same gradients: the sum of all four, or its \z
    average.\n\n\z
    All-reduce promises that. Everyone puts in a vector; everyone ends with \z
    the sum of all vectors, element by element. How the sum is made is not \z
    part of the promise. You will see it made in three ways.",
  notes = _"The collective is what, the algorithm is how. Write both words on \z
            the board and keep them apart for the rest of the course.",
}

local input = " --gpus 4 --input 1,1/2,2/3,3/4,4"
local server = run("server-allreduce" .. input)
for rank = 0, 3 do
  local v = server:values(rank)
  assert(#v == 2 and v[1] == rank + 1 and v[2] == rank + 1)
end

say(_"GPU 0 holds [1, 1], GPU 1 [2, 2], GPU 2 [3, 3], GPU 3 [4, 4]. The first \z
      way uses what you know: a reduce to GPU 0, then a broadcast of the sum \z
      from there.")

local function data_of(rank)
  return ("ABCDEFGH"):sub(rank + 1, rank + 1) .. "0"
end

-- What a rank that is not the server holds after the reduce.
local function after_reduce(r, rank)
  return {
    _"An all-reduce on %d GPUs through GPU 0. In step 1, the reduce, all others \z
      send their vectors to it, and it adds them to its own. What will GPU %d \z
      hold then?":format(r.ranks, rank),
    kind = "label",
    at = { rank, 0 },
    hints = { _"GPU %d sends something in step 1. Does anything come to it?"
              :format(rank) },
    wrong = {
      [""] = _"To send is to copy: does the sender lose anything?",
      S0 = _"GPU 0 has that sum. What has come to GPU %d in this step?"
           :format(rank),
      A0 = _"That is the data of GPU 0, which sends nothing in step 1.",
    },
    answer = function() r:step() return r:holds(rank, 0) end,
    why = _"What it had. Sending takes nothing away, and nothing has come in. \z
            Only GPU 0 has the sum so far.",
  }
end
local question = after_reduce(server, 3)
question.again = function(round)
  return after_reduce(run("server-allreduce --gpus " .. ({ 5, 3, 6 })[round]),
                      ({ 4, 1, 2 })[round])
end
predict(question)

local function vector(run, rank)
  local v = run:values(rank)
  return ("[%g, %g]"):format(v[1], v[2])
end

-- The number that all end with, where rank r has put in r + first twice.
local function both(r, rank, first)
  local n = r.ranks
  return {
    _"An all-reduce with sum on %d GPUs: GPU 0 puts in [%d, %d], GPU 1 [%d, %d], \z
      and so on up to GPU %d. GPU %d ends with two equal numbers. Which number \z
      is it?"
    :format(n, first, first, first + 1, first + 1, n - 1, rank),
    kind = "number",
    hints = { _"Add the first elements of all vectors, then the second ones." },
    wrong = {
      [n * (2 * first + n - 1)] = _"That adds up within the vectors, too. Each \z
                                    position is for itself.",
      [2 * (first + rank)] = _"That is twice what this GPU had. What do the \z
                               others bring?",
      [first + (n - 1) / 2] = _"That is the average. What was asked for is the \z
                                sum.",
      [first + rank] = _"That is what it began with.",
    },
    answer = function()
      r:finish()
      for other = 1, n - 1 do assert(vector(r, other) == vector(r, 0)) end
      return r:values(rank)[1]
    end,
    why = _"Each position by itself: the first elements of all GPUs, the second \z
            of all GPUs. No GPU adds up the elements of its own vector, as is \z
            sometimes written.",
  }
end
question = both(server, 3, 1)
question.again = function(round)
  local n, first = ({ 3, 5, 4 })[round], ({ 2, 1, 4 })[round]
  local rows = {}
  for i = 1, n do rows[i] = ("%d,%d"):format(first + i - 1, first + i - 1) end
  return both(run("ring-allreduce --input " .. table.concat(rows, "/")),
              ({ 2, 4, 1 })[round], first)
end
predict(question)

-- What a rank holds if everyone sends to everyone.
local function sums_up(r, rank)
  local all, others = {}, {}
  for other = 0, r.ranks - 1 do
    all[#all + 1] = data_of(other)
    if other ~= rank then others[#others + 1] = data_of(other) end
  end
  return {
    _"%d GPUs: everyone sends to everyone, and each adds up for itself. Somebody \z
      wrote: \"at the end each GPU subtracts the global sum\". What will GPU %d \z
      hold?":format(r.ranks, rank),
    kind = "label",
    at = { rank, 0 },
    hints = { _"Read the promise again: everyone ends with the sum of all." },
    wrong = {
      [data_of(rank)] = _"That is what it began with.",
      [table.concat(others, "+")] = _"That is what comes in. It has something of \z
                                      its own to add.",
      [""] = _"An all-reduce ends with a sum. What is there to take away?",
    },
    answer = function() r:finish() return r:holds(rank, 0) end,
    why = _"The sum of all, its own part included. Nothing is subtracted in any \z
            all-reduce.",
  }
end
local naive = run("naive-allreduce" .. input)
question = sums_up(naive, 1)
question.again = function(round)
  return sums_up(run("naive-allreduce --gpus " .. ({ 3, 5, 3 })[round]),
                 ({ 0, 3, 2 })[round])
end
predict(question)

-- How many different vectors the ranks of some runs hold.
local function different(runs)
  local seen, n = {}, 0
  for _, one in ipairs(runs) do
    for rank = 0, one.ranks - 1 do
      local v = vector(one, rank)
      if not seen[v] then n = n + 1 end
      seen[v] = true
    end
  end
  return n
end
local ring = run("ring-allreduce" .. input)
lecture "spare"
predict {
  _"The third way: chunks go round a ring (2 and 3 are empty, for there are \z
    but two numbers). The same input, three algorithms: how many different \z
    results will there be in the end, over all GPUs and all three ways?",
  kind = "number",
  hints = { _"What does an all-reduce promise, whichever way it is done?" },
  wrong = {
    [3] = _"Three ways. Does the promise depend on the way?",
    [4] = _"Does the promise differ from GPU to GPU?",
    [12] = _"So many results, yes. Are they different?",
  },
  answer = function()
    ring:finish()
    assert(vector(ring, 3) == "[10, 10]")
    return different { server, naive, ring }
  end,
  why = _"One: [10, 10] everywhere. All three keep the same promise. (With \z
          fractions, rounding can differ in the last digits.)",
  again = function(round)
    local n = ({ 5, 4, 6 })[round]
    local rows = {}
    for i = 1, n do rows[i] = ("%d,%d"):format(i, i) end
    local other =
      run(({ "ring-allreduce", "flat-reduce", "butterfly-allreduce" })[round] ..
          " --input " .. table.concat(rows, "/"))
    local reduces = round == 2
    return {
      (reduces and
         _"%d GPUs begin with [1, 1], [2, 2] and so on, and call reduce, with \z
           GPU 0 as the root. How many different vectors do they hold afterwards?"
         or
         _"%d GPUs begin with [1, 1], [2, 2] and so on, and call all-reduce. How \z
           many different vectors do they hold afterwards?"):format(n),
      kind = "number",
      wrong = reduces and {
        [1] = _"The sum is at the root only.",
        [2] = _"What do those hold that are not the root?",
      } or {
        [n] = _"So it was before. To whom is the sum promised?",
        [2] = _"Which GPUs would hold something other than the sum?",
      },
      answer = function() other:finish() return different { other } end,
      why = reduces and
        _"The root has the sum, the others what they had: sending takes nothing \z
          away." or
        _"One: everyone ends with the sum, whichever way it is made.",
    }
  end,
}

local t = compare "naive-allreduce server-allreduce ring-allreduce \z
                   --gpus 4 --count 8"
assert(t[1].sent == 3 * 32 and t[2].sent == 3 * 32)
lecture "spare"
say(_"What differs is the cost, here for vectors of 8 numbers, 32 bytes. The \z
      ring takes %d steps, but no GPU sends more than %d bytes; in the other \z
      two the busiest one sends %d. The coming lessons are about this. NCCL \z
      and MPI choose a way by themselves."
    :format(t[3].steps, t[3].sent, t[1].sent))

local avg = run("server-allreduce --op avg" .. input)
avg:finish()
assert(vector(avg, 0) == "[2.5, 2.5]")
say(_"Data-parallel training wants the average. Here is --op avg: the same \z
      sums, and at the end every GPU divides by %d. Everyone has %s. If you \z
      ask for a sum, you have to divide by yourself."
    :format(avg.ranks, vector(avg, 0)))

-- A layer of two weights by two, cut by columns over two GPUs: each multiplies
-- its column by its part of the input.
local weights, x = { { 1, 2 }, { 3, 4 } }, { 5, 6 }
local parts = {}
for gpu = 1, 2 do
  parts[gpu] = ("%d,%d"):format(weights[1][gpu] * x[gpu], weights[2][gpu] * x[gpu])
end
local layer = run("ring-allreduce --gpus 2 --input " .. table.concat(parts, "/"))
local before = { vector(layer, 0), vector(layer, 1) }
layer:finish()
for row = 1, 2 do
  local whole = weights[row][1] * x[1] + weights[row][2] * x[2]
  assert(layer:values(1)[row] == whole, "as without cutting")
end
say(_"Tensor parallelism cuts one layer instead. Here 2 GPUs have a column of \z
      its weights each (1 2; 3 4), and a part of the input (5, 6). Their \z
      products are %s and %s, parts of a sum. The all-reduce makes %s of them \z
      on both: the whole layer's output."
    :format(before[1], before[2], vector(layer, 1)))

-- The result is the next input.
local sums = {}
for rank = 0, 3 do
  local v = server:values(rank)
  sums[rank + 1] = ("%d,%d"):format(v[1], v[2])
end
local again = run("server-allreduce --gpus 4 --input " ..
                  table.concat(sums, "/"))
lecture()
predict {
  _"A program calls all-reduce a second time by mistake, on the same buffer. \z
    10 is in it. What will be there afterwards?",
  kind = "number",
  hints = { _"What does each of the four GPUs put in this time?" },
  wrong = {
    [10] = _"That is what is in the buffer now. The call adds up once more.",
    [20] = _"Do not add the old sum and the new one: who puts in what this \z
             time?",
  },
  notes = _"Let them work it out on paper before you go on. Ask how a \z
            training would show this mistake.",
  answer = function()
    again:finish()
    return again:values(0, 0)[1]
  end,
  why = _"It works in place: the result has taken the input's place, and four \z
          times 10 is added up. No error is reported.",
  again = function(round)
    local n = ({ 3, 5, 2 })[round]
    local other = run("server-allreduce --gpus " .. n .. " --input " ..
                      ("6/"):rep(n - 1) .. "6")
    return {
      _"%d GPUs have called all-reduce in place, and each holds 6. By mistake \z
        they call it again. What will each hold then?":format(n),
      kind = "number",
      wrong = {
        [6] = _"That is what is in the buffer now. The call adds up once more.",
        [12] = n > 2 and
          _"Do not add the old sum and the new one: who puts in what this time?"
          or nil,
      },
      answer = function() other:finish() return other:values(0, 0)[1] end,
      why = _"Each puts in the sum, and N sums are added up.",
    }
  end,
}

say(_"In place means: one buffer, which holds the input before and the result \z
      after. PyTorch's all_reduce always works so. In NCCL it is so if \z
      sendbuff and recvbuff are the same, in MPI with MPI_IN_PLACE. With two \z
      buffers the input stays: a second call gives 10 again.")

-- To wire: the same promise over other links.
local function wire(n, links, text, steps)
  return {
    text:format(n, #steps),
    kind = "wiring", of = "all-reduce", ranks = n, links = links,
    par = { steps = #steps },
    hints = { _"Two GPUs can send to each other in the same step: then both have \z
                the sum of both.",
              _"Nothing may be added twice. Where a sum is complete already, \z
                replace." },
    answer = function() return steps end,
    why = _"As many steps as it takes until the farthest data has come.",
  }
end
local pairs_first = { "0>1 +0, 1>0 +0, 2>3 +0, 3>2 +0",
                      "0>2 +0, 2>0 +0, 1>3 +0, 3>1 +0" }
question = wire(4, "any", _"Make one yourself: wire an all-reduce of %d GPUs in %d \z
                            steps. In a step a GPU sends to one other at most, \z
                            and receives from one.", pairs_first)
question.again = function(round)
  if round == 1 then
    return wire(4, "cube", _"%d GPUs stand in a square: GPU 0 has links to GPU 1 \z
                             and 2, GPU 3 as well. Wire an all-reduce in %d steps.",
                pairs_first)
  end
  return wire(6 - round, "line",
              _"%d GPUs stand in a line, with links between neighbours. Wire an \z
                all-reduce in %d steps.",
              round == 2 and { "0>1 +0, 3>2 +0", "1>2 +0, 2>1 +0",
                               "1>0 =0, 2>3 =0" }
              or { "0>1 +0", "1>2 +0, 2>1 +0", "1>0 =0" })
end
predict(question)

server:show()
server:go(0)
play {
  _"Change the run with a: --op max, --op prod, other numbers of GPUs, or \z
    --out-of-place. Does every GPU always end with the same?",
  try = { "--op max", "--op prod", "5", "--out-of-place" },
}

lecture()
remember {
  _"All-reduce: everyone ends with the sum of all inputs, its own included.",
  _"The promise is one, the ways are many: same result, other cost.",
  _"In place the sum replaces the input: a second call adds up the sums.",
}
used {
  nccl = "ncclAllReduce",
  pytorch = "torch.distributed.all_reduce",
  mpi = "MPI_Allreduce",
  text = _"Data-parallel training adds up gradients with it in every step, \z
           tensor parallelism adds up activations in every layer.",
}
