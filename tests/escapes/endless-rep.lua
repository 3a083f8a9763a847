-- expect: :.*computed for 0.2 s|:.*memory
lesson { number = 1, title = "Escape", idea = "out" }
while true do pcall(string.rep, "x", 60 * 1024 * 1024) end
