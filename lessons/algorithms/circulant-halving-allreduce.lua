-- SPDX-License-Identifier: MIT
-- Circulant all-reduce in halves: circulant reduce-scatter of n chunks, then the
-- same way back.  Few steps and few bytes for every number of GPUs, where
-- halving-doubling has both for powers of two only.
--
-- idea: each rank keeps half of what it sees to and gives the rest to the one
--   that far away; then all sums go the same way back
-- when: middling to large data on any number of ranks: few steps and few bytes
-- steps: 2 ceil(log2 N)
-- bytes: 2(N-1)/N S
-- source: Traeff 2024, arXiv 2410.14234
algorithm { collective = "allreduce", title = "circulant-halving", chunks = n }

-- Sends chunks from `first` on, where chunk 0 follows chunk n-1.
local function send(verb, from, to, first, count)
  local head = math.min(count, n - first)
  verb { from = from, to = to, chunk = first, count = head }
  if count > head then
    verb { from = from, to = to, chunk = 0, count = count - head }
  end
end

local sizes = {} -- what a GPU sees to before each step
local s = n
while s > 1 do
  sizes[#sizes + 1] = s
  s = (s + 1) // 2
end
for _, size in ipairs(sizes) do
  local half = (size + 1) // 2
  step "reduce-scatter"
  for r = 0, n - 1 do
    local to = (r + half) % n
    send(add, r, to, to, size - half)
  end
end
for i = #sizes, 1, -1 do
  local half = (sizes[i] + 1) // 2
  step "all-gather"
  for r = 0, n - 1 do
    send(copy, r, (r - half) % n, r, sizes[i] - half)
  end
end
