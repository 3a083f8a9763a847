collviz ring-allreduce --gpus 1 --out-of-place
