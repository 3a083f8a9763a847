-- expect: :2: day must be a whole number from 1 to 99
lesson { number = 1, day = 1e300, title = "Escape", idea = "out" }
