-- SPDX-License-Identifier: MIT
-- Ring reduce-scatter, by following each chunk: chunk i begins at the GPU after
-- GPU i, and goes round the ring.  Each GPU adds its own part and passes it on.
-- After N-1 transfers it is complete, at GPU i, where it belongs.
algorithm {
  collective = "reduce-scatter", title = "ring", topology = "ring",
}

phase "reduce-scatter"
for i = 0, n - 1 do
  local c = chunk((i + 1) % n, i)
  for k = 2, n do
    c = c:add((i + k) % n)
  end
end
