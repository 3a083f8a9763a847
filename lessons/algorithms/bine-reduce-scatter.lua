-- SPDX-License-Identifier: MIT
-- Bine butterfly reduce-scatter: recursive halving between GPUs that stand in a
-- circle, 1, 1, 3, 5, 11, ... apart, to one side and then to the other, as in
-- Swing.  The nearest exchange first, when there is the most to send.
--
-- idea: ranks exchange halves, quarters, ... on alternating sides, 1, 1, 3, 5,
--   11 apart
-- when: small to middling data on a power of two, where far ranks share few links
-- steps: log2 N
-- bytes: (N-1)/N S
-- holds: power_of_two
-- other-steps: floor(log2 N) + 2
-- other-bytes: S
-- source: De Sensi et al. 2025, arXiv 2508.17311
algorithm { collective = "reduce-scatter", title = "bine" }

local seats, levels = 1, 0
while 2 * seats <= n do
  seats, levels = 2 * seats, levels + 1
end

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

-- The seats that a seat still sees to before step k: itself, and those to which
-- it sends from there on.
local function sees_to(seat, k)
  if k == levels then return { seat } end
  local all, other = sees_to(seat, k + 1), sees_to(partner(seat, k), k + 1)
  return table.move(other, 1, #other, #all + 1, all)
end

if extra > 0 then step "fold" end
for seat = 0, extra - 1 do
  add { from = gpu(seat) + 1, to = gpu(seat), chunk = 0, count = n }
end
for k = 0, levels - 1 do
  step "reduce-scatter"
  for seat = 0, seats - 1 do
    local other = partner(seat, k)
    for _, c in ipairs(sees_to(other, k + 1)) do
      add { from = gpu(seat), to = gpu(other), chunk = gpu(c),
            count = c < extra and 2 or 1 }
    end
  end
end
if extra > 0 then step "unfold" end
for seat = 0, extra - 1 do
  copy { from = gpu(seat), to = gpu(seat) + 1, chunk = gpu(seat) + 1 }
end
