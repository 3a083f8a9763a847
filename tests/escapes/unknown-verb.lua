-- expect: :3: 'shout' is neither a verb nor
lesson { number = 1, title = "Escape", idea = "out" }
shout "here"
