-- SPDX-License-Identifier: MIT
-- Reduce-scatter as a reduce to GPU 0 and a scatter from it, both along a
-- binomial tree.  The second begins when the first has ended.
--
-- idea: sums go up a tree to rank 0, which then deals out the chunks along the
--   same tree
-- when: where only a reduce and a scatter are at hand
-- steps: 2 ceil(log2 N)
-- bytes: (3N-2)/(2N) S
-- holds: power_of_two
-- other-steps: 2 ceil(log2 N)
-- mpi: 1 non-overlapping; block: 1 basic_linear
-- source: Open MPI, coll_base_reduce_scatter.c
algorithm { collective = "reduce-scatter", title = "nonoverlapping" }

local distance = 1
while distance < n do
  step "reduce"
  for child = distance, n - 1, 2 * distance do
    add { from = child, to = child - distance, chunk = 0, count = n }
  end
  distance = 2 * distance
end
while distance > 1 do
  distance = distance // 2
  step "scatter"
  for child = distance, n - 1, 2 * distance do
    copy { from = child - distance, to = child, chunk = child,
           count = math.min(distance, n - child) }
  end
end
