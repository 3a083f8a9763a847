-- expect: :4: the run says \["0>1 =0"\], which is none of the choices
lesson { number = 1, title = "Escape", idea = "out" }
for i = 1, 64 do run "ring-allreduce --gpus 2" end
predict { "?", kind = "number", answer = function()
  pcall(ask, { "!", kind = "wiring", of = "broadcast", ranks = 2, par = { steps = 1 } })
  return { "0>1 =0" }
end }
