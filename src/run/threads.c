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

/* The engine as a machine. */
struct threads {
    struct engine *engine;
    int wake_fd;
};

/* The processor's name, as the system reports it. */
static void
cpu_name(char name[RUN_NAME_MAX])
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");

    snprintf(name, RUN_NAME_MAX, "CPU");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, RUN_NAME_MAX, "%.*s", RUN_NAME_MAX - 1,
                 colon + 1 + strspn(colon + 1, " "));
        break;
    }
    if (file != NULL)
        fclose(file);
}

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

    t->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (t->wake_fd < 0)
        err_set(err, "eventfd: %s", strerror(errno));
    else
        t->engine = engine_new(s,
                               &(struct engine_options){
                                   .run = *o, .own_threads = true,
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
    cpu_name(info->devices[0]);
}

static bool
threads_grant(void *run, int to, int64_t *at_ns, struct err *err)
{
    struct threads *t = run;

    (void)err;
    *at_ns = engine_grant(t->engine, to);
    return true;
}

static bool
threads_look(void *run, bool *idle, struct err *err)
{
    (void)err;
    *idle = engine_idle(((struct threads *)run)->engine);
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
};

/* The backend: that machine, reported in this process. */

static void *
backend_open(const struct backend *b, const struct schedule *s,
             const struct run_options *o, struct err *err)
{
    (void)b;
    return reporter_new(&machine_threads, s, o, err);
}

static bool
backend_grant(void *state, int to, struct err *err)
{
    return reporter_grant(state, to, err);
}

static enum run_got
next_item(struct reporter *r, struct item *item, struct err *err)
{
    enum run_got got = reporter_next(r, item, err);

    return got == RUN_LATER && reporter_judges_next(r)
               ? reporter_next(r, item, err)
               : got;
}

/* If there is no event, asks the engine to wake us, then looks again, since an
 * event may have come in between. */
static enum run_got
backend_next(void *state, struct item *item, struct err *err)
{
    struct threads *t = reporter_run(state);
    enum run_got got = next_item(state, item, err);
    uint64_t count;

    if (got != RUN_LATER)
        return got;
    if (read(t->wake_fd, &count, sizeof count) < 0 && errno != EAGAIN) {
        err_set(err, "eventfd: %s", strerror(errno));
        return RUN_FAILED;
    }
    engine_want_wake(t->engine);
    return next_item(state, item, err);
}

static int
backend_fd(void *state)
{
    return ((struct threads *)reporter_run(state))->wake_fd;
}

static void
backend_close(void *state)
{
    reporter_free(state);
}

const struct backend backend_threads = {
    .name = "threads",
    .open = backend_open,
    .grant = backend_grant,
    .next = backend_next,
    .fd = backend_fd,
    .close = backend_close,
};
