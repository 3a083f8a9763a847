-- SPDX-License-Identifier: MIT
-- Chain scan: each GPU adds what comes from the one before it to its own data,
-- and passes the sum on, chunk after chunk, so all links of the chain are busy.
--
-- idea: sums go along the ranks, and each rank keeps the one that passes it
-- when: large data, in many chunks: no rank sends more than its data
-- steps: N-1 + C-1
-- bytes: S
-- alias: linear
-- mpi: 1 linear
-- source: Open MPI, coll_base_scan.c
local chunks = algorithm {
  collective = "scan", title = "chain", pipeline = 1,
}.chunks

for k = 1, n > 1 and n - 1 + chunks - 1 or 0 do
  step "scan"
  for r = 1, n - 1 do
    local c = k - r
    if c >= 0 and c < chunks then
      add { from = r - 1, to = r, chunk = c }
    end
  end
end
