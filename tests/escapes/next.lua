-- expect: :3: 'next' is no verb
lesson { number = 9, title = "t", idea = "i" }
next({})
