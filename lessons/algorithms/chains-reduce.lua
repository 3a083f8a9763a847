-- SPDX-License-Identifier: MIT
-- Reduce along four chains that end at the root, chunk after chunk: a quarter
-- of the steps of one chain, but the root adds up what four others send.
--
-- idea: sums follow one another along four chains to the root
-- when: middling data on a root that can receive several messages at once
-- steps: ceil((N-1)/4) + C-1
-- bytes: S
-- mpi: 2 chain
-- source: Open MPI, coll_base_reduce.c
local chunks = algorithm {
  collective = "reduce", title = "chains", pipeline = 4,
}.chunks

-- GPUs are counted from the root; i is at place (i-1) // 4 of its chain, the
-- last of which begin.
local length = (n + 2) // 4
for k = 1, n > 1 and length + chunks - 1 or 0 do
  step "reduce"
  for i = 1, n - 1 do
    local c = k - length + (i - 1) // 4
    if c >= 0 and c < chunks then
      add { from = (root + i) % n, to = (root + math.max(i - 4, 0)) % n, chunk = c }
    end
  end
end
