-- expect: 'os' is neither a verb nor
lesson { number = 1, title = "Escape", idea = "out" }
os.execute("touch /tmp/escaped")
