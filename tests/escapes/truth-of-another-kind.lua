-- expect: :3: answer\(\) gives "four", but the question needs a number
lesson { number = 1, title = "Escape", idea = "out" }
predict { "?", kind = "number", answer = function() return "four" end }
