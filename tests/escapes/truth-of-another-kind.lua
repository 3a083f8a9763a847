-- expect: :3: answer\(\) gives "four", where a number belongs
lesson { number = 1, title = "Escape", idea = "out" }
predict { "?", kind = "number", answer = function() return "four" end }
