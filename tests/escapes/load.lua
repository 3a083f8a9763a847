-- expect: 'load' is no verb
lesson { number = 1, title = "Escape", idea = "out" }
load("return 1")()
