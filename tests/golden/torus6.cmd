collviz torus2d-allreduce --shape 2x3
