/* SPDX-License-Identifier: MIT */
/* A folder of the test's own, `lab`.  In lab/collviz the program keeps its
 * state and looks for the user's own lessons. */
#ifndef TESTS_LAB_H
#define TESTS_LAB_H

#include <stdlib.h>

#include "tap.h"

static char lab[] = "/tmp/collviz-lab-XXXXXX";

static void
lab_make(void)
{
    if (mkdtemp(lab) == NULL) {
        perror(lab);
        exit(99);
    }
    setenv("XDG_STATE_HOME", lab, 1);
    setenv("XDG_DATA_HOME", lab, 1);
}

static void
lab_remove(void)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf %s", lab);
    if (system(command) != 0)
        diag("%s is left", lab);
}

#endif
