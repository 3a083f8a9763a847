-- SPDX-License-Identifier: MIT
-- Sparbit: as Bruck's all-gather, but the farthest GPUs exchange first, while
-- each has one chunk only, and the nearest last, when there is the most to
-- send.  A chunk goes to the GPU x places ahead in the steps of the bits of x.
--
-- idea: Bruck's distances from the largest down: the farthest ranks exchange
--   the least
-- when: small data on any number of ranks, where near ranks have faster links
-- steps: ceil(log2 N)
-- bytes: (N-1) S
-- mpi: 7 sparbit
-- source: Loch & Koslovski 2021; Open MPI, coll_base_allgather.c
algorithm { collective = "allgather", title = "sparbit" }

local distance = 1
while distance < n do
  distance = 2 * distance
end
while distance > 1 do
  distance = distance // 2
  step "all-gather"
  for r = 0, n - 1 do
    for x = 0, n - 1 - distance, 2 * distance do
      copy { from = r, to = (r + distance) % n, chunk = (r - x) % n }
    end
  end
end
