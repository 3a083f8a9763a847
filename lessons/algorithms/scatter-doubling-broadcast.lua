-- SPDX-License-Identifier: MIT
-- Broadcast in few steps and few bytes: the root deals out chunks along a
-- binomial tree, and an all-gather by recursive doubling hands them round.
--
-- idea: the root deals out chunks along a tree, then ranks exchange all they
--   have with the one 1, 2, 4, ... away
-- when: middling to large data on a power of two: few steps and few bytes
-- steps: 2 log2 N
-- bytes: 2(N-1)/N S
-- holds: power_of_two
-- other-steps: 2 floor(log2 N) + 1
-- mpi: 8 scatter_allgather
-- source: Thakur, Rabenseifner & Gropp 2005; Open MPI, coll_base_bcast.c
local seats = 1
while 2 * seats <= n do
  seats = 2 * seats
end
algorithm { collective = "broadcast", title = "scatter-doubling", chunks = seats }

-- GPUs are counted from the root; those that are too many for a power of two
-- get all of it at the end.
local function gpu(seat) return (root + seat) % n end

local distance = seats
while distance > 1 do
  distance = distance // 2
  step "scatter"
  for seat = 0, seats - 1, 2 * distance do
    copy { from = gpu(seat), to = gpu(seat + distance), chunk = seat + distance,
           count = distance }
  end
end
while distance < seats do
  step "all-gather"
  for seat = 0, seats - 1 do
    copy { from = gpu(seat), to = gpu(seat ~ distance),
           chunk = seat // distance * distance, count = distance }
  end
  distance = 2 * distance
end
if n > seats then step "the rest" end
for seat = seats, n - 1 do
  copy { from = gpu(seat - seats), to = gpu(seat), chunk = 0, count = seats }
end
