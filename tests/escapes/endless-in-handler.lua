-- expect: :.*computed for 0.2 s
lesson { number = 1, title = "Escape", idea = "out" }
while true do xpcall(error, function() while true do end end) end
