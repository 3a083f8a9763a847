-- expect: memory
lesson { number = 1, title = "Escape", idea = "out" }
local s = string.rep("x", 2 ^ 31)
