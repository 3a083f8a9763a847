-- expect: :3: .*needs .* GiB
lesson { number = 1, title = "Escape", idea = "out" }
run "ring-allreduce --gpus 4 --count 1000000000000"
