-- expect: :2: after this line the lesson has computed for 0.2 s
lesson { number = 1, title = "Escape", idea = "out" }
string.find(string.rep("a", 60), string.rep("a*", 30) .. "b")
