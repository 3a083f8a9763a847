-- expect: :2: minutes must be a whole number from 1 to 45
lesson { number = 1, minutes = "3", title = "Escape", idea = "out" }
