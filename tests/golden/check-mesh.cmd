collviz check mesh2d-allreduce --shape 3x3
