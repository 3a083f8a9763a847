/* SPDX-License-Identifier: MIT */
/* The folder for what collviz keeps from one start to the next:
 * $XDG_STATE_HOME/collviz (~/.local/state/collviz). */
#ifndef LESSON_STATE_FOLDER_H
#define LESSON_STATE_FOLDER_H

#include <limits.h>
#include <stdbool.h>

/* Sets `path`.  Returns false if neither XDG_STATE_HOME nor HOME names a
 * folder. */
bool state_folder(char path[PATH_MAX]);

/* Makes a folder and those above it.  On failure errno is that of the highest
 * one that cannot be made. */
bool state_folder_make(const char *path);

#endif
