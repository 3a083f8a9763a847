-- expect: :3: --gpus 1024: a lesson has at most 64
lesson { number = 1, title = "Escape", idea = "out" }
run "torus2d-allreduce --shape 32x32"
