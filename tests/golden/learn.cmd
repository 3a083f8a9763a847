collviz learn --plain
