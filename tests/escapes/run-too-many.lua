-- expect: :3: --gpus 65: a lesson has at most 64
lesson { number = 1, title = "Escape", idea = "out" }
run "ring-allreduce --gpus 65"
