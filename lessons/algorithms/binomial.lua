-- SPDX-License-Identifier: MIT
-- Binomial-tree broadcast: whoever has the data passes it on, so after each
-- step twice as many GPUs have it.  ceil(log2 N) steps.
algorithm {
  collective = "broadcast", title = "binomial", topology = "binomial",
}

local distance = 1
while distance < n do
  distance = 2 * distance
end

-- GPUs are counted from the root here, so that any GPU can be the root.
while distance > 1 do
  distance = distance // 2
  step "broadcast"
  for child = distance, n - 1, 2 * distance do
    copy {
      from = (root + child - distance) % n, to = (root + child) % n, chunk = 0,
    }
  end
end
