-- expect: :3: --delay: in a lesson a rank is late by 2000 ms at most
lesson { number = 1, title = "Escape", idea = "out" }
run "ring-allreduce --gpus 3 --delay 1=inf"
