-- expect: call this on a run
lesson { number = 1, title = "Escape", idea = "out" }
local r = run "ring-allreduce --gpus 2" r.holds({ id = 99 }, 0, 0)
