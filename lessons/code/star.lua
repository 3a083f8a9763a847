-- SPDX-License-Identifier: MIT
-- All-reduce by a star: GPU 0 adds up what all send it, and sends the sum back.
algorithm { collective = "all-reduce" }

step "collect"
for r = 1, n - 1 do
  add { from = r, to = 0, chunk = 0 }
end

step "hand out"
for r = 1, n - 1 do
  copy { from = 0, to = r, chunk = 0 }
end
