XDG_DATA_HOME=$PWD XDG_STATE_HOME=$PWD collviz learn --plain --lecture | grep -v ' It took '
