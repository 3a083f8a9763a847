-- expect: :3: 'next' is neither a verb nor
lesson { number = 9, title = "t", idea = "i" }
next({})
