-- expect: :3: the lesson has used more than 100000 verbs
lesson { number = 9, title = "t", idea = "i" }
while true do say "." end
