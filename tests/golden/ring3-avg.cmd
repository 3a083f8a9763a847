collviz ring-allreduce --input 1,1/2,2/3,3 --op avg
