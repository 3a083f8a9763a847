collviz ring-allreduce --gpus 4 --out-of-place --plain
