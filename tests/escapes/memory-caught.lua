-- expect: :.*computed for 0.2 s|memory
lesson { number = 1, title = "Escape", idea = "out" }
local keep = {}
while true do
  pcall(function()
    while true do keep[#keep + 1] = string.rep("x", 1024) end
  end)
end
