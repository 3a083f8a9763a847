-- expect: :3: a text contains a NUL
lesson { number = 1, title = "Escape", idea = "out" }
say "a\0b"
