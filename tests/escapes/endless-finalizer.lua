-- expect: :2: after this line the lesson has computed for 0.2 s
lesson { number = 1, title = "Escape", idea = "out" }
setmetatable({}, { __gc = function() while true do end end })
local t = {}
for i = 1, 1000000 do t[i % 10] = { i } end
say "here"
