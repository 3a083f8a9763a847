-- expect: :3: rank must be a whole number from 0 to 1
lesson { number = 1, title = "Escape", idea = "out" }
local r = run "ring-allreduce --gpus 2" r:holds(-1, 0)
