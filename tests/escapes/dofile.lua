-- expect: 'dofile' is neither a verb nor
lesson { number = 1, title = "Escape", idea = "out" }
dofile "/etc/passwd"
