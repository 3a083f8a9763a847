/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_run.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/log_reader.h"
#include "run/prepare.h"
#include "workers/cuda/placement.h"
#include "workers/nccl/nccl_ranks.h"

struct nccl_run {
    const struct schedule *s;
    struct program *p;
    struct message_plan *plan;
    struct nccl_job job;
    struct rank_call call; /* where slots and rows are, for run/prepare.h */
    int64_t *lengths;      /* elements, by chunk */
    void *memory;          /* shared with the ranks */
    size_t bytes;
    struct nccl_ranks ranks;
    struct log_reader reader; /* of the ranks' logs */
    int granted;     /* steps */
};

#define DEAL_MOST (SIZE_MAX / 128 * 128)

/* Lays out shared memory.  Runs twice: first to count the bytes. */
struct dealer {
    unsigned char *memory; /* NULL: only counting */
    size_t bytes;
};

static void *
deal(struct dealer *d, size_t count, size_t size)
{
    void *memory = d->memory != NULL ? d->memory + d->bytes : NULL;

    if (count > (DEAL_MOST - d->bytes) / size)
        d->bytes = DEAL_MOST; /* stays too large from now on */
    else
        d->bytes += (count * size + 127) / 128 * 128;
    return memory;
}

static void
deal_slots(struct nccl_run *r, struct dealer *d)
{
    size_t nslots = (size_t)r->job.nslots, n = (size_t)r->s->nranks * nslots;
    size_t element = (size_t)r->call.element;

    for (size_t i = 0; i < n; i++) {
        struct rank_slot *slot = &r->job.slots[i];
        slot->length = message_plan_room(r->plan, (int)(i / nslots),
                                      (int)(i % nslots));
        slot->data = deal(d, (size_t)slot->length, element);
    }
}

/* Room for the output of NCCL's own collective, as long as ours. */
static void
deal_own(struct nccl_run *r, struct dealer *d)
{
    for (int rank = 0; r->job.options.native && rank < r->s->nranks; rank++) {
        struct rank_slot *own = &r->job.own[rank];
        struct region out = schedule_output(r->s, rank);
        own->length = 0;
        for (int slot = out.first; slot < out.first + out.count; slot++)
            own->length += message_plan_room(r->plan, rank, slot);
        own->data = deal(d, (size_t)own->length, (size_t)r->call.element);
    }
}

/* Room for everything that a rank can report in the whole run. */
static void
deal_logs(struct nccl_run *r, struct dealer *d)
{
    size_t words = (size_t)content_words(r->s->nranks);

    for (int rank = 0; rank < r->s->nranks; rank++) {
        struct rank all = {.index = rank,
                           .end = program_length(r->p, rank)};
        struct log_room room = prepare_room(&r->call, r->p, &all);
        struct rank_log *log = &r->job.logs[rank];
        log->events = deal(d, room.events, sizeof *log->events);
        log->contents = deal(d, room.contents * words, sizeof(uint64_t));
    }
}

static void
deal_all(struct nccl_run *r, struct dealer *d)
{
    size_t n = (size_t)r->s->nranks;
    size_t rows = n * (size_t)r->job.nslots;
    struct nccl_shared *shared = deal(d, 1, sizeof *shared);
    struct nccl_post *posts = deal(d, n, sizeof *posts);

    if (r->job.options.watched)
        r->job.ledger = deal(d, rows * (size_t)ledger_words(r->s->nranks),
                             sizeof(uint64_t));
    deal_slots(r, d);
    deal_own(r, d);
    if (r->job.options.watched)
        deal_logs(r, d);
    for (int rank = 0; posts != NULL && rank < r->s->nranks; rank++)
        r->job.logs[rank].published = &posts[rank].events;
    if (shared != NULL)
        shared->posts = posts;
    r->job.shared = shared;
}

static bool
share_memory(struct nccl_run *r, struct err *err)
{
    struct dealer d = {NULL, 0};

    deal_all(r, &d);
    r->bytes = d.bytes;
    r->memory = mmap(NULL, d.bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r->memory == MAP_FAILED) {
        r->memory = NULL;
        return err_set(err, "taking %.1f MiB for %d ranks: %s; take fewer "
                       "elements or ranks", (double)d.bytes / (1 << 20),
                       r->s->nranks, strerror(errno));
    }
    d = (struct dealer){r->memory, 0};
    deal_all(r, &d);
    r->call.slots = r->job.slots;
    r->call.ledger = r->job.ledger;
    return true;
}

static void
prepare(struct nccl_run *r, const struct run_options *o)
{
    const struct schedule *s = r->s;
    size_t n = (size_t)s->nranks;
    bool divide = o->input.op == REDOP_AVG && s->collective->reduces;

    r->p = program_lower(s);
    program_set_fault(r->p, &o->fault);
    r->plan = message_plan_new(s, r->p, o->input.count, divide);
    r->lengths = schedule_chunk_lengths(s, o->input.count);
    r->job = (struct nccl_job){
        .s = s, .p = r->p, .plan = r->plan, .options = *o,
        .nslots = message_plan_slots(r->plan),
        .own = mem_new(n, sizeof *r->job.own),
        .logs = mem_new(n, sizeof *r->job.logs)};
    log_reader_init(&r->reader, r->job.logs, s->nranks);
    r->job.slots = mem_new(n * (size_t)r->job.nslots, sizeof *r->job.slots);
    r->call = (struct rank_call){
        .outputs = prepare_outputs(s), .nranks = s->nranks,
        .nslots = r->job.nslots, .nslices = 1,
        .element = (int)dtype_size(o->input.type), .divide = divide};
    nccl_ranks_init(&r->ranks, &r->job);
}

static void
nccl_run_free(void *state)
{
    struct nccl_run *r = state;

    if (r == NULL)
        return;
    nccl_ranks_done(&r->ranks);
    if (r->memory != NULL)
        munmap(r->memory, r->bytes);
    free(r->job.slots);
    free(r->job.own);
    free(r->job.logs);
    free((void *)r->call.outputs);
    free(r->lengths);
    log_reader_done(&r->reader);
    message_plan_free(r->plan);
    program_free(r->p);
    free(r);
}

static void *
nccl_run_new(const struct schedule *s, const struct run_options *o,
             struct err *err)
{
    struct nccl_run *r = mem_new(1, sizeof *r);

    r->s = s;
    prepare(r, o);
    if (share_memory(r, err)) {
        for (int rank = 0; rank < s->nranks; rank++)
            prepare_input(&r->call, s, &o->input, r->lengths, rank);
        if (nccl_ranks_start(&r->ranks, err))
            return r;
    }
    nccl_run_free(r);
    return NULL;
}

static void
nccl_run_describe(void *state, struct run_info *info)
{
    const struct nccl_run *r = state;
    const struct nccl_post *posts = r->job.shared->posts;
    struct placement p = placement_of(r->s->nranks, posts[0].ngpus);
    char version[NCCL_VERSION_TEXT_MAX];

    nccl_version_text(r->job.shared->version, version);
    info->place = PLACE_GPU;
    info->nplaces = info->ndevices = p.ngpus;
    for (int gpu = 0; gpu < p.ngpus; gpu++) {
        int first = placement_first(&p, gpu);
        memset(info->device_of + first, gpu,
               (size_t)(r->s->nranks - first)); /* to the next GPU's first */
        snprintf(info->devices[gpu], RUN_NAME_MAX, "%.63s, NCCL %.12s%s",
                 posts[first].gpu, version,
                 posts[first].shares
                     ? ", a process a rank, over sockets: slow"
                     : "");
    }
}

static bool
nccl_run_grant(void *state, int to, int64_t *at_ns, struct err *err)
{
    struct nccl_run *r = state;

    if (r->granted == 0)
        r->job.shared->start_ns = clock_ns();
    *at_ns = clock_ns() - r->job.shared->start_ns;
    r->granted = to;
    return nccl_ranks_command(&r->ranks, to, err);
}

static bool
nccl_run_look(void *state, bool *idle, struct err *err)
{
    struct nccl_run *r = state;

    return nccl_ranks_look(&r->ranks, NCCL_POST_READY + r->granted + 1, idle,
                           err);
}

static bool
nccl_run_event(void *state, struct event *event)
{
    return log_reader_next(&((struct nccl_run *)state)->reader, event);
}

static void
nccl_run_contents(void *state, int rank, uint64_t *contents)
{
    const struct nccl_run *r = state;

    prepare_contents(&r->call, r->s, r->lengths, rank, contents);
}

static bool
nccl_run_fetch(void *state, struct err *err)
{
    struct nccl_run *r = state;

    return nccl_ranks_ask(&r->ranks, NCCL_COMMAND_FETCH, err);
}

static const struct rank_slot *
nccl_run_slots(void *state, int *nslots)
{
    const struct nccl_run *r = state;

    *nslots = r->job.nslots;
    return r->job.slots;
}

static const uint64_t *
nccl_run_ledger(void *state)
{
    const struct nccl_run *r = state;

    return r->job.ledger;
}

/* The slowest rank's. */
static bool
nccl_run_time(void *state, int calls, int64_t *ns, struct err *err)
{
    struct nccl_run *r = state;

    r->job.shared->calls = calls;
    if (!nccl_ranks_ask(&r->ranks, NCCL_COMMAND_TIME, err))
        return false;
    *ns = 0;
    for (int rank = 0; rank < r->s->nranks; rank++) {
        int64_t own = r->job.shared->posts[rank].timed_ns;
        *ns = own > *ns ? own : *ns;
    }
    return true;
}

static bool
nccl_run_compare(void *state, struct run_native *native,
                 char wrong[RUN_WRONG_MAX], struct err *err)
{
    struct nccl_run *r = state;
    const struct nccl_post *posts = r->job.shared->posts;
    const struct native_times **times;

    if (!nccl_ranks_ask(&r->ranks, NCCL_COMMAND_COMPARE, err))
        return false;
    times = mem_new((size_t)r->s->nranks, sizeof *times);
    for (int rank = 0; rank < r->s->nranks; rank++)
        times[rank] = &posts[rank].times;
    *native = (struct run_native){
        .wall_ns = native_ns(times, r->s->nranks),
        .timed_ns = native_timed_ns(times, r->s->nranks)};
    free(times);
    snprintf(native->name, sizeof native->name, "%s", posts[0].name);
    snprintf(native->inside, sizeof native->inside, "%s", posts[0].inside);
    native_judge(r->s, &r->job.options.input, r->job.slots, r->job.nslots,
                 r->job.own, native, wrong);
    return true;
}

const struct machine machine_nccl = {
    .backend = "nccl",
    .new = nccl_run_new,
    .free = nccl_run_free,
    .describe = nccl_run_describe,
    .grant = nccl_run_grant,
    .look = nccl_run_look,
    .event = nccl_run_event,
    .contents = nccl_run_contents,
    .fetch = nccl_run_fetch,
    .slots = nccl_run_slots,
    .ledger = nccl_run_ledger,
    .time = nccl_run_time,
    .compare = nccl_run_compare,
};
