-- expect: an error was raised that is not a string
lesson { number = 1, title = "Escape", idea = "out" }
error({})
