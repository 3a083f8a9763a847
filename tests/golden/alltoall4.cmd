collviz bruck-alltoall --gpus 4
