-- expect: :.*computed for 0.2 s
lesson { number = 1, title = "Escape", idea = "out" }
local t = {}
for i = 1, 200000 do t[i] = i % 7 end
while true do
  table.sort(t, function(a, b) return a < b end)
end
