-- expect: :3: a run cannot be written to
lesson { number = 1, title = "Escape", idea = "out" }
local r = run "ring-allreduce --gpus 2" r.steps = 1
