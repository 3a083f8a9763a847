/* SPDX-License-Identifier: MIT */
/* The threads backend: ranks on the cores of this machine, in this process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/backend.h"
#include "run/engine.h"
#include "run/exchange.h"
#include "run/processor.h"

/* The engine as a machine.  Where calls are timed, the caller's thread takes
 * part, and waits for them. */
struct threads {
    struct engine *engine;
    bool own_threads;
    int wake_fd;
};

static void
threads_free(void *run)
{
    struct threads *t = run;

    if (t == NULL)
        return;
    engine_free(t->engine);
    if (t->wake_fd >= 0)
        close(t->wake_fd);
    free(t);
}

static void *
threads_new(const struct schedule *s, const struct run_options *o,
            struct err *err)
{
    struct threads *t = mem_new(1, sizeof *t);

    t->own_threads = o->timing.calls == 0;
    t->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (t->wake_fd < 0)
        err_set(err, "eventfd: %s", strerror(errno));
    else
        t->engine = engine_new(s,
                               &(struct engine_options){
                                   .run = *o, .own_threads = t->own_threads,
                                   .wake_fd = t->wake_fd},
                               err);
    if (t->engine != NULL)
        return t;
    threads_free(t);
    return NULL;
}

static void
threads_describe(void *run, struct run_info *info)
{
    const struct threads *t = run;

    info->place = PLACE_CORE;
    info->nplaces = engine_threads(t->engine);
    info->ndevices = 1;
    processor_name(info->devices[0]);
}

static bool
threads_grant(void *run, int to, int64_t *at_ns, struct err *err)
{
    struct threads *t = run;

    (void)err;
    *at_ns = 0;
    if (t->own_threads)
        *at_ns = engine_grant(t->engine, to);
    else
        engine_run(t->engine);
    return true;
}

static bool
threads_look(void *run, bool *idle, struct err *err)
{
    const struct threads *t = run;

    (void)err;
    *idle = !t->own_threads || engine_idle(t->engine);
    return true;
}

static bool
threads_time(void *run, int calls, int64_t *ns, struct err *err)
{
    (void)err;
    *ns = engine_time(((struct threads *)run)->engine, calls);
    return true;
}

static bool
threads_event(void *run, struct event *event)
{
    return engine_next_event(((struct threads *)run)->engine, event);
}

static void
threads_contents(void *run, int rank, uint64_t *contents)
{
    engine_contents(((struct threads *)run)->engine, rank, contents);
}

/* Payloads and rows are in this process already. */
static bool
threads_fetch(void *run, struct err *err)
{
    (void)run;
    (void)err;
    return true;
}

static const struct rank_slot *
threads_slots(void *run, int *nslots)
{
    return engine_slots(((struct threads *)run)->engine, nslots);
}

static const uint64_t *
threads_ledger(void *run)
{
    return engine_ledger(((struct threads *)run)->engine);
}

static const struct machine machine_threads = {
    .backend = "threads",
    .new = threads_new,
    .free = threads_free,
    .describe = threads_describe,
    .grant = threads_grant,
    .look = threads_look,
    .event = threads_event,
    .contents = threads_contents,
    .fetch = threads_fetch,
    .slots = threads_slots,
    .ledger = threads_ledger,
    .time = threads_time,
};

/* The backend: that machine, or for a mismatch the exchange, reported in this
 * process. */

struct local {
    struct reporter *reporter;
    struct threads *threads; /* NULL: the exchange, whose news come at once */
    int fd;
};

static void
backend_close(void *state)
{
    struct local *l = state;

    reporter_free(l->reporter);
    if (l->threads == NULL && l->fd >= 0)
        close(l->fd);
    free(l);
}

static bool
open_threads(struct local *l, const struct schedule *s,
             const struct run_options *o, struct err *err)
{
    l->reporter = reporter_new(&machine_threads, s, o, err);
    if (l->reporter == NULL)
        return false;
    l->threads = reporter_run(l->reporter);
    l->fd = l->threads->wake_fd;
    return true;
}

static bool
open_exchange(struct local *l, const struct schedule *s,
              const struct run_options *o, struct err *err)
{
    l->fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    if (l->fd < 0)
        return err_set(err, "eventfd: %s", strerror(errno));
    l->reporter = reporter_new(&machine_exchange, s, o, err);
    return l->reporter != NULL;
}

static void *
backend_open(const struct backend *b, const struct schedule *s,
             const struct run_options *o, struct err *err)
{
    struct local *l = mem_new(1, sizeof *l);

    (void)b;
    l->fd = -1;
    if (o->mismatch != NULL ? open_exchange(l, s, o, err)
                            : open_threads(l, s, o, err))
        return l;
    backend_close(l);
    return NULL;
}

static bool
backend_grant(void *state, int to, struct err *err)
{
    const struct local *l = state;
    const uint64_t one = 1;

    if (l->threads == NULL && write(l->fd, &one, sizeof one) < 0)
        return err_set(err, "eventfd: %s", strerror(errno));
    return reporter_grant(l->reporter, to, err);
}

static enum run_got
next_item(struct reporter *r, struct item *item, struct err *err)
{
    enum run_got got = reporter_next(r, item, err);

    return got == RUN_LATER && reporter_judges_next(r)
               ? reporter_next(r, item, err)
               : got;
}

/* Until it is written again, whoever polls the descriptor sleeps. */
static bool
drain_fd(const struct local *l, struct err *err)
{
    uint64_t count;

    return read(l->fd, &count, sizeof count) >= 0 || errno == EAGAIN ||
           err_set(err, "eventfd: %s", strerror(errno));
}

/* If there is no event, asks the engine to wake us, then looks again, since an
 * event may have come in between. */
static enum run_got
backend_next(void *state, struct item *item, struct err *err)
{
    struct local *l = state;
    enum run_got got = next_item(l->reporter, item, err);

    if (got == RUN_CAUGHT_UP || (got == RUN_LATER && l->threads != NULL)) {
        if (!drain_fd(l, err))
            return RUN_FAILED;
        if (got == RUN_LATER) {
            engine_want_wake(l->threads->engine);
            got = next_item(l->reporter, item, err);
        }
    }
    return got;
}

static int
backend_fd(void *state)
{
    return ((struct local *)state)->fd;
}

const struct backend backend_threads = {
    .name = "threads",
    .mismatch = true,
    .open = backend_open,
    .grant = backend_grant,
    .next = backend_next,
    .fd = backend_fd,
    .close = backend_close,
};
