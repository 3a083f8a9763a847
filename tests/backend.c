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
    struct err err = {.text = ""};

    device = NULL;
    b = backend_find("auto", &err);
    is_str(b->name, "threads", "without a driver auto is threads");
    ok(strstr(err.text, "no NVIDIA driver") != NULL, "because: %s", err.text);
    device = "/dev/nvidiactl"; /* collviz-cuda lies beside this program */
    b = backend_find("auto", &err);
    is_str(b->name, "cuda", "with a driver it is cuda");
    device = "/dev/dxg";
    b = backend_find("auto", &err);
    is_str(b->name, "cuda", "with that of WSL too");
}

static void
test_names(void)
{
    const struct backend *b;
    struct err err = {.text = ""};
    int found = 0, i;

    for (i = 0; (b = backend_at(i)) != NULL; i++)
        found += backend_find(b->name, &err) == b;
    is_int(found, i, "every backend is found by its name");
    ok(backend_at(-1) == NULL, "there is none before the first");
    ok(backend_find("thread", &err) == NULL &&
           strstr(err.text, "threads") != NULL,
       "a name that is not in the table: %s", err.text);
}

int
main(void)
{
    test_auto();
    test_names();
    return done_testing();
}
