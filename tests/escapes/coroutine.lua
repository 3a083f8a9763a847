-- expect: 'coroutine' is no verb
lesson { number = 1, title = "Escape", idea = "out" }
coroutine.wrap(function() end)()
