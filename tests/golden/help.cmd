collviz --help
