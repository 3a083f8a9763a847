-- SPDX-License-Identifier: MIT
lesson {
  number = 11,
  day = 3,
  minutes = 5,
  lecture = true,
  title = _"Why a ring, and when not",
  idea = _"No all-reduce among GPUs moves fewer bytes; the ring pays in steps.",
}

say {
  _"How good is a ring? Two things cost time: bytes through a GPU's port, and \z
    messages, each of which has to be started. In a ring that is one message \z
    a step.\n\n\z
    First the bytes. The data of one GPU is S bytes, cut into N chunks. Here \z
    each of four GPUs has 48 elements of one byte, so S is 48 and a chunk 12.",
  notes = _"Two costs, two halves of the lesson: bandwidth until the bound, \z
            latency after it. Write 2(N-1)/N S on the board when it comes up.",
}

-- Ones, so that sums fit into a byte; 48 of them, so that S is 48 bytes.
local function ring_of(n)
  local row = ("1,"):rep(47) .. "1"
  return run("ring-allreduce --type uint8 --input " ..
             (row .. "/"):rep(n - 1) .. row)
end
local four = ring_of(4)
local S = four.bytes
assert(S == 48 and S // four.ranks == 12)
four:step()
say(_"Look at any GPU: one chunk went out and one came in. Each has a port in \z
      and a port out, and both are busy in every step, all at the same time. \z
      Nobody waits while others work.")

-- How many bytes each GPU sends, of a run that has taken a step.
local function in_all(r)
  local n, first = r.ranks, r:sent(0)
  return {
    _"A ring all-reduce on %d GPUs, S = %d. In step 1 each GPU has sent a chunk, \z
      %d bytes. How many has it sent when all is over?":format(n, S, first),
    kind = "number",
    hints = { _"Every step is like this one. How many are there?" },
    wrong = {
      [n * first] = _"That would take %d steps of %d bytes.":format(n, first),
      [2 * n * first] = _"That would take %d steps of %d bytes."
                        :format(2 * n, first),
      [(n - 1) * first] = _"That is one half, the reduce-scatter.",
      [2 * (n - 1)] = _"That is the number of steps. How many bytes are they?",
    },
    answer = function() r:finish() return r:sent(0) end,
    why = _"2(N-1) steps of S/N each: 2(N-1)/N S. On four GPUs that is 1.5 S.",
  }
end
local question = in_all(four)
question.again = function(round)
  local other = ring_of(({ 3, 12, 6 })[round])
  other:step()
  return in_all(other)
end
predict(question)
for k = 1, four.steps do
  local out, into = {}, {}
  for _, t in ipairs(four:transfers(k)) do
    assert(not out[t.src] and not into[t.dst] and t.bytes == S // four.ranks)
    out[t.src], into[t.dst] = true, true
  end
  assert(#four:transfers(k) == four.ranks)
end
assert(four:sent(0) == 1.5 * S)

-- How many bytes each GPU sends if there are more GPUs.
local function with_more(few, many)
  local before, n = few:sent(0), many.ranks
  return {
    _"A ring all-reduce of S = %d bytes. On %d GPUs each sends %d bytes. And on \z
      %d?":format(S, few.ranks, before, n),
    kind = "number",
    hints = {
      _"Twice as many GPUs: chunks half as big. And how many steps?",
      _"%d steps, %d bytes each.":format(many.steps, S // n),
    },
    wrong = {
      [S * (n - 1) // n] = _"That is one half, the reduce-scatter.",
      [before] = _"Chunks are half as large, but the steps are more than twice \z
                   as many.",
      [2 * before] = _"Twice the steps and more, but chunks half as large.",
      [2 * S] = _"That is 2 S. Count the steps: is it quite that many?",
    },
    notes = _"Take a vote before anybody works it out: twice as much, the same, \z
              or a little more?",
    answer = function() many:finish() return many:sent(0) end,
    why = _"2(N-1)/N S grows, but slowly: it is 2 S less two chunks, and stays \z
            below 2 S however many GPUs there are.",
  }
end
-- Half of the GPUs, with the run at its end, and all of them.
local function few_and_many(n)
  local few = ring_of(n // 2)
  few:go(few.steps)
  return few, ring_of(n)
end
local eight = ring_of(8)
question = with_more(four, eight)
question.again = function(round)
  return with_more(few_and_many(({ 6, 4, 12 })[round]))
end
predict(question)
assert(four:sent(0) == 72 and eight.steps == 14 and S // eight.ranks == 6)

local two = ring_of(2)
two:finish()
assert(two:sent(0) == S)
say(_"The least is at N=2: each sends and receives %d bytes, S. So it is S at 2 \z
      GPUs, 1.5 S at 4, %.2f S at 8, and towards 2 S. \"In a ring no node \z
      receives all the data\" is wrong: each receives at least S."
    :format(two:sent(0), eight:sent(0) / S))
for rank = 0, 1 do assert(two:received(rank) == S) end
assert(eight:received(0) == eight:sent(0))

local function total(r)
  local bytes = 0
  for rank = 0, r.ranks - 1 do bytes = bytes + r:sent(rank) end
  return bytes
end

-- How many bytes all links together carry if there are more GPUs.
local function total_with_more(few, many)
  few:show()
  return {
    _"\"The total traffic of a ring does not depend on N.\" On %d GPUs all links \z
      together carried %d bytes, S = %d. And on %d?"
    :format(few.ranks, total(few), S, many.ranks),
    kind = "number",
    hints = { _"How many bytes does each of %d GPUs send?":format(many.ranks) },
    wrong = {
      [total(few)] = _"Twice as many GPUs, and none of them sends less than \z
                       before.",
      [2 * total(few)] = _"Twice as many GPUs. And each sends a little more.",
      [many.ranks * 2 * S] = _"That is 2 S from each. It is a little less.",
    },
    answer = function() many:go(many.steps) return total(many) end,
    why = _"2(N-1) S in all. What hardly depends on N is what one GPU sends.",
  }
end
question = total_with_more(four, eight)
question.again = function(round)
  return total_with_more(few_and_many(({ 4, 6, 12 })[round]))
end
predict(question)
assert(total(four) == 2 * 3 * S and total(eight) == 2 * 7 * S)

say(_"Can it be less? Before any GPU has an element's whole sum, N-1 messages \z
      must have brought the parts together. Then N-1 GPUs still have to get \z
      it. So 2(N-1) S in all: the busiest of the N GPUs sends at least \z
      2(N-1)/N S, and the busiest receives at least as much.")
say(_"A ring sends and receives exactly that: it is not near the bound, it is \z
      the bound (Patarasuk & Yuan 2009). It holds as long as GPUs do the \z
      adding. A switch that adds goes below it: SHARP, NVLS. There about S \z
      goes out of each GPU and about S comes in, whatever N is.")

say(_"What is there to send over? NVLink joins GPUs of one machine. NVSwitch \z
      joins all their NVLinks, so that any two can talk: a ring is only an \z
      order then. If this switch adds, that is NVLS; if the switches between \z
      machines do, SHARP. Both are called in-network reduction.")

local costs =
  compare "ring-allreduce butterfly-allreduce --gpus 16 --count 48 \z
           --type uint8 --network ethernet"
local ring, butterfly = costs[1], costs[2]
assert(math.abs(ring.time - 20 * ring.steps) < 1) -- beta is next to nothing
assert(math.abs(butterfly.time - 20 * butterfly.steps) < 1)
say(_"Now the messages, on 16 GPUs. The ring takes %d steps, a butterfly (lesson \z
      13) %d, though with more bytes: %d against %d. In the alpha-beta model each \z
      message that a port carries after another costs alpha, each byte beta. \z
      Here a GPU sends one and receives one a step: time = steps x alpha + \z
      bytes x beta."
    :format(ring.steps, butterfly.steps, butterfly.sent, ring.sent))

-- How many times as long a ring takes on more GPUs, if only starts count.
local function slower(n, more)
  local function time_of(ranks)
    return compare(("ring-allreduce butterfly-allreduce --gpus %d --count %d \z
                     --network alpha=20us,beta=0ns"):format(ranks, ranks))[1].time
  end
  return {
    _"\"A ring's time hardly depends on N.\" With next to no data only alpha \z
      counts. How many times as long as on %d GPUs does a ring all-reduce take on \z
      %d?":format(n, more),
    kind = "number",
    hints = { _"Count the steps on %d GPUs, and on %d.":format(n, more) },
    wrong = {
      [1] = _"That may be so with much data. Here each step costs one alpha.",
      [more / n] = _"The number of GPUs grows by that. Count the steps: 2(N-1).",
      [(more - 1) / more * n / (n - 1)] = _"The bytes of a GPU grow by that. With \z
                                            next to no data they cost nothing.",
      [2 * (more - 1)] = _"So many alphas it takes there. How many on %d GPUs?"
                         :format(n),
    },
    answer = function()
      local few = time_of(n)
      return time_of(more) / few
    end,
    why = _"2(N-1) alpha grows with N, and with little data it is nearly all of \z
            the time. With much data the bytes decide.",
  }
end
question = slower(4, 16)
question.again = function(round)
  return slower(({ 2, 3, 5 })[round], ({ 8, 9, 17 })[round])
end
predict(question)

local limit = (ring.steps - butterfly.steps) / (butterfly.sent - ring.sent) * S
local function limit_of(n) -- by the formulas
  local log = math.log(n, 2)
  return (2 * (n - 1) - log) / (log - 2 * (n - 1) / n)
end
assert(math.abs(limit - limit_of(16)) < 1e-6 and limit_of(32) > limit)

-- On such a network: the ring loses just below the limit, and wins above it.
local function race(bytes)
  local c = compare(("ring-allreduce butterfly-allreduce --gpus 16 \z
                      --type uint8 --network alpha=1us,beta=0.04ns \z
                      --count %d"):format(bytes // 16 * 16))
  return c[1].time, c[2].time
end
local slow, fast = race(0.9 * limit * 25e3)
assert(slow > fast)
local quick, late = race(1.1 * limit * 25e3)
assert(quick < late)
say(_"Here both are about even: on 16 GPUs the butterfly is faster for S below \z
      %.1f alpha/beta. If alpha is 1 us and a link moves 25 GB/s, alpha/beta is \z
      25 kB, and that is %.0f kB. S in the table is a tenth more: the ring wins. \z
      With more GPUs the limit is higher. The model ignores links that are \z
      shared, and the time of the additions."
    :format(limit, 25 * limit))

eight:show()
play {
  _"With a: 2, 5, 16 GPUs. Watch the steps grow, and look how little the \z
    bytes of a GPU do. Then butterfly-allreduce with 16 GPUs.",
  try = { "2", "5", "16", "butterfly-allreduce" },
}

remember {
  _"A ring: 2(N-1)/N S out of and into each GPU; S at N=2, towards 2 S.",
  _"That is the least there can be, unless the network does the adding.",
  _"Its 2(N-1) steps grow with N: with little data on many GPUs it loses.",
}
used {
  nccl = "ncclAllReduce (NCCL_ALGO=Ring, Tree, NVLS, ...)",
  pytorch = "torch.distributed.all_reduce",
  mpi = "MPI_Allreduce",
  text = _"FSDP and ZeRO call the two halves, all-gather and reduce-scatter, \z
           on their own: (N-1)/N S each.",
}
