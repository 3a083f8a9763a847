-- expect: an error was raised that is not a text
lesson { number = 1, title = "Escape", idea = "out" }
error({})
