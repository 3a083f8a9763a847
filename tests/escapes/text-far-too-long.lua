-- expect: :3: this is more than 64 KiB
lesson { number = 1, title = "Escape", idea = "out" }
say(string.rep("a", 1000000))
