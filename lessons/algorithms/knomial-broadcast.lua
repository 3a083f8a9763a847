-- SPDX-License-Identifier: MIT
-- k-nomial tree broadcast, with k = 4: in each step every GPU that has the data
-- sends it to three others, so four times as many have it.
--
-- idea: whoever has the data passes it on to three at once: four times as many
--   have it after each step
-- when: small data where a rank can send several messages at once
-- steps: ceil(log2 N / 2)
-- bytes: 3 log2 N / 2 S
-- holds: power_of_four
-- other-steps: ceil(log2 N / 2)
-- mpi: 7 knomial
-- source: Open MPI, coll_base_bcast.c
algorithm { collective = "broadcast", title = "knomial" }

-- GPUs are counted from the root.
local distance = 1
while distance < n do
  distance = 4 * distance
end
while distance > 1 do
  distance = distance // 4
  step "broadcast"
  for parent = 0, n - 1, 4 * distance do
    for child = parent + distance, math.min(parent + 3 * distance, n - 1), distance do
      copy { from = (root + parent) % n, to = (root + child) % n, chunk = 0 }
    end
  end
end
