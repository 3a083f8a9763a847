/* SPDX-License-Identifier: MIT */
#include "run/backend.h"

#include <string.h>

#include "base/mem.h"
#include "base/near.h"

static const struct backend *const backends[] = {
    &backend_threads, &backend_cuda, &backend_nccl, &backend_mpi,
};

enum { BACKENDS = sizeof backends / sizeof backends[0] };

const struct backend *
backend_at(int index)
{
    return index >= 0 && index < BACKENDS ? backends[index] : NULL;
}

const struct backend *
backend_find(const char *name, struct err *err)
{
    const char *names[BACKENDS + 2] = {"auto"};
    OWN(buf) others = {0};
    const struct backend *b;

    if (strcmp(name, "auto") == 0)
        return backend_cuda.there(&backend_cuda, err) ? &backend_cuda
                                                      : &backend_threads;
    for (int i = 0; (b = backend_at(i)) != NULL; i++) {
        names[i + 1] = b->name;
        if (strcmp(b->name, name) == 0)
            return b;
    }
    near_among(name, names, &others);
    err_set(err, "no backend is called '%s'; %s", name, buf_text(&others));
    return NULL;
}
