-- expect: :3: a string is not UTF-8
lesson { number = 1, title = "Escape", idea = "out" }
say "\xff\xfe"
