-- SPDX-License-Identifier: MIT
-- Circulant reduce-scatter.  At first each GPU sees to all n chunks, to those
-- from its own on.  Of the s chunks that it sees to, it keeps the first half and
-- gives the others to the GPU that is as far away as they begin, whose first
-- ones they are.  If s is odd, the half that stays is one larger.
--
-- idea: each rank keeps half of what it sees to, from its own chunk on, and
--   gives the rest to the one that far away
-- when: any number of ranks: the fewest steps and the fewest bytes there can be
-- steps: ceil(log2 N)
-- bytes: (N-1)/N S
-- source: Traeff 2024, arXiv 2410.14234
algorithm { collective = "reduce-scatter", title = "circulant" }

-- Sends chunks from `first` on, where chunk 0 follows chunk n-1.
local function send(from, to, first, count)
  local head = math.min(count, n - first)
  add { from = from, to = to, chunk = first, count = head }
  if count > head then
    add { from = from, to = to, chunk = 0, count = count - head }
  end
end

local s = n
while s > 1 do
  local half = (s + 1) // 2
  step "reduce-scatter"
  for r = 0, n - 1 do
    local to = (r + half) % n
    send(r, to, to, s - half)
  end
  s = half
end
