/* SPDX-License-Identifier: MIT */
/* All-reduces that read memory which nobody wrote, each in another way.  The
 * proof refutes them; where that memory is zero their sum is right. */
#ifndef TESTS_UNWRITTEN_H
#define TESTS_UNWRITTEN_H

#include "chunks.h"
#include "play.h"

/* Slots: the buffer, and scratch. */
enum { UNWRITTEN_BUFFER, UNWRITTEN_SCRATCH, UNWRITTEN_MORE };

static inline void
unwritten_move(struct schedule *s, enum transfer_op op, int src, int from,
               int dst, int add, int to)
{
    schedule_add(s, (struct transfer){.src = src, .dst = dst, .src_slot = from,
                                      .dst_slot = to, .add_slot = add,
                                      .nslots = 1, .op = op});
}

#define COPY(src, from, dst, to) \
    unwritten_move(s, TRANSFER_COPY, src, UNWRITTEN_##from, dst, \
                   UNWRITTEN_##to, UNWRITTEN_##to)
#define REDUCE(src, from, dst, add, to) \
    unwritten_move(s, TRANSFER_REDUCE, src, UNWRITTEN_##from, dst, \
                   UNWRITTEN_##add, UNWRITTEN_##to)

static inline void
unwritten_adds_to(struct schedule *s)
{
    REDUCE(0, BUFFER, 0, SCRATCH, SCRATCH);
    schedule_step(s, "back");
    COPY(0, SCRATCH, 0, BUFFER);
}

static inline void
unwritten_adds(struct schedule *s)
{
    REDUCE(0, SCRATCH, 0, BUFFER, BUFFER);
}

static inline void
unwritten_receives(struct schedule *s)
{
    REDUCE(1, SCRATCH, 0, BUFFER, BUFFER);
}

static inline void
unwritten_copies(struct schedule *s)
{
    COPY(1, SCRATCH, 0, SCRATCH);
    schedule_step(s, "then");
    REDUCE(0, SCRATCH, 0, BUFFER, BUFFER);
}

static inline void
unwritten_puts_elsewhere(struct schedule *s)
{
    REDUCE(0, BUFFER, 0, SCRATCH, MORE);
    schedule_step(s, "back");
    COPY(0, MORE, 0, BUFFER);
}

/* Scratch is read in the step that writes it, so it is staged. */
static inline void
unwritten_stages(struct schedule *s)
{
    REDUCE(0, BUFFER, 0, SCRATCH, SCRATCH);
    COPY(0, SCRATCH, 1, MORE);
    schedule_step(s, "back");
    COPY(0, SCRATCH, 0, BUFFER);
}

/* Memory that nobody wrote overwrites a copy of the sum, and is added to it. */
static inline void
unwritten_overwrites(struct schedule *s)
{
    COPY(0, BUFFER, 1, MORE);
    schedule_step(s, "over");
    COPY(0, SCRATCH, 1, MORE);
    schedule_step(s, "back");
    REDUCE(1, MORE, 0, BUFFER, BUFFER);
}

#undef COPY
#undef REDUCE

static const struct unwritten {
    const char *name;
    void (*add)(struct schedule *s);
} unwritten_ways[] = {
    {"adds to it", unwritten_adds_to},
    {"adds it", unwritten_adds},
    {"adds it from elsewhere", unwritten_receives},
    {"copies it and adds that", unwritten_copies},
    {"adds to it, and puts the sum elsewhere", unwritten_puts_elsewhere},
    {"adds to it where it is staged", unwritten_stages},
    {"copies it over what was there, and adds that", unwritten_overwrites},
};

enum { UNWRITTEN_WAYS = sizeof unwritten_ways / sizeof unwritten_ways[0] };

/* Rank 0 adds all up, then reads memory that nobody wrote, then sends its
 * result to all. */
static inline struct schedule *
unwritten_schedule(int way, int nranks)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "unwritten",
        .nranks = nranks, .pieces = 1, .scratch = 2, .in_place = true});

    schedule_step(s, "reduce");
    for (int rank = 1; rank < nranks; rank++)
        reduce_chunk(s, rank, 0, 0);
    schedule_step(s, "unwritten");
    unwritten_ways[way].add(s);
    schedule_step(s, "broadcast");
    for (int rank = 1; rank < nranks; rank++)
        copy_chunk(s, 0, rank, 0);
    return s;
}

/* Runs such a schedule on a backend.  Returns whether the verdict, its reason
 * and the ledger of every output show what was read. */
static inline bool
unwritten_shows(const struct backend *backend, const struct schedule *s,
                const struct run_options *o)
{
    struct reported reported;
    struct err err = {""};
    bool shows;

    run_on(backend, s, o, &reported, &err);
    shows = reported.counts[ITEM_END] > 0 && !reported.correct &&
            strstr(reported.why, "expected") != NULL &&
            reported.wrong_outputs == s->nranks;
    if (!shows)
        diag("%s %s: %s", dtype_name(o->input.type), redop_name(o->input.op),
             err.text);
    reported_done(&reported);
    return shows;
}

/* Two ranks on a backend, with every type and operator. */
static inline void
check_unwritten(const struct backend *backend, int way)
{
    struct schedule *s = unwritten_schedule(way, 2);
    int hidden = 0;

    for (int kind = 0; kind < DTYPES * REDOPS; kind++) {
        struct run_options o = {
            .input = {(enum dtype)(kind % DTYPES),
                      (enum redop)(kind / DTYPES), 10, NULL},
            .free = kind % 2};
        if ((int)o.input.op >= redop_count(o.input.type))
            continue;
        hidden += !unwritten_shows(backend, s, &o);
    }
    is_int(hidden, 0, "%s: wrong with every type and operator",
           unwritten_ways[way].name);
    schedule_free(s);
}

#endif
