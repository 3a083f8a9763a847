-- expect: :3: --record belongs on the command line
lesson { number = 1, title = "Escape", idea = "out" }
run "ring-allreduce --record /tmp/escaped"
