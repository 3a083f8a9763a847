-- SPDX-License-Identifier: MIT
-- Chain exclusive scan: each GPU keeps the sum that comes from the one before
-- it, and passes it on with its own data added.
--
-- idea: sums go along the ranks, and each rank keeps the one that comes to it
-- when: few ranks: no rank sends more than its data
-- steps: N-1
-- bytes: S
-- alias: linear
-- mpi: 1 linear
-- source: Open MPI, coll_base_exscan.c
algorithm { collective = "exscan", title = "chain", scratch = 1 }
local result, sum = 0, 1 -- chunks; the second is in scratch

if n > 1 then step "begin" end
for r = 0, n - 2 do
  copy { from = r, to = r, chunk = result, into = sum }
end
for r = 1, n - 1 do
  step "exclusive scan"
  copy { from = r - 1, to = r, chunk = sum, into = result }
  if r < n - 1 then
    step "add up"
    add { from = r, to = r, chunk = result, into = sum }
  end
end
