collviz check ring-allreduce --gpus 3
