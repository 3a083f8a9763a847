-- expect: stack overflow|more than 64 MiB
lesson { number = 1, title = "Escape", idea = "out" }
local function f() return 1 + f() end
f()
