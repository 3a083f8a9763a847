collviz ring --help
