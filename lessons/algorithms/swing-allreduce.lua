-- SPDX-License-Identifier: MIT
-- Swing: halving and doubling between GPUs that stand in a circle, 1, 1, 3, 5,
-- 11, ... apart, to one side and then to the other.  All partners of a step are
-- equally far apart, and on a torus that is less far than 1, 2, 4, 8.
--
-- idea: halves, quarters, ... are exchanged and added on alternating sides, 1,
--   1, 3, 5, 11 apart, then handed back the same way
-- when: middling data on rings and tori: few steps between near ranks
-- steps: 2 log2 N
-- bytes: 2(N-1)/N S
-- holds: power_of_two
-- other-steps: 2 floor(log2 N) + 2
-- source: De Sensi et al. 2024, arXiv 2401.09356
local seats, levels = 1, 0
while 2 * seats <= n do
  seats, levels = 2 * seats, levels + 1
end
algorithm { collective = "allreduce", title = "swing", chunks = seats }

-- Of the GPUs that are too many for a power of two, each has a neighbour that
-- works for both: a "seat" is a GPU that takes part.
local extra = n - seats
local function gpu(seat)
  return seat < extra and 2 * seat or seat + extra
end

local function partner(seat, k)
  local far = (1 - (-2) ^ (k + 1)) // 3 | 0
  return (seat % 2 == 0 and seat + far or seat - far) % seats
end

-- The chunks that a seat still sees to before step k: its own, and those that
-- it sends on from there.
local function sees_to(seat, k)
  if k == levels then return { seat } end
  local all, other = sees_to(seat, k + 1), sees_to(partner(seat, k), k + 1)
  return table.move(other, 1, #other, #all + 1, all)
end

if extra > 0 then step "fold" end
for seat = 0, extra - 1 do
  add { from = gpu(seat) + 1, to = gpu(seat), chunk = 0, count = seats }
end
for k = 0, levels - 1 do
  step "reduce-scatter"
  for seat = 0, seats - 1 do
    local other = partner(seat, k)
    for _, c in ipairs(sees_to(other, k + 1)) do
      add { from = gpu(seat), to = gpu(other), chunk = c }
    end
  end
end
for k = levels - 1, 0, -1 do
  step "all-gather"
  for seat = 0, seats - 1 do
    for _, c in ipairs(sees_to(seat, k + 1)) do
      copy { from = gpu(seat), to = gpu(partner(seat, k)), chunk = c }
    end
  end
end
if extra > 0 then step "unfold" end
for seat = 0, extra - 1 do
  copy { from = gpu(seat), to = gpu(seat) + 1, chunk = 0, count = seats }
end
