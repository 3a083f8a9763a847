-- SPDX-License-Identifier: MIT
lesson {
  number = 22,
  day = 7,
  minutes = 10,
  title = _"Which algorithm, for which size",
  idea = _"Measure it, or model it: the answer depends on the machine, on N \z
           and on S.",
}

say {
  _"Rings, trees, butterflies: which one is the fastest? There are two ways to \z
    find out.\n\n\z
    Measure, on the machine that will do the work. On GPUs people use \z
    nccl-tests for that; collviz bench measures in the same way and prints the \z
    same columns.\n\n\z
    Or compute the times by a model, as for a machine that you do not have.\n\n\z
    You will do both. First learn to read the table.",
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
      %d to %d bytes, or %d to %d elements of type float. The time is that of \z
      one call, the mean of 100 calls after one to warm up. Out of place a rank \z
      has two buffers; in place the result overwrites the input."
    :format(rows[1].size, rows[#rows].size, rows[1].count, rows[#rows].count))

-- The largest size that one thread ran for all ranks, or 0.
local function largest_alone(list)
  local largest = 0
  for _, row in ipairs(list) do
    if row.alone then largest = math.max(largest, row.size) end
  end
  return largest
end
if largest_alone(rows) > 0 then
  say(_"Up to %d bytes one thread ran all ranks: nothing went from core to core. \z
        Larger calls run on a thread for each rank. These have to wait for one \z
        another, and their data goes from core to core: so busbw is often lower \z
        again at the largest size.":format(largest_alone(rows)))
end

local net = run "ring-allreduce --gpus 4 --count 300000 \z
                 --network alpha=10us,beta=0.1ns"
net:go(net.steps)
predict {
  _"A benchmark prints %d bytes and %.0f us for this ring of 4. What does it \z
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
}
assert(math.abs(net:time() - 240) < 1e-6)

bench(small)
local rooted
predict {
  _"redop is the operation, sum. root is -1: in an all-reduce no rank is the \z
    root. Next a broadcast from rank 2 is measured. What is printed as root?",
  kind = "number",
  hints = { _"-1 stands for none. Has a broadcast none?" },
  wrong = {
    [-1] = _"-1 means that there is no root. A broadcast has one.",
    [0] = _"0 is the first rank, which is the root unless another is asked for.",
    [4] = _"That is how many ranks there are.",
  },
  answer = function()
    rooted = bench "chain-broadcast --gpus 4 -b 2K -e 128K -f 8 -r 2"
    assert(rooted[1].redop == "none")
    return rooted[1].root
  end,
  why = _"The rank. And redop is none: a broadcast adds nothing.",
}

predict {
  _"#wrong counts elements that are not what they should be. In somebody's \z
    table it says N/A in every row. What do you know about these results?",
  choices = { _"they are all right", _"nothing at all", _"some are wrong" },
  hints = { _"nccl-tests compares the results by default (-c 1). Somebody may \z
             have switched that off (-c 0)." },
  wrong = {
    [1] = _"Then it would say 0.",
    [3] = _"Then it would say how many.",
  },
  answer = function()
    local unchecked = bench(small .. " -c 0")
    for _, row in ipairs(unchecked) do
      if row.wrong or row.in_place.wrong then
        return row.wrong == 0 and 1 or 3
      end
    end
    return 2
  end,
  why = _"They were not compared with anything (-c 0). A fast wrong result is \z
          worth nothing, so look for the 0. In place, nccl-tests never checks \z
          an all-to-all.",
}

bench(small)
local function mean(list, first)
  local sum = 0
  for i = first, #list do
    sum = sum + list[i].busbw + list[i].in_place.busbw
  end
  return sum / (#list - first + 1) / 2
end
local all, rest = mean(rows, 1), mean(rows, 2)
local change = rest > all and 1 or rest < all and 2 or 3
predict {
  _"'Avg bus bandwidth' is the mean of busbw over all rows, out of place and in \z
    place. What if the row of %d bytes had been left out?":format(rows[1].size),
  choices = { _"it would be higher", _"it would be lower",
              _"it would be the same" },
  hints = { _"How does busbw in the first row compare with the others?" },
  wrong = others(change, {
    _"Compare busbw in the first row with that of the others.",
    _"Compare busbw in the first row with that of the others.",
    _"A mean changes if a number below or above it is left out.",
  }),
  answer = function() return change end,
  why = _"%.3g GB/s with the row, %.3g without. It is a mean over the sizes that \z
          somebody chose: compare it only with one over the same sizes."
    :format(all, rest),
}

-- The crossover, on this machine.
local pair = "ring-allreduce butterfly-allreduce --gpus 8 -b 32 -e 128K -f 8 -n "
local costs = compare "ring-allreduce butterfly-allreduce --gpus 8 --count 8"
assert(costs[1].name == "ring-allreduce")
say(_"Now two algorithms, on 8 ranks. The ring takes %d steps and sends %d bytes \z
      a rank here; the butterfly (lesson 13) only %d steps, but %d bytes. \z
      Steps count for small data, bytes for large data. Where does the one \z
      outweigh the other?"
    :format(costs[1].steps, costs[1].sent, costs[2].steps, costs[2].sent))

-- Returns the number of the first row from which on the ring is faster, or 0,
-- and whether noise could not have changed that: one of the two takes at least
-- 1.3 times as long there, and in the row before it.
local function crossover(rows)
  local n, at = #rows // 2, 0
  local function clear(i)
    local ring, butterfly = rows[i].time, rows[n + i].time
    return math.max(ring, butterfly) >= 1.3 * math.min(ring, butterfly)
  end
  for i = n, 1, -1 do
    assert(rows[i].size == rows[n + i].size)
    if rows[i].time >= rows[n + i].time then break end
    at = i
  end
  return at, clear(at > 0 and at or n) and (at < 2 or clear(at - 1))
end

local two = bench(pair .. 100)
local at, clear = crossover(two)
if not clear then -- some other program may have disturbed it
  two = bench(pair .. 200)
  at, clear = crossover(two)
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
if clear then
  predict {
    _"Compare the times, out of place. From which size on is the ring faster, in \z
      that row and in all below it? (In bytes; 0 if it is in none.)",
    kind = "number",
    hints = { _"Begin with the last row of each, and go up while the ring takes \z
               less time." },
    wrong = others(from, lines),
    answer = function() return from end,
    why = _"Each size has a row in both tables: the smaller time wins.",
  }
end

if not clear then
  say(_"Compare the times, out of place. On this machine the two curves do not \z
        cross clearly: where one overtakes the other, the longer time is \z
        less than 1.3 times the shorter, and the next measurement may say \z
        otherwise. Measure with more calls (-n), or when the machine is idle.")
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
  say(_"Mind what was measured: up to %d bytes one thread ran all ranks, so no \z
        step waited for another core. A step costs some nanoseconds then. \z
        Between GPUs it costs microseconds, between hosts tens of them: \z
        crossovers are far higher there.":format(alone))
else
  say(_"Mind what was measured: the ranks ran on several cores or GPUs, and a \z
        step waited for data from another one. What that costs differs from \z
        machine to machine, and the crossover with it.")
end

-- On a network's clock: modelled.
local function crossing(command)
  local c = chart(command)
  assert(#c.fastest == 2 and c.fastest[2].name == "ring")
  return c.fastest[2].from
end
local both = "ring-allreduce butterfly-allreduce --network "
local fly = chart "butterfly-allreduce --network ethernet --gpus 8"
local alpha = fly.curves[1].points[1][2] / costs[2].steps
say(_"For a machine that you do not have, a model computes the times. Here is \z
      the butterfly on 8 GPUs and ethernet: flat where its %d steps decide, of \z
      alpha = %.0f us each, and rising where the bytes decide, each of which \z
      takes the time beta.":format(costs[2].steps, alpha))

local largest = two[n].size
local function time_of(curve, size)
  for _, point in ipairs(curve.points) do
    if point[1] == size then return point[2] end
  end
end
predict {
  _"Which of the two is faster on this network for %d bytes, the largest size \z
    of your table?":format(largest),
  choices = { _"the butterfly", _"the ring", _"both the same" },
  hints = { _"How long do the ring's %d steps take at least?":format(costs[1].steps) },
  wrong = {
    [2] = _"Its %d steps take %.0f us each: compare that with the butterfly's \z
            curve.":format(costs[1].steps, alpha),
    [3] = _"They are the same where the curves cross, at one size only.",
  },
  answer = function()
    local c = chart(both .. "ethernet --gpus 8")
    local ring = time_of(c.curves[1], largest)
    local butterfly = time_of(c.curves[2], largest)
    return butterfly < ring and 1 or ring < butterfly and 2 or 3
  end,
  why = _"The ring takes %d steps of alpha however small the data is. Only for \z
          much larger data do its fewer bytes make up for them."
    :format(costs[1].steps),
}
local eight = crossing(both .. "ethernet --gpus 8")
say(_"By the model the curves cross at %.0f KiB: a step is expensive on ethernet. So \z
      a threshold that was right on one machine is wrong on another, and a \z
      library that was tuned on one is slow on another.":format(eight / 1024))

local function larger(a, b) return b > a * 1.05 and 1 or b < a / 1.05 and 2 or 3 end
predict {
  _"The same network with 64 GPUs instead of 8. From which size on is the ring \z
    faster now?",
  choices = { _"from a larger one", _"from a smaller one", _"from the same" },
  hints = { _"2(N-1) steps against log2 N; 2(N-1)/N S against S log2 N." },
  wrong = {
    [2] = _"The ring has 126 steps now, the butterfly 6.",
    [3] = _"From 8 to 64 GPUs, what grows more: the steps or the bytes?",
  },
  answer = function()
    return larger(eight, crossing(both .. "ethernet --gpus 64"))
  end,
  why = _"A ring's steps grow with N, a butterfly's bytes with log2 N only: the \z
          more GPUs, the larger the data must be for a ring.",
  again = function(round)
    local more = ({ 16, 128, 32 })[round]
    return {
      _"On ethernet, a ring against a butterfly: from 8 GPUs to %d, where does \z
        the size move from which on the ring is faster?":format(more),
      choices = { _"up", _"down", _"it stays" },
      wrong = {
        [2] = _"The ring's steps grow with N.",
        [3] = _"The ring's steps grow with N, the butterfly's with log2 N.",
      },
      answer = function()
        local size = crossing(both .. "ethernet --gpus " .. more)
        return larger(eight, size)
      end,
      why = _"The more GPUs, the larger the data must be for a ring.",
    }
  end,
}

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
local few = chart(nccl .. 4)
assert(#few.fastest == 1 and few.fastest[1].name == "ring")
predict {
  _"NCCL has no butterfly. It has rings and double trees. With 4 GPUs on this \z
    network the tree is never faster. Which is faster with 64?",
  choices = { _"the ring at every size", _"the tree at every size",
              _"the tree, then the ring", _"the ring, then the tree" },
  hints = { _"126 steps against 2 depth + C-1: for small data. And for large?" },
  wrong = {
    [1] = _"The ring has 126 steps now, each of %.0f us.":format(alpha),
    [2] = _"For large data bytes count. An inner GPU of the trees sends 2 S.",
    [4] = _"Steps cost most where the data is small.",
  },
  answer = function()
    local f = chart(nccl .. 64).fastest
    if #f == 1 then return f[1].name == "ring" and 1 or 2 end
    return f[1].name == "ring" and 4 or 3
  end,
  why = _"Few steps for small data, few bytes for large data: this is the choice \z
          that NCCL makes.",
}

say {
  _"NCCL chooses by a model, too: from the latencies and bandwidths it expects \z
    of each algorithm and protocol here, it computes a time for your size and \z
    takes the least. Open MPI has fixed rules for N and S, from \z
    somebody's measurements. Both can be wrong on your machine: so measure.",
  notes = _"In NCCL's source: src/graph/tuning.cc. NCCL_ALGO overrides the \z
            choice, and NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=TUNING shows \z
            it.",
}

run "butterfly-allreduce --gpus 8 --network ethernet"
play(_"Change it with a: --count 1000000, then ring-allreduce. Compare the \z
       steps and the bytes sent: which decide now? At a command line: collviz \z
       bench ring-allreduce tree-allreduce -g 8 -b 8 -e 8M -f 2, and collviz \z
       chart with the same names.")

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
