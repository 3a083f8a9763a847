-- expect: :4: the run says \["0>1 \+0"\], which is none of the choices
lesson { number = 1, title = "Escape", idea = "out" }
local r = run "ring-allreduce --gpus 2"
predict { "?", kind = "number", answer = function()
  pcall(ask, { "!", kind = "wiring", of = "nonsense", ranks = 2, par = { steps = 1 } })
  return { "0>1 +0" }
end }
