-- SPDX-License-Identifier: MIT
-- Bine tree reduce: the Bine tree broadcast backwards.
--
-- idea: sums go up a binomial tree that alternates sides: partners are 1, 1, 3,
--   5, 11 apart, not 1, 2, 4, 8, 16
-- when: small data where far ranks share few links
-- steps: ceil(log2 N)
-- bytes: S
-- source: De Sensi et al. 2025, arXiv 2508.17311
algorithm { collective = "reduce", title = "bine" }

local seats, levels = 1, 0
while 2 * seats <= n do
  seats, levels = 2 * seats, levels + 1
end

-- Seats are counted from the root.
if n > seats then step "the rest" end
for seat = seats, n - 1 do
  add { from = (root + seat) % n, to = (root + seat - seats) % n, chunk = 0 }
end

-- Who has data to add in a step: those that a broadcast has reached before.
local has, steps = { [0] = true }, {}
for k = levels - 1, 0, -1 do
  local far, pairs_of_step = (1 - (-2) ^ (k + 1)) // 3 | 0, {}
  for seat = 0, seats - 1 do
    if has[seat] then
      local other = (seat % 2 == 0 and seat + far or seat - far) % seats
      table.insert(pairs_of_step, { seat, other })
    end
  end
  for _, pair in ipairs(pairs_of_step) do has[pair[2]] = true end
  table.insert(steps, 1, pairs_of_step)
end
for _, pairs_of_step in ipairs(steps) do
  step "reduce"
  for _, pair in ipairs(pairs_of_step) do
    add { from = (root + pair[2]) % n, to = (root + pair[1]) % n, chunk = 0 }
  end
end
