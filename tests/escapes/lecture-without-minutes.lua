-- expect: :2: lecture must be true, and needs minutes
lesson { number = 1, lecture = true, title = "Escape", idea = "out" }
