-- expect: :3: predict does not know 'hint'
lesson { number = 1, title = "Escape", idea = "out" }
predict { "?", kind = "number", hint = "x", answer = function() return 1 end }
