-- expect: :4: the run says "A0\+B0", which is none of the choices
lesson { number = 1, title = "Escape", idea = "out" }
local r = run "ring-allreduce --gpus 2"
predict { "?", choices = { "A0", "B0" }, answer = function() r:step() return r:holds(0, 0) end }
