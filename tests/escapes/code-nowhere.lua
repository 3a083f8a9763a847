-- expect: :3: code: cannot read .*nowhere.c: No such file
lesson { number = 1, title = "Escape", idea = "out" }
code { "nowhere.c", from = "a", to = "b" }
