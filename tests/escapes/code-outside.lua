-- expect: :3: code: .* must be the name of a file in code/
lesson { number = 1, title = "Escape", idea = "out" }
code { "../../etc/passwd", from = "root", to = "root" }
