-- expect: an error was raised that is no text
lesson { number = 1, title = "Escape", idea = "out" }
error({})
