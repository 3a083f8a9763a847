-- expect: 'load' is neither a verb nor
lesson { number = 1, title = "Escape", idea = "out" }
load("return 1")()
