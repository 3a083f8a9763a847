collviz allgather --gpus 4
