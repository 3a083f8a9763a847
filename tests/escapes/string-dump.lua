-- expect: nil value
lesson { number = 1, title = "Escape", idea = "out" }
string.dump(function() end)
