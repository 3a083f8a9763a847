collviz ring-allreduce --gpus 3 --fault drop:1:2
