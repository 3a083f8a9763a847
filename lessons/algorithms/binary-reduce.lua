-- SPDX-License-Identifier: MIT
-- Binary tree reduce: GPU i, counted from the root, sends the sum of its subtree
-- to (i-1)/2, chunk after chunk, so all levels of the tree are busy at once.
--
-- idea: sums follow one another up a binary tree, from two at once
-- when: middling data on many ranks: fewer steps than a chain
-- steps: floor(log2 N) + C-1
-- bytes: S
-- mpi: 4 binary
-- source: Open MPI, coll_base_reduce.c
local chunks = algorithm {
  collective = "reduce", title = "binary", pipeline = 4,
}.chunks

local function level(i)
  local k = 0
  while 2 ^ (k + 1) - 1 <= i do k = k + 1 end
  return k
end

local depth = level(n - 1)
for k = 1, n > 1 and depth + chunks - 1 or 0 do
  step "reduce"
  for child = 1, n - 1 do
    local c = k - 1 - (depth - level(child)) -- the lowest level begins
    if c >= 0 and c < chunks then
      add { from = (root + child) % n, to = (root + (child - 1) // 2) % n, chunk = c }
    end
  end
end
