-- expect: :3: a lesson begins once
lesson { number = 1, title = "Escape", idea = "out" }
lesson { number = 2, title = "Again", idea = "x" }
