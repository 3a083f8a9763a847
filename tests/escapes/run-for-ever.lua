-- expect: :4: a step of this run may never end: use settle
lesson { number = 1, title = "Escape", idea = "out" }
local r = run "ring-allreduce --gpus 3 --delay 1=inf"
r:step()
