-- expect: :3: slot must be a whole number from 0 to 1
lesson { number = 1, title = "Escape", idea = "out" }
local r = run "ring-allreduce --gpus 2" r:holds(0, 4000000000)
