collviz chart ring-allreduce tree-allreduce butterfly-allreduce --gpus 4
