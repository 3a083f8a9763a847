-- SPDX-License-Identifier: MIT
-- All-gather on a ring: what came in one step goes on in the next.
algorithm { collective = "all-gather", topology = "ring" }

for k = 0, n - 2 do
  step "pass on"
  for r = 0, n - 1 do
    copy { from = r, to = (r + 1) % n, chunk = (r - k) % n }
  end
end
