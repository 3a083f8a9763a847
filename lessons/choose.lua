-- SPDX-License-Identifier: MIT
lesson {
  number = 22,
  day = 7,
  minutes = 10,
  picture = "tree-allreduce --gpus 4",
  title = _"Which algorithm, for which size",
  idea = _"Measure it, or model it: the answer depends on the machine, on N \z
           and on S.",
}

say {
  _"Rings, trees, butterflies: which one is the fastest? You can measure it, on \z
    the machine that will do the work. On GPUs people use nccl-tests for that; \z
    collviz bench measures in the same way and prints the same columns.\n\n\z
    Or a model computes the times, as for a machine that you do not have. You \z
    will do both. First learn to read the table.",
  notes = _"Every figure of the first half is measured on the machine in front \z
            of the class, so it is another one each time. Let the class read \z
            the table aloud, column by column.",
}

-- The question's lines without that of the true answer.
local function others(truth, lines)
  lines[truth] = nil
  return lines
end

local small = "ring-allreduce --gpus 4 -b 32 -e 128K -f 8 -n 100"
local rows = bench(small)
say(_"This machine has just run our ring on four ranks. A row is one size, from \z
      %d to %d bytes, or %d to %d floats. The time is that of one call, the mean of \z
      100. In place the result overwrites the input. redop is the operation; root \z
      is -1, as no rank is the root. The average in the head depends on the sizes \z
      that were chosen."
    :format(rows[1].size, rows[#rows].size, rows[1].count, rows[#rows].count))

-- The largest size that one thread ran for all ranks, or 0.
local function largest_alone(list)
  local largest = 0
  for _, row in ipairs(list) do
    if row.alone then largest = math.max(largest, row.size) end
  end
  return largest
end
local net = run "ring-allreduce --gpus 4 --count 300000 \z
                 --network alpha=10us,beta=0.1ns"
net:go(net.steps)
predict {
  _"A benchmark prints %d bytes and %.0f us for a ring of 4. What does it \z
    print as algbw, in GB/s?":format(net.bytes, net:time()),
  kind = "number",
  hints = { _"algbw = S/t (lesson 12). 1 GB is 10^9 bytes, not 2^30." },
  wrong = {
    [5000] = _"That is bytes per microsecond: MB/s.",
    [7.5] = _"That is busbw, 2(N-1)/N times as much.",
    [4.66] = _"That is with 2^30 bytes to a GB. Here G is 10^9, as in the speed \z
               of links.",
    [0.2] = _"That is t/S. Divide the other way round.",
  },
  answer = function() return net.bytes / net:time() / 1e3 end,
  why = _"A size of 128K is 131072 bytes, with K = 2^10; but a GB/s is 10^9 \z
          bytes a second. Mixing the two up is an error of 7 per cent.",
  again = function(round)
    local count, us = ({ 300000, 900000, 300000 })[round], ({ 20, 10, 70 })[round]
    local other = run(("ring-allreduce --gpus 4 --count %d --network \z
                        alpha=%dus,beta=0.1ns"):format(count, us))
    other:go(other.steps)
    local algbw = other.bytes / other:time() / 1e3
    return {
      _"A benchmark prints %d bytes and %.0f us for a ring of 4. What does it \z
        print as algbw, in GB/s?":format(other.bytes, other:time()),
      kind = "number",
      hints = { _"algbw = S/t. 1 GB is 10^9 bytes." },
      wrong = {
        [algbw * 1000] = _"That is bytes per microsecond: MB/s.",
        [algbw * 1.5] = _"That is busbw, 2(N-1)/N times as much.",
        [1 / algbw] = _"That is t/S. Divide the other way round.",
      },
      answer = function() return algbw end,
      why = _"S/t.",
    }
  end,
}
assert(math.abs(net:time() - 240) < 1e-6)

-- What a table says of its results: 1 all are right, 2 nothing, 3 at least one is wrong.
local function known(command, where)
  for _, row in ipairs(bench(command)) do
    local wrong = row.wrong
    if where == "in_place" then wrong = row.in_place.wrong end
    if wrong then return wrong == 0 and 1 or 3 end
  end
  return 2
end
predict {
  _"#wrong counts elements that are not what they should be. In somebody's \z
    table it says N/A in every row. What do you know about these results?",
  choices = { _"they are all right", _"nothing at all", _"at least one is wrong" },
  hints = { _"nccl-tests compares the results by default (-c 1). Somebody may \z
             have switched that off (-c 0)." },
  wrong = {
    [1] = _"Then it would say 0.",
    [3] = _"Then it would say how many.",
  },
  answer = function() return known(small .. " -c 0", "wrong") end,
  why = _"They were not compared with anything (-c 0). A fast wrong result is \z
          worth nothing, so look for the 0. In place, nccl-tests never checks \z
          an all-to-all.",
  again = function(round)
    local command = ({ "pairwise-alltoall --gpus 3 -b 96 -e 96 -n 2",
                       "ring-allreduce --gpus 3 -b 96 -e 96 -n 2",
                       "chain-broadcast --gpus 3 -b 96 -e 96 -n 2 -c 0" })[round]
    local said = ({ _"In nccl-tests' table of an all-to-all, #wrong is N/A in place.",
                    _"In nccl-tests' table of an all-reduce, #wrong is 0 in place.",
                    _"In nccl-tests' table of a broadcast, #wrong is N/A in place."
                  })[round]
    local lines = {
      _"Then it would say 0.",
      _"A number there says that the results were compared.",
      _"Then it would say how many.",
    }
    if round == 2 then lines[3] = _"It counts wrong elements, and counted none." end
    return {
      _"%s What do you know about these results?":format(said),
      choices = { _"they are all right", _"nothing at all", _"at least one is wrong" },
      wrong = others(round == 2 and 1 or 2, lines),
      answer = function() return known(command, "in_place") end,
      why = _"N/A: not compared with anything. 0: compared, and all were right.",
    }
  end,
}

-- The crossover, on this machine.
local costs = compare "ring-allreduce butterfly-allreduce --gpus 8 --count 8"
assert(costs[1].name == "ring-allreduce")
bench(small)
local pair = "ring-allreduce butterfly-allreduce --gpus 8 -b 32 -e 128K -f 16 -n "
say(_"Now two algorithms, on 8 ranks. The ring takes %d steps and sends %d bytes \z
      a rank here; the butterfly (lesson 13) only %d steps, but %d bytes. \z
      Steps count for small data, bytes for large data. Where does the one \z
      outweigh the other?"
    :format(costs[1].steps, costs[1].sent, costs[2].steps, costs[2].sent))

-- Returns the number of the first row from which on the ring is faster, or 0,
-- and a row where noise could have changed that, or nil: there, or in the row
-- before it, neither takes 1.3 times as long as the other.
local function crossover(rows)
  local n, at = #rows // 2, 0
  local function close(i)
    local ring, butterfly = rows[i].time, rows[n + i].time
    return math.max(ring, butterfly) < 1.3 * math.min(ring, butterfly) and i
  end
  for i = n, 1, -1 do
    assert(rows[i].size == rows[n + i].size)
    if rows[i].time >= rows[n + i].time then break end
    at = i
  end
  return at, close(at > 0 and at or n) or (at > 1 and close(at - 1)) or nil
end

local two = bench(pair .. 100)
local at, close = crossover(two)
if close then -- some other program may have disturbed it
  two = bench(pair .. 200)
  at, close = crossover(two)
end
local n = #two // 2
local from = at > 0 and two[at].size or 0

local lines = {
  [0] = _"Look at the last row of each: is the ring faster there?",
}
for i = 1, n do
  if i < at then
    lines[two[i].size] = _"In that row or in one below it the butterfly is \z
                           faster."
  elseif at > 0 then
    lines[two[i].size] = _"It is faster there, but so it is in the row above."
  else
    lines[two[i].size] = _"Look at the last row of each, too."
  end
end
-- By the model: where a ring and a butterfly take the same time, in kB.
local function equal_at(ranks, us)
  local c = chart(("ring-allreduce butterfly-allreduce --gpus %d \z
                    --network alpha=%dus,beta=0.1ns"):format(ranks, us))
  assert(#c.fastest == 2 and c.fastest[2].name == "ring")
  return math.floor(c.fastest[2].from / 1000 + 0.5)
end
predict {
  _"Compare the times, out of place. From which size on is the ring faster, in \z
    that row and in all below it? (In bytes; 0 if it is in none.)",
  kind = "number",
  hints = { _"Begin with the last row of each, and go up while the ring takes \z
             less time." },
  wrong = others(from, lines),
  answer = function() return from end,
  why = _"Each size has a row in both tables: the smaller time wins.",
  again = function(round)
    local ranks, us = ({ 4, 8, 4 })[round], ({ 10, 10, 50 })[round]
    local ring, fly = 2 * (ranks - 1), ranks == 4 and 2 or 3
    return {
      _"%d GPUs, alpha is %d us, and a kB takes 0.1 us. A ring takes %d steps and \z
        sends %.2f S, a butterfly %d steps and %d S. For how many kB do both \z
        take the same time?":format(ranks, us, ring, ring / ranks, fly, fly),
      kind = "number",
      hints = { _"What do the ring's steps cost more? And the butterfly's bytes?" },
      wrong = {
        [us * 10] = _"That is alpha/beta. It is a multiple of that.",
        [(ring - fly) * us] = _"That is what the ring's steps cost more, in us.",
        [0] = _"With no data the butterfly is faster: it takes fewer steps.",
      },
      answer = function() return equal_at(ranks, us) end,
      why = _"Where the steps saved cost as much as the bytes added.",
    }
  end,
}

local function us(time) return (time < 100 and "%.2f" or "%.0f"):format(time) end
if close then
  say(_"Is that sure? For %d bytes the ring takes %s us and the butterfly %s: \z
        neither takes 1.3 times as long as the other, so the next measurement \z
        may say otherwise. Measure with more calls (-n), or when the machine \z
        is idle."
      :format(two[close].size, us(two[close].time), us(two[n + close].time)))
elseif at > 1 then
  say(_"So on this machine the ring is faster from %d bytes on, and at %d bytes \z
        the butterfly still is. Where in between the curves cross was not \z
        measured: collviz bench with -f 2 comes closer. On a busy machine it \z
        is another size each time, so measure twice."
      :format(two[at].size, two[at - 1].size))
elseif at == 1 then
  say(_"So on this machine the ring was faster at every size, from %d to %d \z
        bytes: these curves do not cross. Either a step costs next to nothing \z
        here, or the machine was busy: measure again before you believe it."
      :format(two[1].size, two[n].size))
else
  say(_"So on this machine the ring was not faster at the largest size, %d \z
        bytes: the curves do not cross for good below it. Perhaps they do above \z
        it, or the machine was busy. Measure again, with larger sizes."
      :format(two[n].size))
end

local alone = largest_alone(two)
if alone > 0 then
  say(_"Mind what was measured: up to %d bytes one thread ran all ranks, so a \z
        step cost some nanoseconds. Between GPUs it costs microseconds, between \z
        hosts tens of them: crossovers are far higher there.":format(alone))
else
  say(_"Mind what was measured: the ranks ran on several cores or GPUs, and a \z
        step waited for data from another one. What that costs differs from \z
        machine to machine, and the crossover with it.")
end

-- On a network's clock: modelled.  From which size on a ring is the fastest.
local function crossing(command)
  local c = chart(command)
  assert(#c.fastest == 2 and c.fastest[2].name == "ring")
  return c.fastest[2].from
end
local both = "ring-allreduce butterfly-allreduce --network "
say(_"For a machine that you do not have, a model computes the times: alpha for \z
      each message that a GPU sends after another, one a step here, and beta for \z
      each byte (lesson 11).")

-- The same, in whole alpha/beta.
local function multiple(ranks)
  local from = crossing(both .. "alpha=10us,beta=0.1ns --gpus " .. ranks)
  return math.floor(from / 100e3 + 0.5)
end
local function log2(n) return math.floor(math.log(n, 2) + 0.5) end
predict {
  _"A ring takes 14 alpha + 1.75 S beta, a butterfly 3 alpha + 3 S beta. Where \z
    the curves cross, the two are equal. How many alpha/beta is S there, to the \z
    nearest whole number?",
  kind = "number",
  hints = {
    _"The ring's steps cost 11 alpha more. What do the butterfly's bytes cost more?",
    _"11 alpha = 1.25 S beta.",
  },
  wrong = {
    [11] = _"11 alpha are what the ring's steps cost more. Divide by the \z
             difference in bytes.",
    [14] = _"The butterfly has steps, too.",
    [6] = _"The ring sends bytes, too: subtract them.",
    [1] = _"At S = alpha/beta the ring takes 15.75 alpha, the butterfly 6.",
  },
  answer = function() return multiple(8) end,
  why = _"11/1.25 = 8.8. alpha/beta is what a link moves while a message starts.",
  again = function(round)
    local n = ({ 4, 16, 32 })[round]
    return {
      _"%d GPUs. A ring takes %d alpha + %s S beta, a butterfly %d alpha + %d S \z
        beta. How many alpha/beta is S where the two are equal, to the nearest \z
        whole number?":format(n, 2 * (n - 1), 2 * (n - 1) / n, log2(n), log2(n)),
      kind = "number",
      hints = { _"What do the ring's steps cost more? And the butterfly's bytes?" },
      wrong = {
        [2 * (n - 1) - log2(n)] = _"That is what the ring's steps cost more. \z
                                    Divide by the difference in bytes.",
        [2 * (n - 1)] = _"The butterfly has steps, too.",
        [1] = _"There the butterfly is faster by far.",
      },
      answer = function() return multiple(n) end,
      why = _"The difference in steps, divided by the difference in bytes.",
    }
  end,
}
assert(costs[1].steps == 14 and costs[2].steps == 3)
assert(costs[1].sent / costs[2].sent == 1.75 / 3)

local function with(us)
  return crossing(both .. ("alpha=%dus,beta=0.08ns --gpus 8"):format(us))
end
local function times(us)
  local before = with(20)
  local ratio = with(us) / before
  return math.floor(ratio * 100 + 0.5) / 100
end
predict {
  _"8 GPUs again. In another network alpha is 100 us instead of 20 us, and \z
    beta, the time of a byte, is the same. How many times as large is the size \z
    where the two curves cross?",
  kind = "number",
  hints = { _"Time = steps x alpha + bytes x beta. Where are the two times \z
             equal?" },
  wrong = {
    [1] = _"Every step is more expensive now, and one of the two has more steps.",
    [0.2] = _"Steps are more expensive now. Which of the two has more of them?",
    [25] = _"In how many of the two terms is alpha?",
  },
  answer = function() return times(100) end,
  why = _"Five times: they cross at a fixed multiple of alpha/beta, the bytes \z
          that a link moves while a message starts.",
  again = function(round)
    local us = ({ 40, 200, 60 })[round]
    return {
      _"A ring against a butterfly on 8 GPUs. alpha grows from 20 us to %d us, \z
        beta is the same. How many times as large is the size where the two \z
        curves cross?":format(us),
      kind = "number",
      wrong = {
        [1] = _"Every step is more expensive now, and one of the two has more steps.",
      },
      answer = function() return times(us) end,
      why = _"They cross at a fixed multiple of alpha/beta.",
    }
  end,
}

local nccl = "ring-allreduce double-tree-allreduce --network ethernet --gpus "
-- Which of the two is faster: 1 the ring, 2 the tree, 3 the tree and then the
-- ring, 4 the other way round.
local function winner(ranks)
  local c = chart(nccl .. ranks)
  local f = c.fastest
  if #f == 1 then return f[1].name == "ring" and 1 or 2, c end
  return f[1].name == "ring" and 4 or 3, c
end
local which, few = winner(4)
local alpha = few.curves[1].points[1][2] / 6 -- the steps of a ring of 4
assert(which == 1)

local eight = crossing(both .. "ethernet --gpus 8")
local more = crossing(both .. "ethernet --gpus 64")
local unit = 20e3 / 0.08 -- alpha/beta on ethernet, in bytes
assert(math.abs(alpha - 20) < 0.01 and more > eight)
say(_"On ethernet alpha/beta is %.0f kB, and the curves cross at %.2f MB, %.1f times \z
      that, as adding takes time, too. With 64 GPUs, as here, they cross at %.2f \z
      MB: the more GPUs, the larger the data must be for a ring. So a threshold \z
      that was right on one machine is wrong on another."
    :format(unit / 1e3, eight / 1e6, eight / unit, more / 1e6))

local many
predict {
  _"NCCL has no butterfly. It has rings and double trees. With 4 GPUs on \z
    ethernet the tree is never faster. Which is faster with 64?",
  choices = { _"the ring at every size", _"the tree at every size",
              _"the tree, then the ring", _"the ring, then the tree" },
  hints = { _"For 8 bytes: 126 alpha, or 2 alpha a level up and down. For 1 GiB: \z
             both send nearly 2 S, but in a tree ports wait." },
  wrong = {
    [1] = _"The ring has 126 steps now, each of %.0f us.":format(alpha),
    [2] = _"For large data a tree's ports wait until the first chunk has come.",
    [4] = _"Steps cost most where the data is small.",
  },
  answer = function()
    local which
    which, many = winner(64)
    return which
  end,
  why = _"Few messages after one another for small data, busy ports for large \z
          data: this is the choice that NCCL makes.",
  again = function(round)
    local ranks = ({ 16, 1024, 256 })[round]
    local truth = ranks == 1024 and 2 or 3
    return {
      _"A ring or a double tree for an all-reduce on %d GPUs and ethernet, for 8 \z
        bytes to 1 GiB. Which is faster?":format(ranks),
      choices = { _"the ring at every size", _"the tree at every size",
                  _"the tree, then the ring", _"the ring, then the tree" },
      hints = { _"How many alpha does the ring cost, and how long does 1 GiB take \z
                 at 0.08 ns a byte?" },
      wrong = others(truth, {
        _"The ring has %d steps of 20 us.":format(2 * (ranks - 1)),
        _"For large data a tree's ports wait until the first chunk has come.",
        _"The ring's %d steps cost %.0f ms, whatever the size."
          :format(2 * (ranks - 1), 2 * (ranks - 1) * 0.02),
        _"Steps cost most where the data is small.",
      }),
      answer = function() return (winner(ranks)) end,
      why = _"The more GPUs, the larger the data must be for a ring.",
    }
  end,
}
-- The last points are of 1 GiB.
local function last(curve)
  local points = curve.points
  assert(points[#points][1] == 2 ^ 30)
  return math.floor(points[#points][2] / 1e3 + 0.5)
end
local ring_ms, tree_ms = last(many.curves[1]), last(many.curves[2])
local port_ms = math.floor(2 * 2 ^ 30 * 0.08e-6 + 0.5)
assert(ring_ms < tree_ms and port_ms < tree_ms)
say(_"1 GiB takes %d ms in a ring and %d ms with two trees, though a ring's port \z
      carries %.2f S and a tree's 2 S: %d ms of bytes. For the other %d ms a tree's \z
      port waits, for the first chunk and for additions, or starts messages. \z
      The ring is faster from %.0f MiB on."
    :format(ring_ms, tree_ms, 2 * 63 / 64, port_ms, tree_ms - port_ms,
            many.fastest[2].from / 2 ^ 20))

say {
  _"NCCL chooses by a model, too: from the latencies and bandwidths it expects \z
    of each algorithm and protocol here, it computes a time for your size and \z
    takes the least. Open MPI has fixed rules for N and S, measured once \z
    on other machines. Both can be wrong on your machine: so measure.",
  notes = _"In NCCL's source: src/graph/tuning.cc. NCCL_ALGO overrides the \z
            choice, and NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=TUNING shows \z
            it.",
}

-- A time without a chart: of a ring, on ethernet.
local function how_long(ranks, kib)
  local bytes = kib * 1024
  local other = run(("ring-allreduce --gpus %d --count %d --network ethernet")
                    :format(ranks, bytes // 4))
  return {
    _"Your turn, without a chart: a ring all-reduce of %d KiB on %d GPUs. On ethernet \z
      alpha is 20 us, and a byte takes 0.08 ns. How many microseconds? Within 20 %% \z
      is right.":format(kib, ranks),
    kind = "number",
    within = 0.2,
    hints = {
      _"2(N-1) alpha, and 2(N-1)/N S beta.",
      _"%d KiB at 0.08 ns a byte take %.1f us.":format(kib, bytes * 0.08e-3),
    },
    answer = function()
      other:go(other.steps)
      return math.floor(other:time() + 0.5)
    end,
    reason = function(given, us)
      return given > us and
        _"It is less. %d steps cost %d us, and a port sends less than 2 S."
          :format(2 * (ranks - 1), 40 * (ranks - 1)) or
        _"It is more. %d steps alone cost %d us, and the bytes come on top."
          :format(2 * (ranks - 1), 40 * (ranks - 1))
    end,
    why = _"2(N-1) alpha + 2(N-1)/N S beta, and a little for the additions.",
  }
end
local turn = how_long(16, 1024)
function turn.again(round)
  return how_long(({ 8, 4, 32 })[round], ({ 2048, 16384, 64 })[round])
end
predict(turn)

run "butterfly-allreduce --gpus 8 --network ethernet"
play(_"Change it with a: --count 1000000, then ring-allreduce. Which decide now, \z
       steps or bytes? At a command line: collviz bench ring-allreduce \z
       tree-allreduce -g 8 -b 8 -e 8M -f 2, and collviz chart with the same names.")

remember {
  _"Small data: few steps (butterfly, tree). Large data: few bytes (ring).",
  _"The curves cross at some multiple of alpha/beta, which grows with N.",
  _"Measure on the machine that counts, with #wrong 0, over the sizes you use.",
}
used {
  nccl = "NCCL_ALGO, NCCL_PROTO, NCCL_DEBUG_SUBSYS=TUNING",
  pytorch = "torch.distributed.all_reduce",
  mpi = "MPI_Allreduce (--mca coll_tuned_...)",
  text = _"nccl-tests: all_reduce_perf -b 8 -e 128M -f 2 -g 8. PyTorch makes \z
           its messages large: DDP gathers gradients in buckets of 25 MB.",
}
