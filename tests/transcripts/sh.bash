collviz: line 1: exec: nosuch: not found
