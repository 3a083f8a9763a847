-- SPDX-License-Identifier: MIT
-- Bine butterfly all-gather: the Bine reduce-scatter backwards, so the farthest
-- GPUs exchange first, while each has one chunk only.
--
-- idea: ranks exchange all they have on alternating sides, ..., 5, 3, 1, 1 apart
-- when: small data on a power of two, where far ranks share few links
-- steps: log2 N
-- bytes: (N-1) S
-- holds: power_of_two
-- other-steps: floor(log2 N) + 2
-- source: De Sensi et al. 2025, arXiv 2508.17311
algorithm { collective = "allgather", title = "bine" }

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

-- The seats whose chunks a seat has after the steps from the last down to k.
local function has(seat, k)
  if k == levels then return { seat } end
  local all, other = has(seat, k + 1), has(partner(seat, k), k + 1)
  return table.move(other, 1, #other, #all + 1, all)
end

if extra > 0 then step "fold" end
for seat = 0, extra - 1 do
  copy { from = gpu(seat) + 1, to = gpu(seat), chunk = gpu(seat) + 1 }
end
for k = levels - 1, 0, -1 do
  step "all-gather"
  for seat = 0, seats - 1 do
    for _, c in ipairs(has(seat, k + 1)) do
      copy { from = gpu(seat), to = gpu(partner(seat, k)), chunk = gpu(c),
             count = c < extra and 2 or 1 }
    end
  end
end
if extra > 0 then step "unfold" end
for seat = 0, extra - 1 do
  local r = gpu(seat) + 1 -- it has its own chunk
  copy { from = gpu(seat), to = r, chunk = 0, count = r }
  if r < n - 1 then
    copy { from = gpu(seat), to = r, chunk = r + 1, count = n - 1 - r }
  end
end
