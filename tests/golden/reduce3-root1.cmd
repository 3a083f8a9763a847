collviz binomial-reduce --gpus 3 --root 1 --out-of-place
