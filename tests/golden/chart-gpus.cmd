collviz chart ring-allgather bruck-allgather recursive-doubling-allgather --over-gpus --bytes 64K --network infiniband
