-- SPDX-License-Identifier: MIT
-- Recursive doubling, an all-reduce that is also called butterfly: GPUs exchange
-- all they have with the one 1, 2, 4, ... away, and add.  After k steps 2^k of
-- them have the same sum.
algorithm { collective = "all-reduce", title = "butterfly" }

-- It needs a power of two.  Of the other GPUs each has a neighbour that works
-- for both: a "seat" is a GPU that takes part.
local seats = 1
while 2 * seats <= n do
  seats = 2 * seats
end
local extra = n - seats

local function gpu(seat)
  return seat < extra and 2 * seat or seat + extra
end

if extra > 0 then step "fold" end
for seat = 0, extra - 1 do
  add { from = gpu(seat) + 1, to = gpu(seat), chunk = 0 }
end

local distance = 1
while distance < seats do
  step "exchange"
  for seat = 0, seats - 1 do
    add { from = gpu(seat), to = gpu(seat ~ distance), chunk = 0 }
  end
  distance = 2 * distance
end

if extra > 0 then step "unfold" end
for seat = 0, extra - 1 do
  copy { from = gpu(seat), to = gpu(seat) + 1, chunk = 0 }
end
