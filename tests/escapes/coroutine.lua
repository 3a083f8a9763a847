-- expect: 'coroutine' is neither a verb nor
lesson { number = 1, title = "Escape", idea = "out" }
coroutine.wrap(function() end)()
