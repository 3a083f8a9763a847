/* SPDX-License-Identifier: MIT */
/* In which order schedules add, and whether a fault shows: small schedules by
 * hand, and every algorithm, compared with what runs of it leave. */
#include "schedule/sums.h"

#include <stdlib.h>
#include <string.h>

#include "play.h"
#include "tap.h"

enum { ELEMENTS = 400, RANKS_MOST = 9 };

static void
reduce(struct schedule *s, int src, int dst)
{
    schedule_add(s, (struct transfer){.src = src, .dst = dst, .nslots = 1,
                                      .op = TRANSFER_REDUCE});
}

static void
test_by_hand(void)
{
    OWNS(schedule) *pair = blank_schedule("by-hand", 2, 1);
    OWNS(schedule) *same = blank_schedule("by-hand", 3, 1);
    OWNS(schedule) *other = blank_schedule("by-hand", 3, 1);

    schedule_step(pair, "exchange");
    reduce(pair, 0, 1);
    reduce(pair, 1, 0);
    ok(sums_agree(pair), "a + b is b + a");
    schedule_step(same, "all at once");
    reduce(same, 1, 0); /* (A+B)+C */
    reduce(same, 2, 0);
    reduce(same, 0, 1); /* (B+A)+C */
    reduce(same, 2, 1);
    ok(!sums_agree(same), "a rank that lacks a contribution");
    reduce(same, 1, 2); /* (C+B)+A */
    reduce(same, 0, 2);
    ok(!sums_agree(same), "reductions of one step are made in their order");
    schedule_step(other, "gather");
    reduce(other, 1, 0);
    reduce(other, 2, 0);
    schedule_step(other, "in two steps");
    schedule_add(other, (struct transfer){.src = 0, .dst = 1, .nslots = 1});
    schedule_add(other, (struct transfer){.src = 0, .dst = 2, .nslots = 1});
    ok(sums_agree(other), "copies of one sum");
}

static bool
ranks_agree(const struct engine *e, const struct schedule *s, int64_t count)
{
    struct rank_slots found = engine_slots(e);

    for (int rank = 1; rank < schedule_members(s); rank++)
        for (int k = 0; k < s->noutputs; k++) {
            int own = schedule_output(s, rank).first + k;
            int first = schedule_output(s, 0).first + k;
            int64_t length = schedule_chunk_length(s, count, k);
            if (memcmp(found.slots[rank * found.nslots + own].data,
                       found.slots[first].data, (size_t)length * 4) != 0)
                return false;
        }
    return true;
}

/* Ranks hold the same bits where, and only where, they add alike. */
static void
test_bits(const struct algorithm *a)
{
    static float given[RANKS_MOST * ELEMENTS];
    int wrong = 0, built = 0;

    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        given[i] = (float)rand() / 7 - 1e8f;
    for (int n = 2; n <= RANKS_MOST; n++) {
        struct input in = {DTYPE_FLOAT32, REDOP_SUM, ELEMENTS,
                           (const void *)given, 0};
        struct err ignored;
        OWNS(schedule) *s =
            coll_build(a, &(struct coll_options){.nranks = n}, &ignored);
        OWNS(engine) *e = NULL; /* ends before its schedule */
        if (s == NULL)
            continue;
        built++;
        e = engine_new(s, &(struct engine_options){.run.input = in}, NULL);
        engine_run(e);
        wrong += ranks_agree(e, s, ELEMENTS) != sums_agree(s);
    }
    ok(built > 0 && wrong == 0, "%s-%s: ranks hold the same bits if they add "
       "alike: %d of %d wrong", a->name, a->collective, wrong, built);
}

static bool
shows(const struct schedule *s, const struct input *in, struct fault fault)
{
    struct engine_options o = {.run.input = *in, .run.watched = true,
                               .run.fault = fault};
    OWNS(engine) *e = engine_new(s, &o, NULL);

    engine_run(e);
    return !engine_verdict(e, s, in).correct;
}

/* A fault of any kind in anything that is sent shows in the verdict where, and
 * only where, it spoils a sum of some elements. */
static void
test_faults(const struct algorithm *a, int n, int64_t count)
{
    struct err ignored;
    int wrong = 0, seen = 0, spoilt = 0;
    OWNS(schedule) *s =
        coll_build(a, &(struct coll_options){.nranks = n}, &ignored);
    struct input in = {DTYPE_INT32, REDOP_SUM, count, NULL, 0};

    if (s == NULL)
        return;
    for (int step = 1; step <= s->nsteps; step++)
        for (int src = 0; src < s->nranks; src++)
            for (int kind = FAULT_DROP; kind <= FAULT_CORRUPT; kind++) {
                struct fault f = {(enum instr_fault)kind, step, src};
                bool shown = shows(s, &in, f);
                bool told = sums_spoilt(s, count, &f);
                seen++;
                spoilt += told;
                wrong += shown != told;
            }
    ok(wrong == 0 && spoilt > 0, "%s-%s on %d ranks: of %d faults %d show, %d "
       "are taken for what they are not", a->name, a->collective, n, seen,
       spoilt, wrong);
}

int
main(void)
{
    const struct algorithm *a;

    srand(9);
    test_by_hand();
    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++) {
        if (strcmp(a->collective, "allreduce") == 0)
            test_bits(a);
        test_faults(a, 4, 10);
        test_faults(a, 3, 2); /* some chunks are empty */
    }
    return done_testing();
}
