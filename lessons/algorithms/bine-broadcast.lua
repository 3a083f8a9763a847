-- SPDX-License-Identifier: MIT
-- Bine tree broadcast: a binomial tree whose GPUs stand in a circle, where each
-- sends to one side, its children to the other, ...  The last partners are 1
-- apart, those before them 1, 3, 5, 11, ...: less far than in a binomial tree.
-- Numbers are written in base -2, hence the name, binomial negabinary.
--
-- idea: a binomial tree that alternates sides: partners are 1, 1, 3, 5, 11
--   apart, not 1, 2, 4, 8, 16
-- when: small data where far ranks share few links
-- steps: ceil(log2 N)
-- bytes: ceil(log2 N) S
-- source: De Sensi et al. 2025, arXiv 2508.17311
algorithm { collective = "broadcast", title = "bine" }

local seats, levels = 1, 0
while 2 * seats <= n do
  seats, levels = 2 * seats, levels + 1
end

-- Seats are counted from the root.
local has = { [0] = true }
for k = levels - 1, 0, -1 do
  local far, new = (1 - (-2) ^ (k + 1)) // 3 | 0, {}
  step "broadcast"
  for seat = 0, seats - 1 do
    if has[seat] then
      local other = (seat % 2 == 0 and seat + far or seat - far) % seats
      copy { from = (root + seat) % n, to = (root + other) % n, chunk = 0 }
      new[other] = true
    end
  end
  for other in pairs(new) do has[other] = true end
end

if n > seats then step "the rest" end
for seat = seats, n - 1 do
  copy { from = (root + seat - seats) % n, to = (root + seat) % n, chunk = 0 }
end
