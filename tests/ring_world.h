/* SPDX-License-Identifier: MIT */
/* A world in which a ring all-reduce has run, for tests that look at it.  The
 * results are computed here, directly from the meaning of the transfers.  Every
 * chunk has two elements, int64: A0 is 1 2, A1 is 3 4, and the input of rank r
 * is (r + 1) times as large.
 *
 * The clock: in lockstep a step begins every second, and each rank's transfer
 * takes 2 us and starts 1 us after that of the rank before.  If the ranks run
 * freely, a transfer starts as soon as both ends are ready and takes 100 us;
 * the slow rank is ready 1 ms later. */
#ifndef TESTS_RING_WORLD_H
#define TESTS_RING_WORLD_H

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/world.h"
#include "schedules.h"
#include "tap.h"

enum { RING_ELEMENTS = 2 };

enum { RING_LOCKSTEP = -2, RING_EVEN = -1 }; /* else the slow rank */

struct ring_run {
    int slow;
    struct fault fault;    /* a drop, or none */
    int64_t *before, *now; /* the times at which each rank finishes the step
                            * before and this step */
};

static void
ring_world_time(struct ring_run *run, struct event *e)
{
    int64_t ready = run->before[e->dst] + (e->dst == run->slow ? 1000000 : 0);

    if (run->slow == RING_LOCKSTEP) {
        e->begin_ns = e->step * INT64_C(1000000000) + 1000 * e->dst;
        e->end_ns = e->begin_ns + 2000;
        return;
    }
    e->begin_ns = ready;
    if (run->before[e->src] > ready) {
        e->begin_ns = run->before[e->src];
        e->waited_for = e->src;
    }
    e->wait_ns = e->begin_ns - ready;
    e->end_ns = e->begin_ns + 100000;
    run->now[e->dst] = e->end_ns;
}

static struct schedule *
ring_schedule(int n)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "ring",
        .nranks = n, .pieces = n, .in_place = true,
        .topology.kind = TOPOLOGY_RING});

    for (int k = 0; k < 2 * (n - 1); k++) {
        schedule_step(s, k < n - 1 ? "reduce-scatter" : "all-gather");
        for (int i = 0; i < n; i++) {
            int chunk = (i - 1 - k + 3 * n) % n;
            if (k < n - 1)
                reduce_chunk(s, i, (i + 1) % n, chunk);
            else
                copy_chunk(s, i, (i + 1) % n, chunk);
        }
    }
    return s;
}

static void
ring_world_input(struct world *w, const struct schedule *s, uint64_t *contents)
{
    int words = content_words(s->nranks), ledger = ledger_words(s->nranks);
    struct err err;

    for (int rank = 0; rank < s->nranks; rank++) {
        uint64_t *own = contents + (size_t)(rank * s->nslots * words);
        struct region in = schedule_input(s, rank);
        for (int c = 0; c < in.count; c++) {
            uint64_t *row = own + (size_t)((in.first + c) * words);
            ledger_input(row, s->nranks, rank, c);
            row[ledger] = RING_ELEMENTS;
            for (int i = 0; i < RING_ELEMENTS; i++)
                row[ledger + 1 + i] = (uint64_t)(rank + 1) *
                                      (uint64_t)(c * RING_ELEMENTS + i + 1);
        }
        world_add(w, &(struct item){.type = ITEM_INPUT, .rank = rank,
                                    .content = own}, &err);
    }
}

/* Adds one transfer to the world. `before` is the state before its step, `now`
 * the state that it changes. */
static void
ring_world_transfer(struct world *w, const struct schedule *s, int step,
                    const struct transfer *t, const uint64_t *before,
                    uint64_t *now, struct ring_run *run)
{
    int words = content_words(s->nranks), ledger = ledger_words(s->nranks);
    const uint64_t *src =
        before + (size_t)((t->src * s->nslots + t->src_slot) * words);
    uint64_t *dst =
        now + (size_t)((t->dst * s->nslots + t->dst_slot) * words);
    struct item item = {
        .type = ITEM_TRANSFER,
        .event = {.step = step, .src = t->src, .dst = t->dst,
                  .src_slot = t->src_slot, .dst_slot = t->dst_slot,
                  .nslots = t->nslots, .waited_for = -1,
                  .op = t->op == TRANSFER_REDUCE ? EVENT_REDUCE : EVENT_COPY,
                  .bytes = RING_ELEMENTS * 8, .content = dst}};
    bool dropped = run->fault.kind == FAULT_DROP && run->fault.step == step &&
                   run->fault.src == t->src;
    struct err err;

    if (dropped) {
        item.event.fault = FAULT_DROP;
        item.event.bytes = 0;
    }
    for (int k = 0; k < t->nslots && !dropped;
         k++, src += words, dst += words) {
        if (t->op == TRANSFER_COPY) {
            memcpy(dst, src, (size_t)words * sizeof *dst);
            continue;
        }
        ledger_add(dst, dst, src, s->nranks);
        for (int i = 0; i < RING_ELEMENTS; i++)
            dst[ledger + 1 + i] += src[ledger + 1 + i];
    }
    ring_world_time(run, &item.event);
    world_add(w, &item, &err);
}

/* The world after the first `steps` steps of a schedule, at position 0; after
 * all of them, it has a verdict, too.  The schedule is in place.  What the
 * fault's rank sends in its step is dropped.  Frees the schedule. */
static struct world *
world_with(struct schedule *s, int steps, int slow, struct fault fault)
{
    int n = s->nranks;
    struct world *w = world_new();
    size_t words = (size_t)content_words(n);
    size_t size = (size_t)(n * s->nslots) * words;
    uint64_t *now = mem_new(size, sizeof *now);
    uint64_t *before = mem_new(size, sizeof *before);
    struct run_info info = {.backend = "threads", .place = PLACE_CORE,
                            .nplaces = 2, .type = DTYPE_INT64,
                            .op = REDOP_SUM,
                            .count = s->nchunks * RING_ELEMENTS};
    int64_t *sent = mem_new((size_t)n, sizeof *sent);
    struct ring_run run = {
        .slow = slow, .fault = fault,
        .before = mem_new((size_t)n, sizeof *run.before),
        .now = mem_new((size_t)n, sizeof *run.now)};
    struct run_result result = {.correct = fault.kind == FAULT_NONE,
                                .first_wrong = {WRONG_SAID,
                                                .said = "some slot"},
                                .nranks = n,
                                .bytes_sent = sent};
    struct err err;

    run_forget_cores(&info);
    world_add(w, &(struct item){.type = ITEM_RUN, .run = &info,
                                .schedule = s}, &err);
    ring_world_input(w, s, now);
    for (int step = 1; step <= steps; step++) {
        size_t count;
        const struct transfer *t = schedule_transfers(s, step, &count);
        memcpy(before, now, size * sizeof *now);
        memcpy(run.before, run.now, (size_t)n * sizeof *run.now);
        for (size_t i = 0; i < count; i++)
            if (t[i].op == TRANSFER_REDUCE) {
                size_t row = (size_t)(t[i].dst * s->nslots);
                memcpy(now + (row + (size_t)t[i].dst_slot) * words,
                       before + (row + (size_t)t[i].add_slot) * words,
                       (size_t)t[i].nslots * words * sizeof *now);
            }
        for (size_t i = 0; i < count; i++)
            ring_world_transfer(w, s, step, &t[i], before, now, &run);
    }
    if (steps == s->nsteps)
        world_add(w, &(struct item){.type = ITEM_RESULT, .result = &result},
                  &err);
    free(run.before);
    free(run.now);
    free(sent);
    free(now);
    free(before);
    schedule_free(s);
    return w;
}

static struct world *
world_of(struct schedule *s, int steps, int slow)
{
    return world_with(s, steps, slow, (struct fault){0});
}

TAP_UNUSED static struct world *
ring_world_paced(int n, int steps, int slow)
{
    return world_of(ring_schedule(n), steps, slow);
}

TAP_UNUSED static struct world *
ring_world(int n, int steps)
{
    return ring_world_paced(n, steps, RING_LOCKSTEP);
}

/* Takes the transfers to a rank out of a step, as if they had not happened. */
TAP_UNUSED static void
ring_world_lose(struct world *w, int step, int dst)
{
    struct world_step *s = &w->steps[step];

    for (size_t i = 0; i < s->count; i++)
        if (s->events[i].dst == dst) {
            s->slots_done -= (size_t)s->events[i].nslots;
            free(s->events[i].content);
            s->events[i] = s->events[--s->count];
        }
}

/* What comes to a rank in a step is of the next chunk. */
TAP_UNUSED static void
ring_world_stray(struct world *w, int step, int dst)
{
    struct world_step *s = &w->steps[step];
    int nranks = w->schedule->nranks, words = content_words(nranks);

    world_seek(w, 0);
    for (size_t i = 0; i < s->count; i++)
        for (int k = 0; s->events[i].dst == dst && k < s->events[i].nslots;
             k++) {
            struct ledger_entry *row = (struct ledger_entry *)
                (s->events[i].content + (size_t)k * (size_t)words);
            for (int rank = 0; rank < nranks; rank++)
                if (row[rank].times > 0)
                    row[rank].chunk =
                        (uint16_t)((row[rank].chunk + 1) % nranks);
        }
}

/* Puts ranks 0 and 1 on one GPU, rank 2 on another. */
TAP_UNUSED static void
ring_world_on_gpus(struct world *w)
{
    struct run_info *run = &w->own_run;

    run->place = PLACE_GPU;
    run->nplaces = run->ndevices = 2;
    snprintf(run->devices[0], RUN_NAME_MAX,
             "NVIDIA H200 0000:1b:00.0, read by peer access");
    snprintf(run->devices[1], RUN_NAME_MAX,
             "NVIDIA H200 0000:3d:00.0, read through host memory");
    run->device_of[2] = 1;
    run_know_hosts(run);
}

/* Puts ranks on hosts in turn: 0 and 2 on one, 1 on another. */
TAP_UNUSED static void
ring_world_on_hosts(struct world *w)
{
    struct run_info *run = &w->own_run;

    run->place = PLACE_HOST;
    run->nplaces = run->ndevices = 2;
    snprintf(run->devices[0], RUN_NAME_MAX, "cv1");
    snprintf(run->devices[1], RUN_NAME_MAX, "cv2");
    for (int rank = 0; rank < 3; rank++) {
        run->device_of[rank] = rank % 2;
        run->core_of[rank] = (int16_t)(7 - rank);
    }
    run_know_hosts(run);
}

/* The same, but each rank has a GPU of its own. */
TAP_UNUSED static void
ring_world_on_hosts_gpus(struct world *w)
{
    struct run_info *run = &w->own_run;

    ring_world_on_hosts(w);
    run->ndevices = 3;
    for (int rank = 0; rank < 3; rank++) {
        run->device_of[rank] = (uint8_t)rank;
        snprintf(run->devices[rank], RUN_NAME_MAX,
                 "%s, NCCL 2.28.9, NVIDIA H200 0000:%db:00.0",
                 rank == 1 ? "cv12" : "cv1", rank);
    }
    run_know_hosts(run);
}

/* Gives a result the sentence of an older recording. */
static inline void
say_wrong(struct world *w, const char *said)
{
    w->result.first_wrong.kind = WRONG_SAID;
    snprintf(w->result.first_wrong.said, WRONG_TEXT_MAX, "%s", said);
}

#endif
