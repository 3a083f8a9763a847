/* SPDX-License-Identifier: MIT */
/* The engine and the threads backend: the right result for every type, operator
 * and pace; faults are seen; every event is reported.  Sizes, slices, threads
 * and delays, on all algorithms and random schedules: tests/stress.c; who is
 * waited for, and how long: tests/rank.c. */
#include <stdlib.h>

#include "base/clock.h"
#include "play.h"
#include "schedule/check.h"
#include "tap.h"
#include "unwritten.h"
#include "why.h"

/* A run of a ring, and how. */
struct want {
    int nranks;
    bool in_place, lockstep;
    struct engine_options o;
};

static bool
is_right(const struct want *w)
{
    OWNS(schedule) *s = build("ring-allreduce",
                              &(struct coll_options){.nranks = w->nranks,
                                                      .in_place = w->in_place});
    const struct input *in = &w->o.run.input;
    struct run_result result = judged(s, &w->o, w->lockstep);

    if (!result.correct)
        diag("%d ranks, %d %s %s: %s", w->nranks, (int)in->count,
             dtype_name(in->type), redop_name(in->op),
             why_of(&result.first_wrong));
    return result.correct;
}

/* Plain, in lockstep and free, in place or not. */
static int
count_wrong(int n, struct input in)
{
    int wrong = 0;

    for (int kind = 0; kind < 6; kind++)
        wrong += !is_right(&(struct want){
            .nranks = n, .in_place = kind % 2, .lockstep = kind / 2 == 1,
            .o.run = {.input = in, .watched = kind / 2 > 0}});
    return wrong;
}

static void
test_types(void)
{
    for (int type = 0; type < DTYPES; type++)
        for (int op = 0; op < redop_count((enum dtype)type); op++) {
            struct input in = {(enum dtype)type, (enum redop)op, 1000, NULL, 0};
            int wrong = 0;
            for (int n = 1; n <= 8; n += n < 2 ? 1 : 6)
                wrong += count_wrong(n, in);
            is_int(wrong, 0, "%s %s", dtype_name(in.type), redop_name(in.op));
        }
}

/* Cases where 16 bits are too few for a partial result in some order, but not
 * for the result; and where they are too few for the sum of many ranks. */
static void
test_half_limits(void)
{
    static const struct {
        enum redop op;
        int nranks;
        const char *text[6];
    } cases[] = {
        {REDOP_SUM, 3, {"60000", "60000", "-60000"}},
        {REDOP_SUM, 2, {"65504", "16"}},
        {REDOP_SUM, 5, {"17", "65408", "17", "17", "17"}}, /* rounded up */
        {REDOP_AVG, 3, {"60000", "60000", "60000"}},
        {REDOP_AVG, 3, {"6e-8", "0", "0"}},
        {REDOP_PROD, 3, {"300", "300", "0.01"}},
        {REDOP_PROD, 6, {"0.001", "0.001", "0.001", "1000", "1000", "1000"}},
        {REDOP_MIN, 3, {"inf", "65504", "6e-8"}},
        {REDOP_MAX, 2, {"-inf", "-65504"}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint16_t given[6];
        struct want w = {.nranks = cases[i].nranks,
                         .o.run.input = {DTYPE_FLOAT16, cases[i].op, 1,
                                         (unsigned char *)given}};
        for (int r = 0; r < w.nranks; r++)
            dtype_parse(DTYPE_FLOAT16, cases[i].text[r], &given[r]);
        ok(is_right(&w), "float16, %s of %s, %s, ...",
           redop_name(cases[i].op), cases[i].text[0], cases[i].text[1]);
    }
    for (int n = 16; n <= 256; n *= 16)
        for (int type = DTYPE_FLOAT16; type <= DTYPE_BFLOAT16; type++)
            for (int op = 0; op < redop_count((enum dtype)type); op++)
                ok(is_right(&(struct want){
                       .nranks = n, .o.run.input = {(enum dtype)type,
                                                    (enum redop)op, 300,
                                                    NULL}}),
                   "%d ranks, %s %s", n, dtype_name((enum dtype)type),
                   redop_name((enum redop)op));
}

/* A peer that is late forever is later than the rank itself. */
static void
test_late_forever(void)
{
    OWNS(schedule) *s = ring(3);
    struct engine_options o = {.run.input = {DTYPE_INT32, REDOP_SUM, 6, NULL},
                               .run.watched = true, .own_threads = true,
                               .run.delays = (int64_t[]){0, DELAY_FOREVER, 1}};
    int64_t begin = clock_ns();
    struct err err;
    OWNS(engine) *e = engine_new(s, &o, &err);
    struct event event;
    int others = 0;

    engine_grant(e, 1, &(int64_t){0}, &err);
    for (; clock_ns() - begin < 50000000; sched_yield())
        while (engine_next_event(e, &event))
            others += event.dst != 0;
    is_int(others, 0, "neither that rank nor the one that pulls from it moves");
    ok(!engine_idle(e), "the step is not over");
}

static void
test_many(void)
{
    for (int watched = 0; watched < 2; watched++) {
        int n = watched ? 1000 : 500;
        ok(is_right(&(struct want){
               .nranks = n, .in_place = true,
               .o.run = {.input.count = 256, .watched = watched}}),
           "%d ranks, 1 KiB, %s", n, watched ? "watched" : "plain");
    }
}

/* Ranks may finish at any moment while we look for their events. */
static void
test_all_told(void)
{
    OWNS(schedule) *s = ring(4);
    struct run_options o = {.input = {DTYPE_INT32, REDOP_SUM, 8, NULL},
                            .free = true};
    int lost = 0;

    for (int i = 0; i < 500; i++) {
        OWN(reported) reported;
        struct err err;
        run_on(&backend_threads, s, &o, &reported, &err);
        lost += reported.counts[ITEM_TRANSFER] != (int)s->ntransfers;
    }
    is_int(lost, 0, "500 free runs: no event is lost");
}

/* A sum that includes memory that nobody wrote is wrong, with every type and
 * operator (for many ranks, some of them), and both values and ledger show it.
 * Where all inputs are zeros a product is zero, too: only the ledger shows
 * it. */
static void
test_unwritten(void)
{
    static const int64_t zeros[65];

    for (int way = 0; way < UNWRITTEN_WAYS; way++)
        for (int n = 2; n <= 65; n += 63) {
            const char *name = unwritten_ways[way].name;
            OWNS(schedule) *s = unwritten_schedule(way, n);
            struct engine_options o = {.run.watched = true};
            struct run_result result;
            int hidden = 0, each = n > LEDGER_RANKS ? 7 : 1;
            struct err err;

            ok(!schedule_check(s, 100, NULL, &err), "%s: %s", name, err.text);
            for (int kind = 0; kind < DTYPES * REDOPS * 2; kind += each) {
                struct input in = {.type = (enum dtype)(kind / 2 % DTYPES),
                                   .op = (enum redop)(kind / 2 / DTYPES),
                                   .count = 100};
                if ((int)in.op >= redop_count(in.type))
                    continue;
                o.run.input = in;
                result = judged(s, &o, kind % 2);
                if (!result.correct && result.wrong > 0)
                    continue;
                hidden++;
                diag("%s %s: %s, %d wrong", dtype_name(in.type),
                     redop_name(in.op), result.correct ? "correct" : "wrong",
                     (int)result.wrong);
            }
            is_int(hidden, 0, "%d ranks, %s: wrong with types and operators",
                   n, name);
            o.run.input = (struct input){
                .type = DTYPE_INT64, .op = REDOP_PROD, .count = 1,
                .given = (const unsigned char *)zeros};
            result = judged(s, &o, false);
            ok(!result.correct && result.wrong == 0 &&
                   strstr(why_of(&result.first_wrong),
                          n > LEDGER_RANKS ? "65/65" : "A?+B?") != NULL,
               "%d ranks, zeros, %s: %s", n, name, why_of(&result.first_wrong));
        }
}

int
main(void)
{
    test_types();
    test_half_limits();
    test_late_forever();
    test_many();
    test_all_told();
    for (int type = 0; type < DTYPES; type++)
        faults_are_seen(&backend_threads, (enum dtype)type);
    test_unwritten();
    return done_testing();
}
