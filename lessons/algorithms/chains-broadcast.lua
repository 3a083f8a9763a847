-- SPDX-License-Identifier: MIT
-- Broadcast along four chains that begin at the root, chunk after chunk: a
-- quarter of the steps of one chain, but the root sends all data four times.
--
-- idea: chunks follow one another along four chains from the root
-- when: middling data on a root that can send several messages at once
-- steps: ceil((N-1)/4) + C-1
-- bytes: min(N-1, 4) S
-- mpi: 2 chain
-- source: Open MPI, coll_base_bcast.c
local chunks = algorithm {
  collective = "broadcast", title = "chains", pipeline = 4,
}.chunks

-- GPUs are counted from the root; i is at place (i-1) // 4 of its chain.
local length = (n + 2) // 4
for k = 1, n > 1 and length + chunks - 1 or 0 do
  step "broadcast"
  for i = 1, n - 1 do
    local c = k - 1 - (i - 1) // 4
    if c >= 0 and c < chunks then
      copy { from = (root + math.max(i - 4, 0)) % n, to = (root + i) % n, chunk = c }
    end
  end
end
