collviz ring-allreduce --gpus 3
