-- SPDX-License-Identifier: MIT
lesson {
  number = 11,
  day = 3,
  minutes = 5,
  lecture = 5,
  title = _"Why a ring, and when not",
  idea = _"No all-reduce among GPUs moves fewer bytes; the ring pays in steps.",
}

lecture()
say {
  _"How good is a ring? A GPU has a port out and a port in, and a port carries \z
    one message after another. A message takes a time alpha to start, and a \z
    time beta for each of its bytes.\n\n\z
    In a ring each GPU sends one message and receives one in each step. So its \z
    time is steps x alpha + bytes x beta. Where a GPU sends two messages in a \z
    step, or receives two, that step costs two alpha.\n\n\z
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
lecture()
four:step()
say(_"Look at any GPU: one chunk went out and one came in. Each has a port in \z
      and a port out, and both are busy in every step, all at the same time. \z
      Nobody waits while others work.")

predict {
  _"Each GPU has sent %d bytes in this step. How many has it sent after all %d \z
    steps?":format(four:sent(0), four.steps),
  kind = "number",
  hints = { _"Every step is like this one." },
  wrong = {
    [S] = _"That would take 4 steps of 12 bytes.",
    [2 * S] = _"That would take 8 steps of 12 bytes.",
    [36] = _"That is one half, the reduce-scatter.",
  },
  answer = function() four:finish() return four:sent(0) end,
  why = _"2(N-1) steps of S/N each: 2(N-1)/N S, here 1.5 S.",
  again = function(round)
    local n, chunk = ({ 5, 8, 3 })[round], ({ 10, 4, 20 })[round]
    local other = run(("ring-allreduce --type uint8 --gpus %d --count %d")
                      :format(n, n * chunk))
    return {
      _"A ring all-reduce on %d GPUs, in chunks of %d bytes. How many bytes has \z
        each GPU sent at the end?":format(n, chunk),
      kind = "number",
      hints = { _"How many steps are there? Each GPU sends a chunk in each." },
      wrong = {
        [n * chunk] = _"That is all its data, S. It sends more than that.",
        [2 * n * chunk] = _"2 S is what it never reaches.",
        [(n - 1) * chunk] = _"That is one half, the reduce-scatter.",
      },
      answer = function() other:finish() return other:sent(0) end,
      why = _"2(N-1) steps, and a chunk in each.",
    }
  end,
}
for k = 1, four.steps do
  local out, into = {}, {}
  for _, t in ipairs(four:transfers(k)) do
    assert(not out[t.src] and not into[t.dst] and t.bytes == S // four.ranks)
    out[t.src], into[t.dst] = true, true
  end
  assert(#four:transfers(k) == four.ranks)
end
assert(four:sent(0) == 1.5 * S)

local eight = ring_of(8)
lecture()
predict {
  _"Now 8 GPUs, S is still 48. With 4 each sent 72 bytes. And with 8?",
  kind = "number",
  hints = {
    _"Twice as many GPUs: chunks half as big. And how many steps?",
    _"14 steps, 6 bytes each.",
  },
  wrong = {
    [72] = _"Chunks are half as large, but the steps are more than twice as \z
             many.",
    [144] = _"Twice the steps and more, but chunks half as large.",
    [96] = _"That is 2 S. Count the steps: is it quite that many?",
    [42] = _"That is one half, the reduce-scatter.",
  },
  notes = _"Take a vote before anybody works it out: twice as much, the same, \z
            or a little more?",
  answer = function() eight:finish() return eight:sent(0) end,
  why = _"2(N-1)/N S grows, but slowly: it is 2 S less two chunks, and stays \z
          below 2 S however many GPUs there are.",
  again = function(round)
    local n = ({ 6, 3, 12 })[round]
    local other = ring_of(n)
    return {
      _"A ring all-reduce on %d GPUs, S = %d bytes. How many bytes does each GPU \z
        send?":format(n, S),
      kind = "number",
      wrong = {
        [S] = _"Only at N=2 is it S.",
        [2 * S] = _"2 S is what it never reaches.",
        [S * (n - 1) // n] = _"That is one half, the reduce-scatter.",
      },
      answer = function() other:finish() return other:sent(0) end,
      why = _"2(N-1) steps of S/N each.",
    }
  end,
}
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

four:show()
predict {
  _"\"The total traffic of a ring does not depend on N.\" With 4 GPUs all \z
    links together carried %d bytes. And with 8?":format(total(four)),
  kind = "number",
  hints = { _"With 8 GPUs each sends 84 bytes. How many are they?" },
  wrong = {
    [288] = _"Twice as many GPUs, and none of them sends less than before.",
    [336] = _"That is 4 times 84. How many GPUs are there now?",
    [576] = _"That is 8 times 72. Each sends more than 72 now.",
  },
  answer = function() return total(eight) end,
  why = _"2(N-1) S in all. What hardly depends on N is what one GPU sends.",
  again = function(round)
    local n = ({ 6, 3, 16 })[round]
    local other = ring_of(n)
    return {
      _"A ring all-reduce on %d GPUs, S = %d bytes. How many bytes do all links \z
        carry together?":format(n, S),
      kind = "number",
      hints = { _"What does one GPU send? And how many GPUs are there?" },
      wrong = {
        [2 * S * (n - 1) // n] = _"That is what one GPU sends.",
        [n * S] = _"That is what all have. Each GPU sends more than it has.",
        [2 * n * S] = _"A GPU sends a little less than 2 S.",
      },
      answer = function() other:finish() return total(other) end,
      why = _"2(N-1) S in all.",
    }
  end,
}
assert(total(four) == 2 * 3 * S and total(eight) == 2 * 7 * S)

lecture "spare"
say(_"Can it be less? Before any GPU has an element's whole sum, N-1 messages \z
      must have brought the parts together. Then N-1 GPUs still have to get \z
      it. So 2(N-1) S in all: the busiest of the N GPUs sends at least \z
      2(N-1)/N S, and the busiest receives at least as much.")
local nvls = compare "ring-allreduce nvls-allreduce --gpus 16"
local all = 16 * 2 * 4 -- S, as in the table
for _, way in ipairs(nvls) do assert(way.sent == way.received) end
assert(nvls[1].sent * 16 == 30 * all and nvls[2].sent * 16 == 17 * all)
say(_"A ring sends and receives exactly that: it is not near the bound, it is \z
      the bound (Patarasuk & Yuan 2009), as long as GPUs do the adding. A \z
      switch that adds goes below it (NVLS, SHARP; lesson 23): on 16 GPUs each \z
      sends %.2f S then, where a ring sends %.2f S."
    :format(nvls[2].sent / all, nvls[1].sent / all))

say(_"What is there to send over? NVLink joins GPUs of one machine. NVSwitch \z
      joins all their NVLinks, so that any two can talk: a ring is only an \z
      order then. If this switch adds, that is NVLS; if the switches between \z
      machines do, SHARP. Both are called in-network reduction.")

-- A ring of n on ethernet, with S bytes: the time in whole microseconds.
local function slow_ring(n)
  local costs = compare(("ring-allreduce butterfly-allreduce --gpus %d \z
                          --count 48 --type uint8 --network ethernet"):format(n))
  return math.floor(costs[1].time + 0.5), costs
end
local before, few = slow_ring(4)
local ALPHA = before // few[1].steps
assert(ALPHA == 20 and before == few[1].steps * ALPHA)
local costs, ring, butterfly
lecture()
predict {
  _"Now the steps. \"A ring's time hardly depends on N.\" On ethernet alpha is \z
    %d us, and 4 GPUs with 48 bytes each take %d us. How many microseconds do \z
    16 GPUs take, to the nearest one?":format(ALPHA, before),
  kind = "number",
  hints = {
    _"How many steps does a ring of 16 take?",
    _"Each step costs 20 us. The bytes hardly count: there are 90 of them.",
  },
  wrong = {
    [before] = _"Each GPU sends hardly more bytes. But are there more steps?",
    [2 * before] = _"The steps have grown more than that.",
    [4 * before] = _"Four times the GPUs are not quite four times the steps.",
    [150] = _"That would be so if the time grew as the bytes of a GPU.",
    [300] = _"That is one half, the reduce-scatter.",
  },
  answer = function()
    local time
    time, costs = slow_ring(16)
    ring, butterfly = costs[1], costs[2]
    assert(time == ring.steps * ALPHA)
    return time
  end,
  why = _"2(N-1) steps of alpha each, one after another: with little data that \z
          is nearly all of the time. With much data the bytes decide.",
  again = function(round)
    local n = ({ 8, 5, 32 })[round]
    return {
      _"A ring all-reduce of 48 bytes on %d GPUs. A message takes %d us to start, \z
        and the bytes hardly count. How many microseconds does it take, to \z
        the nearest one?":format(n, ALPHA),
      kind = "number",
      hints = { _"How many steps are there? Each costs alpha once." },
      wrong = {
        [n * ALPHA] = _"A ring takes more steps than it has GPUs.",
        [(n - 1) * ALPHA] = _"That is one half, the reduce-scatter.",
        [2 * n * ALPHA] = _"Close: a half has N-1 steps.",
      },
      answer = function() return (slow_ring(n)) end,
      why = _"2(N-1) alpha.",
    }
  end,
}
lecture()
say(_"A butterfly (lesson 13) sends more bytes, %d against %d, but takes only %d \z
      steps: %.0f us instead of %.0f. In it, too, each GPU sends one message \z
      and receives one in each step."
    :format(butterfly.sent, ring.sent, butterfly.steps, butterfly.time,
            ring.time))
assert(math.floor(butterfly.time + 0.5) == butterfly.steps * ALPHA)

local limit = (ring.steps - butterfly.steps) / (butterfly.sent - ring.sent) * S
local function limit_of(n) -- by the formulas
  local log = math.log(n, 2)
  return (2 * (n - 1) - log) / (log - 2 * (n - 1) / n)
end
assert(math.abs(limit - limit_of(16)) < 1e-6 and limit_of(32) > limit)

-- A network of alpha = 1 us and 25 GB/s, where alpha/beta is 25 kB.
local function race(bytes)
  local c = compare(("ring-allreduce butterfly-allreduce --gpus 16 \z
                      --type uint8 --network alpha=1us,beta=0.04ns \z
                      --count %d"):format(bytes))
  for _, way in ipairs(c) do
    assert(math.abs(way.time - way.steps - way.sent * 0.04e-3) < 2e-3)
  end
  return c[1].time, c[2].time
end
local bytes = 256 * 1024
local slow, fast = race(bytes)
assert(slow > fast and bytes < limit * 25e3)
say(_"A faster network: alpha is 1 us, and a link moves 25 GB/s, which is a beta \z
      of 0.04 ns. With S = %d bytes the ring takes %d x 1 us + %d x 0.04 ns = \z
      %.1f us. The butterfly's few steps still win: %.1f us."
    :format(bytes, ring.steps, ring.sent * bytes // S, slow, fast))
local quick, late = race(2 * bytes)
assert(quick < late and 2 * bytes > limit * 25e3)
say(_"With twice as much, %d bytes, the ring wins: %.1f us against %.1f. The two \z
      are equal where S is %.1f alpha/beta, here %.0f kB; on more GPUs it is \z
      more. This model ignores links that are shared, and the time of the \z
      additions."
    :format(2 * bytes, quick, late, limit, 25 * limit))

-- To wire: no GPU may send more than 2(N-1)/N S, and there are fewer steps than
-- in a ring.
local function wire(n, links, text, steps)
  return {
    text:format(n, #steps, #steps),
    kind = "wiring", of = "all-reduce", ranks = n, links = links, chunks = 2,
    par = { steps = #steps, chunks = #steps },
    hints = { _"In step 1 two GPUs share the work: each sends the other one half, \z
                and adds up the other half.",
              _"In the last step they give each other the complete halves." },
    answer = function() return steps end,
  }
end
local four_gpus = { "0>1 +1, 1>0 +0, 2>3 +1, 3>2 +0",
                    "0>2 +0, 2>0 +0, 1>3 +1, 3>1 +1",
                    "0>1 =0, 1>0 =1, 2>3 =0, 3>2 =1" }
question = wire(4, "any", _"Make one within 1.5 S: an all-reduce of %d GPUs \z
                            whose data has 2 halves, in %d steps. No GPU may send \z
                            more than %d halves.", four_gpus)
question.again = function(round)
  if round == 1 then
    return wire(4, "cube", _"%d GPUs stand in a square: GPU 0 has links to GPU 1 \z
                             and 2, GPU 3 as well. All-reduce data of 2 halves in \z
                             %d steps; no GPU may send more than %d halves.",
                four_gpus)
  elseif round == 2 then
    return {
      _"%d GPUs whose data has %d parts, and each can send to both others in one \z
        step. All-reduce it in %d steps; no GPU may send more than %d parts."
        :format(3, 3, 2, 4),
      kind = "wiring", of = "all-reduce", ranks = 3, chunks = 3, ports = 2,
      par = { steps = 2, chunks = 4 },
      hints = { _"In step 1 each GPU adds up one part for all.",
                _"In the last step each sends its complete part to both others." },
      answer = function()
        return { "0>1 +1, 0>2 +2, 1>0 +0, 1>2 +2, 2>0 +0, 2>1 +1",
                 "0>1 =0, 0>2 =0, 1>0 =1, 1>2 =1, 2>0 =2, 2>1 =2" }
      end,
    }
  end
  return wire(4, "ring", _"%d GPUs stand in a ring and can send both ways. \z
                           All-reduce data of 2 halves in %d steps; no GPU may \z
                           send more than %d halves.",
              { "0>1 +1, 1>0 +0, 2>3 +0, 3>2 +1",
                "0>3 +0, 3>0 +0, 1>2 +1, 2>1 +1",
                "0>1 =0, 1>0 =1, 2>3 =1, 3>2 =0" })
end
predict(question)

eight:show()
play {
  _"With a: 2, 5, 16 GPUs. Watch the steps grow, and look how little the \z
    bytes of a GPU do. Then butterfly-allreduce with 16 GPUs.",
  try = { "2", "5", "16", "butterfly-allreduce" },
}

lecture()
remember {
  _"A ring: 2(N-1)/N S out of and into each GPU; S at N=2, towards 2 S.",
  _"That is the least there can be, unless the network does the adding.",
  _"Its 2(N-1) steps grow with N: little data on many GPUs makes it slow.",
}
used {
  nccl = "ncclAllReduce (NCCL_ALGO=Ring, Tree, NVLS, ...)",
  pytorch = "torch.distributed.all_reduce",
  mpi = "MPI_Allreduce",
  text = _"FSDP and ZeRO call the two halves, all-gather and reduce-scatter, \z
           on their own: (N-1)/N S each.",
}
