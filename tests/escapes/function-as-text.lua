-- expect: cannot be shown
lesson { number = 1, title = "Escape", idea = "out" }
say(function() end)
