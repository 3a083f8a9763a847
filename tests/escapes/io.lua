-- expect: 'io' is no verb
lesson { number = 1, title = "Escape", idea = "out" }
io.open("/etc/passwd")
