/* SPDX-License-Identifier: MIT */
#include "run/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/request.h"

#define LAUNCH "collviz-launch"

enum { END_MS = 1000 }; /* collviz-launch seldom needs longer */

/* An empty folder in PATH is the current one. */
static bool
in_path(const char *program)
{
    const char *path = getenv("PATH");
    OWN_MEMORY char *copy = mem_string(path != NULL ? path : "/bin:/usr/bin");
    char *rest = copy, *folder, file[PATH_MAX];

    while ((folder = strsep(&rest, ":")) != NULL)
        if (snprintf(file, sizeof file, "%s/%s",
                     folder[0] != '\0' ? folder : ".", program) <
                (int)sizeof file &&
            access(file, X_OK) == 0)
            return true;
    return false;
}

bool
launcher_refuse_missing(const char *program, struct err *err)
{
    return err_set(err, "there is no %s on this machine: install Open MPI or "
                   "MPICH (Debian and Ubuntu: openmpi-bin), or name another "
                   "launcher with --launcher", program);
}

bool
launcher_there(const char *command, struct err *err)
{
    char program[64];

    snprintf(program, sizeof program, "%.*s", (int)strcspn(command, " "),
             command);
    return in_path(program) || launcher_refuse_missing(program, err);
}

struct child *
launcher_start(const char *command, const char *worker, int nranks,
               const char *given, struct err *err)
{
    char path[PATH_MAX], ranks[16];
    char *words[] = {(char *)LAUNCH, (char *)(given ? "anywhere" : "here"),
                     (char *)(given ? given : command), (char *)"-n", ranks,
                     path, NULL};
    struct child *c;

    if (!child_find(worker, path, err) ||
        (given == NULL && !launcher_there(command, err)))
        return NULL;
    snprintf(ranks, sizeof ranks, "%d", nranks);
    c = child_open(LAUNCH, words, err);
    if (c != NULL) {
        child_give_time(c, END_MS);
        child_limit(c, REQUEST_AHEAD);
    }
    return c;
}
