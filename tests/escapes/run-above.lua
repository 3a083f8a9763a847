-- expect: :3: ./code/../../passwd.lua: a lesson runs files of its own folder
lesson { number = 1, title = "Escape", idea = "out" }
run "./code/../../passwd.lua"
