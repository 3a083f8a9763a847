collviz binomial-gather --gpus 5 --root 2 --json |  sed 's/"devices":\[[^]]*\]/"devices":[]/; s/_ns":[0-9]*/_ns":0/g; s/"places":[0-9]*/"places":0/'
