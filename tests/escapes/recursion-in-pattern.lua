-- expect: too many captures
lesson { number = 1, title = "Escape", idea = "out" }
string.match(string.rep("(", 100000), string.rep("(", 300) .. "x")
