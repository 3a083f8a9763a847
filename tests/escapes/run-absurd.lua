-- expect: :3: .*--gpus '1000000000'
lesson { number = 1, title = "Escape", idea = "out" }
run "ring-allreduce --gpus 1000000000"
