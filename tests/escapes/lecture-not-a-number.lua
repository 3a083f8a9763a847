-- expect: :2: lecture must be a whole number from 1 to 45
lesson { number = 1, lecture = true, title = "Escape", idea = "out" }
