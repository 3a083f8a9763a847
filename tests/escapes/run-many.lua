-- expect: :4: a lesson has at most 64 runs
lesson { number = 1, title = "Escape", idea = "out" }
for i = 1, 1000 do
  run "ring-allreduce --gpus 2"
end
