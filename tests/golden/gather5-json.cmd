collviz binomial-gather --gpus 5 --root 2 --json
