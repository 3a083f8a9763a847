-- expect: :4: follow must be { rank, slot } or { rank, slot, step } of the run
lesson { number = 1, title = "Escape", idea = "out" }
run "ring-allreduce --gpus 3"
say { "?", follow = { 0, 0, 5 } }
