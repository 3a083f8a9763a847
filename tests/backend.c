/* SPDX-License-Identifier: MIT */
/* The table of backends, and which one "auto" is.  This program has its own
 * access(), so that machines with and without a driver can be tried. */
#include "run/backend.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

static const char *device; /* the only file below /dev; NULL: none */

int
access(const char *path, int mode)
{
    if (strncmp(path, "/dev/", 5) == 0)
        return device != NULL && strcmp(path, device) == 0 ? 0 : -1;
    return faccessat(AT_FDCWD, path, mode, 0);
}

static void
test_auto(void)
{
    const struct backend *b;
    struct err err = {""};
    bool exists;

    device = NULL;
    b = backend_find("auto", &exists, &err);
    is_str(b->name, "threads", "without a driver auto is threads");
    ok(strstr(err.text, "no NVIDIA driver") != NULL, "because: %s", err.text);
    device = "/dev/nvidiactl"; /* collviz-cuda lies beside this program */
    b = backend_find("auto", &exists, &err);
    is_str(b->name, "cuda", "with a driver it is cuda");
    device = "/dev/dxg";
    b = backend_find("auto", &exists, &err);
    is_str(b->name, "cuda", "with that of WSL too");
}

static void
test_names(void)
{
    const struct backend *b;
    struct err err = {""};
    bool exists;
    int found = 0, i;

    for (i = 0; (b = backend_at(i)) != NULL; i++)
        found += backend_find(b->name, &exists, &err) ==
                 (b->open != NULL ? b : NULL);
    is_int(found, i, "every backend that can be opened is found by its name");
    ok(backend_at(-1) == NULL, "there is none before the first");
    ok(backend_find("mpi", &exists, &err) == NULL && exists &&
           strstr(err.text, "not built into") != NULL,
       "one that is not built exists: %s", err.text);
    ok(backend_find("thread", &exists, &err) == NULL && !exists &&
           strstr(err.text, "threads") != NULL,
       "one that does not: %s", err.text);
}

int
main(void)
{
    test_auto();
    test_names();
    return done_testing();
}
