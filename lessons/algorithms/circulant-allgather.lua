-- SPDX-License-Identifier: MIT
-- Circulant all-gather: circulant reduce-scatter backwards.  A GPU that has the
-- chunks from its own on gets those that follow them from the GPU whose chunks
-- begin there.  At the end there are as many to get as are left.
--
-- idea: each rank gets the chunks that follow its own: twice as many after each
--   step, up to all N
-- when: any number of ranks: the fewest steps and the fewest bytes there can be
-- steps: ceil(log2 N)
-- bytes: (N-1) S
-- source: Traeff 2024, arXiv 2410.14234
algorithm { collective = "allgather", title = "circulant" }

-- Sends chunks from `first` on, where chunk 0 follows chunk n-1.
local function send(from, to, first, count)
  local head = math.min(count, n - first)
  copy { from = from, to = to, chunk = first, count = head }
  if count > head then
    copy { from = from, to = to, chunk = 0, count = count - head }
  end
end

local sizes = {} -- what a GPU has after each step
local s = n
while s > 1 do
  table.insert(sizes, 1, s)
  s = (s + 1) // 2
end
for _, size in ipairs(sizes) do
  local half = (size + 1) // 2
  step "all-gather"
  for r = 0, n - 1 do
    send(r, (r - half) % n, r, size - half)
  end
end
