/* SPDX-License-Identifier: MIT */
/* Where the other files of collviz are: in a build tree, beside the installed
 * program (which may have been moved), or where configure put them. */
#ifndef BASE_INSTALL_H
#define BASE_INSTALL_H

#include <limits.h>
#include <stdbool.h>

enum install_what {
    INSTALL_PROGRAMS, /* that collviz starts */
    INSTALL_LESSONS,
    INSTALL_CATALOGUES /* of messages in other languages */
};

enum { INSTALL_PLACES = 3 };

/* The folder to look in: place 0 is the build tree's, 1 beside where it is
 * installed, 2 configure's. False where it cannot be known. */
bool install_folder(enum install_what what, int place, char path[PATH_MAX]);

#endif
