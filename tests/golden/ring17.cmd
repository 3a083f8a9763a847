collviz ring-allreduce --gpus 17
