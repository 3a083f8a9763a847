collviz explain ring-allreduce --gpus 3
