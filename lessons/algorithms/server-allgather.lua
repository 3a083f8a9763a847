-- SPDX-License-Identifier: MIT
-- All-gather by a server: GPU 0 collects the chunks of all others, and sends
-- them all to each.
--
-- idea: one rank collects what all have and sends all of it to everyone
-- when: very few ranks: everything waits for one link
-- steps: 2
-- bytes: (N-1)N S
-- mpi: 1 linear
-- source: Open MPI, coll_base_allgather.c
algorithm { collective = "allgather", title = "server", topology = "star" }

if n > 1 then step "gather" end
for r = 1, n - 1 do
  copy { from = r, to = 0, chunk = r }
end
if n > 1 then step "broadcast" end
for r = 1, n - 1 do
  copy { from = 0, to = r, chunk = 0, count = n }
end
