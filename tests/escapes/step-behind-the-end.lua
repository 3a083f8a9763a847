-- expect: :3: the run is over: it has 2 steps
lesson { number = 1, title = "Escape", idea = "out" }
local r = run "ring-allreduce --gpus 2" r:step(3)
