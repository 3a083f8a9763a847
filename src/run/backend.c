/* SPDX-License-Identifier: MIT */
#include "run/backend.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/near.h"

struct run {
    const struct backend *backend;
    void *state;
};

static const struct backend *const backends[] = {
    &backend_threads, &backend_cuda, &backend_nccl, &backend_mpi,
    &backend_smpi,
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
    struct buf others = {0};
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
    buf_done(&others);
    return NULL;
}

struct run *
run_open(const struct backend *backend, const struct schedule *s,
         const struct run_options *o, struct err *err)
{
    struct run *run;
    void *state = backend->open(backend, s, o, err);

    if (state == NULL)
        return NULL;
    run = mem_new(1, sizeof *run);
    run->backend = backend;
    run->state = state;
    return run;
}

struct run *
run_again(struct run *run, const struct backend *backend,
          const struct schedule *s, const struct run_options *o,
          struct err *err)
{
    if (run != NULL && backend->again != NULL) {
        backend->again(run->state, s, o);
        return run;
    }
    run_close(run);
    return run_open(backend, s, o, err);
}

bool
run_grant(struct run *run, int to, struct err *err)
{
    return run->backend->grant(run->state, to, err);
}

enum run_got
run_next(struct run *run, struct item *item, struct err *err)
{
    return run->backend->next(run->state, item, err);
}

int
run_fd(struct run *run)
{
    return run->backend->fd(run->state);
}

const char *
run_note(const struct run *run)
{
    return run->backend->note != NULL ? run->backend->note(run->state) : NULL;
}

void
run_close(struct run *run)
{
    if (run == NULL)
        return;
    run->backend->close(run->state);
    free(run);
}
