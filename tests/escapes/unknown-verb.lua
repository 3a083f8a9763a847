-- expect: :3: 'shout' is no verb
lesson { number = 1, title = "Escape", idea = "out" }
shout "here"
