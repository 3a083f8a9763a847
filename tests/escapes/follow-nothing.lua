-- expect: :3: follow comes after a run
lesson { number = 1, title = "Escape", idea = "out" }
say { "?", follow = { 0, 0 } }
