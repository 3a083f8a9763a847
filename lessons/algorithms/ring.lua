algorithm { collective = "all-reduce", title = "ring", chunks = n, topology = "ring" }

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
