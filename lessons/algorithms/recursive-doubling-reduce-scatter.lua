-- SPDX-License-Identifier: MIT
-- Recursive doubling reduce-scatter: a butterfly all-reduce in which a GPU does
-- not send the chunks of its own group, since the other group has no use for
-- their sums.  More bytes than by halves, but groups add up in rank order.
--
-- idea: ranks exchange sums with the one 1, 2, 4, ... away, of all chunks but
--   those of their own group
-- when: small data and operators that do not commute
-- steps: log2 N
-- bytes: (N log2 N - N+1)/N S
-- holds: power_of_two
-- other-steps: floor(log2 N) + 2
-- mpi: block: 2 recursive_doubling
-- source: Open MPI, coll_base_reduce_scatter_block.c
algorithm { collective = "reduce-scatter", title = "recursive-doubling" }

local seats = 1
while 2 * seats <= n do
  seats = 2 * seats
end

-- Of the GPUs that are too many for a power of two, each has a neighbour that
-- works for both: a "seat" is a GPU that takes part.
local extra = n - seats
local function gpu(seat)
  return seat < extra and 2 * seat or seat + extra
end

if extra > 0 then step "fold" end
for seat = 0, extra - 1 do
  add { from = gpu(seat) + 1, to = gpu(seat), chunk = 0, count = n }
end
local distance = 1
while distance < seats do
  step "reduce-scatter"
  for seat = 0, seats - 1 do
    -- all chunks before those of the seat's group, and all after them
    local from, to = gpu(seat), gpu(seat ~ distance)
    local first = seat // distance * distance
    local begin, past = gpu(first), n
    if first + distance < seats then past = gpu(first + distance) end
    if begin > 0 then add { from = from, to = to, chunk = 0, count = begin } end
    if past < n then add { from = from, to = to, chunk = past, count = n - past } end
  end
  distance = 2 * distance
end
if extra > 0 then step "unfold" end
for seat = 0, extra - 1 do
  copy { from = gpu(seat), to = gpu(seat) + 1, chunk = gpu(seat) + 1 }
end
