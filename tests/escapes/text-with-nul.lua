-- expect: :3: a text has a NUL in it
lesson { number = 1, title = "Escape", idea = "out" }
say "a\0b"
