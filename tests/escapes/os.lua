-- expect: 'os' is no verb
lesson { number = 1, title = "Escape", idea = "out" }
os.execute("touch /tmp/escaped")
