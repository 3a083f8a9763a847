-- expect: :.*the lesson has computed for 0.2 s
lesson { number = 1, title = "Escape", idea = "out" }
while true do pcall(function() while true do end end) end
