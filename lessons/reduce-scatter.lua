-- SPDX-License-Identifier: MIT
lesson {
  number = 7,
  day = 2,
  minutes = 5,
  lecture = 4,
  title = _"Reduce-scatter",
  idea = _"Everything is added up, and each GPU keeps only its own part of \z
           the sum.",
}

lecture()
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

-- Each of n GPUs puts in its number from 1 on, n times.
local function rows_of(n)
  local rows = {}
  for i = 1, n do rows[i] = (i .. ","):rep(n - 1) .. i end
  return table.concat(rows, "/")
end
local function of_rows(n, options)
  return run(("ring-reduce-scatter --gpus %d --input %s %s")
             :format(n, rows_of(n), options or ""))
end
local r = of_rows(4)
for rank = 0, r.ranks - 1 do
  for slot = 0, r.ranks - 1 do
    assert(r:values(rank, slot)[1] == rank + 1)
  end
end

lecture()
say(_"GPU 0 holds the number 1 four times, GPU 1 holds 2, GPU 2 holds 3, \z
      GPU 3 holds 4. Each vector is cut into four chunks of one number. All \z
      chunks 0 are to be added for GPU 0, all chunks 1 for GPU 1, and so on. \z
      Now step 1: see what is sent, and where it is added.")

local function name(rank, slot)
  return ("ABCDEFGH"):sub(rank + 1, rank + 1) .. slot
end

lecture()
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
  again = function(round)
    local n, k, rank = ({ 5, 6, 5 })[round], ({ 2, 3, 3 })[round],
                       ({ 4, 2, 1 })[round]
    local slot = (rank - 1 - k) % n
    local other = run("ring-reduce-scatter --gpus " .. n)
    local sum = {}
    for i = k, 1, -1 do
      sum[#sum + 1] = name((rank - i) % n, slot)
    end
    other:step(k - 1)
    return {
      _"A ring reduce-scatter on %d GPUs, before step %d. GPU %d holds %s and \z
        sends it to GPU %d, which adds it. What will be in slot %d of GPU %d?"
      :format(n, k, (rank - 1) % n, table.concat(sum, "+"), rank, slot, rank),
      kind = "label",
      at = { rank, slot },
      wrong = {
        [table.concat(sum, "+")] = _"That is what arrives. The receiver has \z
                                     something in this slot already.",
        [name(rank, slot)] = _"Something arrives in this step, and is added.",
        ["S" .. slot] = _"Is the data of every GPU in what arrives?",
      },
      answer = function() other:step() return other:holds(rank, slot) end,
      why = _"The sum gains one GPU in each step, and the GPU to which the chunk \z
              belongs adds last.",
    }
  end,
}

-- The number that a rank keeps.
local function keeps(r, rank)
  local n = r.ranks
  return {
    _"A reduce-scatter on %d GPUs. GPU 0 puts in %d ones, GPU 1 as many twos, \z
      and so on up to GPU %d. Which number does GPU %d keep?"
    :format(n, n, n - 1, rank),
    kind = "number",
    at = { rank, rank },
    hints = { _"Its own part is chunk %d: one number from each GPU."
              :format(rank) },
    wrong = {
      [(n + 1) / 2] = _"That is the average. What was asked for is the sum.",
      [n * (rank + 1)] = _"Its own numbers are not added up: each chunk is for \z
                           itself.",
      [n * n * (n + 1) / 2] = _"That adds up all chunks. How much of the sum \z
                                does one GPU keep?",
      [rank + 1] = _"That is what it has put in. What do the others bring?",
    },
    answer = function()
      r:finish()
      for other = 0, n - 1 do
        assert(#r:values(other, other) == 1 and
               r:values(other, other)[1] == n * (n + 1) / 2)
      end
      return r:values(rank, rank)[1]
    end,
    why = _"1+2+3+... over all GPUs, and of the %d numbers of the sum it keeps \z
            one. So does every other GPU.":format(n),
  }
end
local question = keeps(r, 0)
question.again = function(round)
  return keeps(of_rows(({ 3, 5, 6 })[round]), ({ 2, 0, 3 })[round])
end
predict(question)

-- In how many slots of all GPUs is a complete sum.
local function complete(r)
  local n = r.ranks
  return {
    _"A ring reduce-scatter on %d GPUs, %d slots in each. When it is over, in how \z
      many of all %d slots is a complete sum, of all GPUs?"
    :format(n, n, n * n),
    kind = "number",
    hints = { _"Each GPU keeps one part of the sum. What is in its other slots?" },
    wrong = {
      [n * n] = _"Then it would be an all-reduce. Who needs all parts here?",
      [1] = _"So many are on one GPU. How many in all?",
      [0] = _"The part that a GPU keeps is complete at the end.",
    },
    answer = function()
      r:finish()
      local count = 0
      for rank = 0, n - 1 do
        for slot = 0, n - 1 do
          local _, letters = r:order(rank, slot):gsub("%a", "")
          assert((letters == n) == (rank == slot))
          if letters == n then count = count + 1 end
        end
      end
      return count
    end,
    why = _"One on each GPU: the whole sum was never in one place. The other \z
            slots keep partial sums that were passed on: leftovers, not results.",
  }
end
question = complete(run "ring-reduce-scatter --gpus 5")
question.again = function(round)
  return complete(run("ring-reduce-scatter --gpus " .. ({ 3, 6, 4 })[round]))
end
lecture()
predict(question)

-- The two steps of the name, on the same inputs.
local first = run("flat-reduce --gpus 4 --input " .. rows_of(4))
first:finish()
local sums = ("%d,%d,%d,%d"):format(table.unpack(first:values(0)))
local second = run("flat-scatter --gpus 4 --input " .. sums)
second:finish()
for rank = 0, r.ranks - 1 do
  assert(second:values(rank)[1] == r:values(rank, rank)[1])
end
lecture "spare"
say(_"The two steps of the name keep the promise, too: this was a reduce to \z
      GPU 0 and then a scatter from it. But GPU 0 held the whole sum, received \z
      %d bytes and sent %d. In the ring nobody received or sent more than %d."
    :format(first:received(0), second:sent(0), r:sent(0)))
assert(r:sent(0) == r:received(0) and first:received(0) > r:received(0))

-- The data of how many GPUs is in what a rank keeps.
local function givers(r, rank)
  local n = r.ranks
  return {
    _"Somebody called reduce-scatter a \"partial broadcast\". After a broadcast a \z
      GPU holds the data of one GPU. Here are %d GPUs. The data of how many is in \z
      the result of GPU %d?":format(n, rank),
    kind = "number",
    hints = { _"What was added up to make that result?" },
    wrong = {
      [1] = _"That would be a broadcast. What is added up here?",
      [n - 1] = _"The GPU's own data counts as well.",
    },
    answer = function()
      r:finish()
      local _, letters = r:order(rank, rank):gsub("%a", "")
      return letters
    end,
    why = _"A broadcast copies the data of one to all. Here the data of all is \z
            added up, and no two GPUs end with the same part.",
  }
end
question = givers(run "ring-reduce-scatter --gpus 6", 2)
question.again = function(round)
  return givers(run("ring-reduce-scatter --gpus " .. ({ 5, 7, 3 })[round]),
                ({ 4, 0, 1 })[round])
end
predict(question)

-- How many bytes each GPU sends if its part is cut out of an all-reduce, where a
-- reduce-scatter sends `alone`.
local function cut_out(alone, all)
  local n, S = all.ranks, all.bytes
  return {
    _"An all-reduce gives everyone the whole sum, and then each GPU cuts out its \z
      part. %d GPUs with %d bytes each, on a ring. A reduce-scatter sends %d \z
      bytes from each GPU. How many does the all-reduce send?"
    :format(n, S, alone),
    kind = "number",
    hints = { _"The whole sum has to come to every GPU, from the parts that the \z
                reduce-scatter has made." },
    wrong = {
      [alone] = _"Then each GPU has its part. How do the other parts come to it?",
      [n * alone] = _"The result is so many times as large, but each GPU has \z
                      made only a part of it.",
      [S] = _"So much each GPU has. Count what it sends, in both halves.",
      [alone + S] = _"The other parts come to it. Its own part is in place.",
    },
    answer = function()
      all:finish()
      assert(all:sent(0) == 2 * alone)
      return all:sent(0)
    end,
    why = _"Twice as many: its second half hands out sums that the receivers \z
            then throw away.",
  }
end
question = cut_out(r:sent(0), run "ring-allreduce --gpus 4 --count 4")
question.again = function(round)
  local size = (" --gpus %d --count %d"):format(({ 3, 5, 8 })[round],
                                                ({ 6, 10, 8 })[round])
  local part = run("ring-reduce-scatter" .. size)
  part:go(part.steps)
  return cut_out(part:sent(0), run("ring-allreduce" .. size))
end
predict(question)

-- What a rank keeps with avg.
local function average(n, rank)
  local r = of_rows(n, "--op avg")
  return {
    _"With --op avg a reduce-scatter gives the average. GPU 0 puts in %d ones, \z
      GPU 1 as many twos, and so on up to GPU %d. Which number does GPU %d \z
      keep?":format(n, n - 1, rank),
    kind = "number",
    hints = { _"The sum, divided by the number of GPUs." },
    wrong = {
      [n * (n + 1) / 2] = _"That is the sum. By what is it divided?",
      [(n + 1) / 2 / n] = _"Divide once: by the number of GPUs.",
      [n] = _"That is the largest.",
    },
    answer = function() r:finish() return r:values(rank, rank)[1] end,
    why = _"A page on the web shows 2.5 as the result of four GPUs with 1, 2, 3 \z
            and 4, and says it is the sum. A program must ask for the one it \z
            means.",
  }
end
question = average(4, 0)
question.again = function(round)
  return average(({ 3, 5, 6 })[round], ({ 1, 4, 2 })[round])
end
predict(question)

-- How many ranks get something if there is less than one number for each.
local function get_something(n, count)
  local row = ("1,"):rep(count - 1) .. "1"
  local r = run("ring-reduce-scatter --input " .. (row .. "/"):rep(n - 1) .. row)
  return {
    _"A reduce-scatter where each vector has only %d numbers, for %d GPUs. How \z
      many GPUs end with a number?":format(count, n),
    kind = "number",
    hints = { _"So few numbers cannot be cut in %d equal parts. The first parts \z
                get one number each.":format(n) },
    wrong = {
      [n] = _"More parts than numbers: what would be in the last one?",
      [1] = _"The numbers do not all go to the same GPU.",
      [0] = _"Nothing is lost: some get a number, the others none.",
    },
    answer = function()
      local got = 0
      r:finish()
      for rank = 0, n - 1 do
        if #r:values(rank, rank) > 0 then got = got + 1 end
      end
      return got
    end,
    why = _"The first GPUs get one number each. The other chunks have no \z
            elements: they go round as well, with nothing in them.",
  }
end
question = get_something(4, 2)
question.again = function(round)
  return get_something(({ 5, 7, 8 })[round], ({ 3, 2, 5 })[round])
end
predict(question)

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
local function list(numbers) return table.concat(numbers, " ") end

-- What is at a place after the numbers of src were added to input.
local function at_place(place, input, index, src)
  local sum = scatter_reduce(input, index, src)
  local comes, last = 0, 0
  for i, to in ipairs(index) do
    if to == place then comes, last = comes + src[i], src[i] end
  end
  return {
    _"PyTorch's Tensor.scatter_reduce is something else: it adds inside one \z
      tensor. The tensor is %s. Add %s to it, at the places %s. What is at place \z
      %d then? (It had %d.)"
    :format(list(input), list(src), list(index), place, input[place + 1]),
    kind = "number",
    hints = { _"Which of the numbers go to place %d? Places count from 0."
              :format(place) },
    wrong = {
      [last] = _"That is the last one that comes. Are the others lost?",
      [input[place + 1] + last] = _"One that comes in is missing.",
      [comes] = _"That is what comes in. What was there before?",
    },
    answer = function() return sum[place + 1] end,
    why = _"What was there, and all that come, are added. No GPU sends anything: \z
            only the name is like that of a reduce-scatter.",
  }
end
local input = { 1, 2, 3, 4 }
local index, src = { 0, 1, 0, 1, 2, 1 }, { 1, 2, 3, 4, 5, 6 }
local sum, many = scatter_reduce(input, index, src)
question = at_place(1, input, index, src)
question.again = function(round)
  return at_place(({ 0, 2, 1 })[round], input,
                  ({ { 0, 3, 0, 1 }, { 2, 0, 2, 2 }, { 1, 3, 1, 0 } })[round],
                  { 5, 6, 7, 8 })
end
predict(question)
say(_"All of it: \"sum\" gives %d %d %d %d, and \"mean\" %.4g %g %g %g, for with \z
      include_self=True the tensor's own value counts as well."
    :format(sum[1], sum[2], sum[3], sum[4], sum[1] / many[1], sum[2] / many[2],
            sum[3] / many[3], sum[4] / many[4]))

-- To wire a ring: chunk c starts at GPU c+1 and is added up on its way to GPU c.
local function wire_ring(n)
  return {
    _"Make one yourself: wire a reduce-scatter of %d GPUs in a ring, where a GPU can \z
      send to the next one only. It takes %d steps; GPU r ends with part r."
    :format(n, n - 1),
    kind = "wiring", of = "reduce-scatter", ranks = n, links = "one-way ring",
    par = { steps = n - 1, chunks = n - 1 },
    hints = { _"Which chunk must GPU 0 send first, so that it goes all the way \z
                round before it is complete?" },
    answer = function()
      local wired = {}
      for k = 1, n - 1 do
        local step = {}
        for rank = 0, n - 1 do
          step[rank + 1] = ("%d>%d +%d"):format(rank, (rank + 1) % n,
                                                (rank - k) % n)
        end
        wired[k] = table.concat(step, ", ")
      end
      return wired
    end,
    why = _"A chunk starts at the GPU after its owner, and its owner adds last.",
  }
end
-- By halves: half of the chunks go over, then a quarter.
local function wire_halves(links, text)
  return {
    text,
    kind = "wiring", of = "reduce-scatter", ranks = 4, links = links,
    par = { steps = 2, chunks = 3 },
    hints = { _"In step 1 GPU 0 sends GPU 2 all that GPUs 2 and 3 are to keep." },
    answer = function()
      return { "0>2 +2..3, 2>0 +0..1, 1>3 +2..3, 3>1 +0..1",
               "0>1 +1, 1>0 +0, 2>3 +3, 3>2 +2" }
    end,
    why = _"What a GPU still adds up halves with each step.",
  }
end
question = wire_ring(3)
question.again = function(round)
  if round == 1 then return wire_ring(4) end
  return round == 2 and
    wire_halves("any", _"Wire a reduce-scatter of 4 GPUs in 2 steps, in which \z
                         each GPU sends 3 chunks. GPU r ends with part r.")
    or wire_halves("cube", _"4 GPUs stand in a square: GPU 0 has links to GPU 1 \z
                             and 2, GPU 3 as well. Wire a reduce-scatter in 2 \z
                             steps. GPU r ends with part r.")
end
predict(question)

r:show()
r:go(0)
play {
  _"Follow chunk 0 from GPU 1 to GPU 0. Then change the run with a: \z
    --count 6 on 4 GPUs, or --op max.",
  try = { "4 --count 6", "--op max" },
}

lecture()
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
