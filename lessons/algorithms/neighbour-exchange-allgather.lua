-- SPDX-License-Identifier: MIT
-- Neighbour exchange: GPUs swap with the neighbour on one side, then with the
-- one on the other side, and so on; each passes on the two chunks that it got
-- last.  Half the steps of a ring, for an even number of GPUs.  With an odd
-- number it is a ring, as in Open MPI.
--
-- idea: ranks swap with one neighbour and then the other, and pass on the two
--   blocks that came last
-- when: middling to large data on an even number of ranks: half a ring's steps
-- steps: N/2
-- bytes: (N-1) S
-- holds: even
-- other-steps: N-1
-- other-bytes: (N-1) S
-- mpi: 5 neighbor
-- source: Chen et al. 2005; Open MPI, coll_base_allgather.c
algorithm { collective = "allgather", title = "neighbour-exchange", topology = "ring" }

if n % 2 == 1 then
  for k = 0, n - 2 do
    step "all-gather"
    for r = 0, n - 1 do
      copy { from = r, to = (r + 1) % n, chunk = (r - k) % n }
    end
  end
else
  step "swap"
  for r = 0, n - 1 do
    copy { from = r, to = r ~ 1, chunk = r }
  end
  local last = {} -- the first of the two chunks that came last
  for r = 0, n - 1 do last[r] = r & ~1 end
  for k = 2, n // 2 do
    local came = {}
    step "all-gather"
    for r = 0, n - 1 do
      local to = (r + ((r + k) % 2 == 0 and -1 or 1)) % n
      copy { from = r, to = to, chunk = last[r], count = 2 }
      came[to] = last[r]
    end
    last = came
  end
end
