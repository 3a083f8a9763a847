/* SPDX-License-Identifier: MIT */
/* collviz-lesson, for a test that runs scripts. */
#ifndef TESTS_BRING_WORKER_H
#define TESTS_BRING_WORKER_H

#include <errno.h>
#include <unistd.h>

#include "tap.h"

/* Workers are looked for beside the program, here beside this test. */
static void
bring_worker(void)
{
    char exe[300], path[400];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);

    exe[length > 0 ? length : 0] = '\0';
    if (strrchr(exe, '/') != NULL)
        *strrchr(exe, '/') = '\0';
    snprintf(path, sizeof path, "%s/collviz-lesson", exe);
    if (symlink("../src/collviz-lesson", path) != 0 && errno != EEXIST)
        diag("%s: %s", path, strerror(errno));
}

#endif
