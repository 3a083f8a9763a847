collviz list
