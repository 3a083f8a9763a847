-- SPDX-License-Identifier: MIT
-- Bruck's all-gather: each GPU has a run of chunks that begins with its own and
-- doubles in every step: it sends what it has to the GPU `distance` before it.
-- ceil(log2 N) steps for any N.  Chunk i is what GPU i has at first.
algorithm { collective = "all-gather", title = "bruck" }

local distance = 1
while distance < n do
  step "all-gather"
  local length = math.min(distance, n - distance) -- the last run is shorter
  for r = 0, n - 1 do
    local to = (r - distance) % n
    local head = math.min(length, n - r) -- what goes on after chunk n-1 ...
    copy { from = r, to = to, chunk = r, count = head }
    if length > head then -- ... begins with chunk 0
      copy { from = r, to = to, chunk = 0, count = length - head }
    end
  end
  distance = 2 * distance
end
