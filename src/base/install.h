/* SPDX-License-Identifier: MIT */
/* Where the other files of collviz are: in a build tree, beside the installed
 * program (which may have been moved), or where configure put them. */
#ifndef BASE_INSTALL_H
#define BASE_INSTALL_H

#include <limits.h>
#include <stdbool.h>

enum install_what {
    INSTALL_PROGRAMS, /* programs that collviz starts */
    INSTALL_LESSONS,
    INSTALL_CATALOGUES, /* translations of messages */
    /* What the system has, unless it is a bare one: `make portable` brings it
     * along, beside the program. */
    INSTALL_LOCALES,   /* C.utf8 */
    INSTALL_TERMINALS, /* terminfo */
    INSTALL_FONTS      /* fonts.conf, for GIFs */
};

enum { INSTALL_PLACES = 3 };

/* The folder to look in: place 0 is in the build tree, 1 beside the installed
 * program, 2 where configure put it.  Returns false if it is not known. */
bool install_folder(enum install_what what, int place, char path[PATH_MAX]);

#endif
