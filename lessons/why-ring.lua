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
    steps, each of which has to be started.\n\n\z
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
}
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
say(_"Now the steps, with 16 GPUs. A ring takes %d, a butterfly (lesson 13) \z
      only %d, though with more bytes: %d against %d. The alpha-beta model \z
      gives each its price: time = steps x alpha + bytes x beta."
    :format(ring.steps, butterfly.steps, butterfly.sent, ring.sent))

predict {
  _"\"A ring's time hardly depends on N.\" From 4 to 16 GPUs steps go from %d \z
    to %d, bytes a GPU from %d to %d. Where is the sentence wrong?"
    :format(four.steps, ring.steps, four:sent(0), ring.sent),
  choices = { _"with little data", _"with much data", _"nowhere" },
  hints = { _"Steps grew more than bytes. When do steps decide?" },
  wrong = {
    [2] = _"With much data the bytes decide, and these grew by a quarter.",
    [3] = _"Steps grew five times. When is each step worth more than its \z
            bytes?",
  },
  answer = function()
    local steps, bytes = ring.steps / four.steps, ring.sent / four:sent(0)
    assert(steps >= 5 and bytes <= 1.25)
    return steps > bytes and 1 or 2
  end,
  why = _"2(N-1) alpha grows with N, and with little data it is nearly all of \z
          the time. With much data the bytes decide.",
}

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
say(_"On 16 GPUs the butterfly is faster for S below %.1f alpha/beta. If a \z
      step takes 1 us to start and a link moves 25 GB/s, alpha/beta is 25 kB, \z
      and that is %.0f kB; on more GPUs it is more. The model ignores links \z
      that are shared, and the time of the additions."
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
