-- expect: 'print' is no verb
lesson { number = 1, title = "Escape", idea = "out" }
print "{\"end\":true}"
