-- expect: :3: a number is not finite
lesson { number = 1, title = "Escape", idea = "out" }
local r = run "ring-allreduce --gpus 2" r:go(1 / 0)
