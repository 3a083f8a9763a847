collviz explain tree-allreduce --gpus 5 --chunks 2
