-- expect: 'print' is neither a verb nor
lesson { number = 1, title = "Escape", idea = "out" }
print "{\"end\":true}"
