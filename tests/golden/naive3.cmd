collviz naive-allreduce --gpus 3
