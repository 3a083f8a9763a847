-- expect: :3: text is longer than 4096 bytes
lesson { number = 1, title = "Escape", idea = "out" }
say(string.rep("a", 5000))
