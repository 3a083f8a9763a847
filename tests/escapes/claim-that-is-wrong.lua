-- expect: rank 0 owns nothing
lesson { number = 1, title = "Escape", idea = "out" }
local r = run "ring-allreduce --gpus 2"
assert(r:holds(0, 0) == "B0", "rank 0 owns nothing")
