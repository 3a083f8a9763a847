-- expect: :3: /etc/passwd.xml: a lesson runs files of its own folder
lesson { number = 1, title = "Escape", idea = "out" }
run "/etc/passwd.xml"
