-- SPDX-License-Identifier: MIT
-- star.lua with a slip: its first loop ends one turn too early.
algorithm { collective = "all-reduce" }

step "collect"
for r = 1, n - 2 do
  add { from = r, to = 0, chunk = 0 }
end

step "hand out"
for r = 1, n - 1 do
  copy { from = 0, to = r, chunk = 0 }
end
