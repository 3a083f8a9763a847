-- expect: 'debug' is no verb
lesson { number = 1, title = "Escape", idea = "out" }
debug.getregistry()
