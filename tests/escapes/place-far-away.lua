-- expect: :2: place must be a number from 1 to 999
lesson { number = 1, place = 1e300, title = "Escape", idea = "out" }
