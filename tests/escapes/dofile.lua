-- expect: 'dofile' is no verb
lesson { number = 1, title = "Escape", idea = "out" }
dofile "/etc/passwd"
