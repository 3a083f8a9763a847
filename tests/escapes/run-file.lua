-- expect: :3: a lesson runs algorithms, not files
lesson { number = 1, title = "Escape", idea = "out" }
run "/etc/passwd.xml"
