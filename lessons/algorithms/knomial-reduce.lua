-- SPDX-License-Identifier: MIT
-- k-nomial tree reduce, with k = 4: in each step every fourth of the GPUs that
-- are left gets the sums of the three after it.
--
-- idea: of those that are left, every fourth rank adds up what three others send
-- when: small data where a rank can receive several messages at once
-- steps: ceil(log2 N / 2)
-- bytes: S
-- mpi: 8 knomial
-- source: Open MPI, coll_base_reduce.c
algorithm { collective = "reduce", title = "knomial" }

-- GPUs are counted from the root.
local distance = 1
while distance < n do
  step "reduce"
  for parent = 0, n - 1, 4 * distance do
    for child = parent + distance, math.min(parent + 3 * distance, n - 1), distance do
      add { from = (root + child) % n, to = (root + parent) % n, chunk = 0 }
    end
  end
  distance = 4 * distance
end
