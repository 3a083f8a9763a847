/* SPDX-License-Identifier: MIT */
/* The threads backend: ranks on the cores of this machine, in this process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/backend.h"
#include "run/engine.h"
#include "run/tally.h"
#include "run/verify.h"

struct threads {
    const struct schedule *s;
    struct run_options options;
    struct engine *engine;
    struct run_info info;
    struct tally tally;
    uint64_t *contents; /* of one rank, for ITEM_INPUT */
    bool told_run;
    int told_inputs;
    bool told_result, told_end;
    int granted;         /* steps; -1 before the first grant */
    int64_t start_ns;    /* of the first grant */
    int wake_fd;
};

/* The processor's name, as the system has it. */
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
describe(struct threads *t)
{
    struct run_info *info = &t->info;

    snprintf(info->backend, sizeof info->backend, "threads");
    info->place = PLACE_CORE;
    info->nplaces = engine_workers(t->engine);
    info->ndevices = 1;
    cpu_name(info->devices[0]);
    info->type = t->options.input.type;
    info->op = t->options.input.op;
    info->count = t->options.input.count;
    info->free = t->options.free;
}

static void
threads_close(void *state)
{
    struct threads *t = state;

    engine_free(t->engine);
    if (t->wake_fd >= 0)
        close(t->wake_fd);
    free(t->contents);
    tally_done(&t->tally);
    free(t);
}

static void *
threads_open(const struct schedule *s, const struct run_options *o,
             struct err *err)
{
    struct threads *t = mem_new(1, sizeof *t);

    t->s = s;
    t->options = *o;
    t->granted = -1;
    tally_init(&t->tally, s->nranks);
    t->contents = mem_new((size_t)s->nslots *
                              (size_t)content_words(s->nranks),
                          sizeof *t->contents);
    t->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (t->wake_fd < 0) {
        err_set(err, "eventfd: %s", strerror(errno));
        threads_close(t);
        return NULL;
    }
    t->engine = engine_new(s,
                           &(struct engine_options){
                               .input = o->input, .watched = true,
                               .own_threads = true,
                               .delays = o->delays, .fault = o->fault,
                               .fault_step = o->fault_step,
                               .fault_src = o->fault_src,
                               .wake_fd = t->wake_fd},
                           err);
    if (t->engine == NULL) {
        threads_close(t);
        return NULL;
    }
    describe(t);
    return t;
}

static bool
threads_grant(void *state, int to, struct err *err)
{
    struct threads *t = state;

    (void)err;
    if (t->granted < 0)
        t->start_ns = clock_ns();
    t->granted = to;
    tally_grant(&t->tally, clock_ns() - t->start_ns);
    engine_grant(t->engine, to);
    return true;
}

static void
judge(struct threads *t)
{
    int nslots;
    const struct rank_slot *slots = engine_slots(t->engine, &nslots);

    verify(t->s, &t->options.input, slots, engine_ledger(t->engine), nslots,
           &t->tally.result);
}

/* What can be told without waiting for ranks.  `idle` is whether they had
 * finished before we look: then no event can come behind those we find. */
static bool
tell(struct threads *t, bool idle, struct item *item)
{
    *item = (struct item){.run = &t->info, .schedule = t->s};
    if (!t->told_run) {
        t->told_run = true;
        item->type = ITEM_RUN;
        return true;
    }
    if (t->told_inputs < t->s->nranks) {
        item->type = ITEM_INPUT;
        item->rank = t->told_inputs++;
        item->content = t->contents;
        engine_contents(t->engine, item->rank, t->contents);
        return true;
    }
    if (t->granted < 0)
        return false;
    if ((!t->options.in_turn || idle) &&
        engine_next_event(t->engine, &item->event)) {
        item->type = ITEM_TRANSFER;
        tally_event(&t->tally, &item->event);
        return true;
    }
    if (t->granted < t->s->nsteps || !idle || t->told_end)
        return false;
    if (!t->told_result) {
        judge(t);
        t->told_result = true;
        item->type = ITEM_RESULT;
        item->result = &t->tally.result;
        return true;
    }
    t->told_end = true;
    item->type = ITEM_END;
    item->complete = true;
    return true;
}

static enum run_got
threads_next(void *state, struct item *item, struct err *err)
{
    struct threads *t = state;
    uint64_t count;

    for (bool asked = false;; asked = true) {
        bool idle = t->granted < 0 || engine_idle(t->engine);

        if (tell(t, idle, item))
            return RUN_ITEM;
        if (idle)
            return RUN_TOLD;
        if (asked)
            return RUN_LATER;
        if (read(t->wake_fd, &count, sizeof count) < 0 && errno != EAGAIN) {
            err_set(err, "eventfd: %s", strerror(errno));
            return RUN_FAILED;
        }
        engine_want_wake(t->engine); /* then look again: it may have come */
    }
}

static int
threads_fd(void *state)
{
    return ((struct threads *)state)->wake_fd;
}

const struct backend backend_threads = {
    .name = "threads",
    .open = threads_open,
    .grant = threads_grant,
    .next = threads_next,
    .fd = threads_fd,
    .close = threads_close,
};
