/* SPDX-License-Identifier: MIT */
#include "lesson/state_folder.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

bool
state_folder(char path[PATH_MAX])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = -1;

    if (state != NULL && state[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/collviz", state);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/.local/state/collviz", home);
    return length > 0 && length < PATH_MAX - 64;
}

bool
state_folder_make(const char *path)
{
    char copy[PATH_MAX];

    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return true;
    snprintf(copy, sizeof copy, "%s", path);
    return state_folder_make(dirname(copy)) &&
           (mkdir(path, 0700) == 0 || errno == EEXIST);
}
