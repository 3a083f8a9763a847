-- SPDX-License-Identifier: MIT
-- Ring all-reduce: each GPU sends to the next.  The data is cut into N chunks.
-- They travel round the ring twice: once to be summed, once to be handed out.
-- 2(N-1) steps; each GPU sends 2(N-1)/N of its data.
algorithm {
  collective = "all-reduce", title = "ring", chunks = n, topology = "ring",
}

for k = 0, n - 2 do
  step "reduce-scatter"
  for r = 0, n - 1 do
    add { from = r, to = (r + 1) % n, chunk = (r - 1 - k) % n }
  end
end

for k = 0, n - 2 do
  step "all-gather"
  for r = 0, n - 1 do
    copy { from = r, to = (r + 1) % n, chunk = (r - k) % n }
  end
end
