-- expect: :3: a string contains a NUL
lesson { number = 1, title = "Escape", idea = "out" }
say "a\0b"
