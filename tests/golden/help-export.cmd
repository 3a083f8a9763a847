collviz help export
