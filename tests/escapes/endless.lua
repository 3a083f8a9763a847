-- expect: :3: the lesson has computed for 2 s
lesson { number = 1, title = "Escape", idea = "out" }
while true do end
