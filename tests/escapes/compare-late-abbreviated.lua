-- expect: :3: compare takes no --delay
lesson { number = 1, title = "Escape", idea = "out" }
compare "naive-allreduce ring-allreduce --gpus 4 --del 1=inf"
