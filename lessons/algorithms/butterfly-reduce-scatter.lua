-- SPDX-License-Identifier: MIT
-- Butterfly reduce-scatter: recursive halving that begins with the nearest GPU.
-- In the step of a bit, a GPU keeps the chunks whose numbers have that bit as
-- its own number has it, and sends the others.  These are not in a row, but
-- each GPU ends with its own chunk.
--
-- idea: ranks exchange with the one 1, 2, 4, ... away what has the other's bit:
--   half of what is left
-- when: small to middling data on a power of two, where near ranks have faster
--   links
-- steps: log2 N
-- bytes: (N-1)/N S
-- holds: power_of_two
-- other-steps: floor(log2 N) + 2
-- other-bytes: S
-- mpi: 4 butterfly; block: 4 butterfly
-- source: Traeff 2005; Open MPI, coll_base_reduce_scatter.c
algorithm { collective = "reduce-scatter", title = "butterfly" }

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
    local other = seat ~ distance
    for c = other % (2 * distance), seats - 1, 2 * distance do
      add { from = gpu(seat), to = gpu(other), chunk = gpu(c),
            count = c < extra and 2 or 1 }
    end
  end
  distance = 2 * distance
end
if extra > 0 then step "unfold" end
for seat = 0, extra - 1 do
  copy { from = gpu(seat), to = gpu(seat) + 1, chunk = gpu(seat) + 1 }
end
