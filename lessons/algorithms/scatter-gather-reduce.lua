-- SPDX-License-Identifier: MIT
-- Rabenseifner's reduce: the first half of halving-doubling, nearest GPUs first,
-- then the sums are gathered the same way back, up a tree.
--
-- idea: halves, quarters, ... are exchanged and added, then gathered at the root
--   the same way back
-- when: large data on a power of two: no rank sends all of it more than once
-- steps: 2 log2 N
-- bytes: (3N-2)/(2N) S
-- holds: power_of_two
-- other-steps: 2 floor(log2 N) + 1
-- alias: rabenseifner
-- mpi: 7 rabenseifner
-- source: Rabenseifner 2004; Open MPI, coll_base_reduce.c
local seats = 1
while 2 * seats <= n do
  seats = 2 * seats
end
algorithm { collective = "reduce", title = "scatter-gather", chunks = seats }

-- GPUs are counted from the root.  Of those that are too many for a power of
-- two, each has a neighbour that works for both: a "seat" is one that takes
-- part.
local extra = n - seats
local function gpu(seat)
  return (root + (seat < extra and 2 * seat or seat + extra)) % n
end

-- A seat's first chunk, of the `count` that it has: its bits backwards.
local function first(seat, count)
  local number, bit = 0, 1
  while bit < seats do
    number, bit = 2 * number + (seat & bit ~= 0 and 1 or 0), 2 * bit
  end
  return number // count * count
end

if extra > 0 then step "fold" end
for seat = 0, extra - 1 do
  add { from = (gpu(seat) + 1) % n, to = gpu(seat), chunk = 0, count = seats }
end
local distance = 1
while distance < seats do
  local count = seats // 2 // distance
  step "reduce-scatter"
  for seat = 0, seats - 1 do
    local other = seat ~ distance
    add { from = gpu(seat), to = gpu(other), chunk = first(other, count),
          count = count }
  end
  distance = 2 * distance
end
while distance > 1 do
  distance = distance // 2
  local count = seats // 2 // distance
  step "gather"
  for seat = distance, 2 * distance - 1 do
    copy { from = gpu(seat), to = gpu(seat - distance), chunk = first(seat, count),
           count = count }
  end
end
