-- expect: :2: after this line the lesson takes more than 64 MiB|not enough memory
lesson { number = 1, title = "Escape", idea = "out" }
local t = {}
for i = 1, 1000000000 do t[i] = { i } end
