collviz broadcast --gpus 4
