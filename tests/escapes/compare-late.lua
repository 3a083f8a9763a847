-- expect: :3: compare takes no --delay
lesson { number = 9, title = "t", idea = "i" }
compare "ring-allreduce naive-allreduce --gpus 16 --delay 0=2000"
