-- expect: 'io' is neither a verb nor
lesson { number = 1, title = "Escape", idea = "out" }
io.open("/etc/passwd")
