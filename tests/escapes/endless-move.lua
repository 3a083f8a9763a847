-- expect: :2: after this line the lesson has computed for 0.2 s
lesson { number = 1, title = "Escape", idea = "out" }
table.move({}, 1, math.maxinteger - 1, 2)
