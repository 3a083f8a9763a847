-- expect: 'debug' is neither a verb nor
lesson { number = 1, title = "Escape", idea = "out" }
debug.getregistry()
