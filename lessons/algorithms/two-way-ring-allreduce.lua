-- SPDX-License-Identifier: MIT
-- Ring all-reduce whose second half goes both ways round: sums are handed to
-- the next GPU and to the one before, so they meet half way round the ring.
--
-- idea: chunks travel round the ring to be summed, then both ways round to be
--   handed out
-- when: middling data on rings whose links carry both directions at once
-- steps: N-1 + ceil((N-1)/2)
-- bytes: 2(N-1)/N S
-- source: torchcomms, PR 823
algorithm { collective = "allreduce", title = "two-way-ring", chunks = n,
            topology = "ring" }

for k = 0, n - 2 do
  step "reduce-scatter"
  for r = 0, n - 1 do
    add { from = r, to = (r + 1) % n, chunk = (r - 1 - k) % n }
  end
end

for k = 1, n // 2 do
  step "all-gather"
  for r = 0, n - 1 do
    copy { from = r, to = (r + 1) % n, chunk = (r + 1 - k) % n }
    if 2 * k < n then
      copy { from = r, to = (r - 1) % n, chunk = (r - 1 + k) % n }
    end
  end
end
