-- SPDX-License-Identifier: MIT
-- Binary tree broadcast: GPU i, counted from the root, sends to 2i+1 and 2i+2,
-- chunk after chunk, so all levels of the tree are busy at once.
--
-- idea: chunks follow one another down a binary tree, to two at once
-- when: middling data on many ranks: fewer steps than a chain
-- steps: floor(log2 N) + C-1
-- bytes: min(N-1, 2) S
-- mpi: 5 binary_tree
-- source: Open MPI, coll_base_bcast.c
local chunks = algorithm {
  collective = "broadcast", title = "binary", pipeline = 4,
}.chunks

local function level(i)
  local k = 0
  while 2 ^ (k + 1) - 1 <= i do k = k + 1 end
  return k
end

for k = 1, n > 1 and level(n - 1) + chunks - 1 or 0 do
  step "broadcast"
  for child = 1, n - 1 do
    local c = k - level(child) -- the root sends chunk 0 in step 1
    if c >= 0 and c < chunks then
      copy { from = (root + (child - 1) // 2) % n, to = (root + child) % n, chunk = c }
    end
  end
end
