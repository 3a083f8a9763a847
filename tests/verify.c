/* SPDX-License-Identifier: MIT */
/* The verdict: right results in which single elements, or rows of the ledger,
 * are changed afterwards; and that the stopwatch judges what it measures. */
#include "run/verify.h"

#include <math.h>
#include <stdlib.h>

#include "play.h"
#include "run/stopwatch.h"
#include "tap.h"

enum { RANKS = 3, COUNT = 6 };

struct finished {
    struct schedule *s;
    struct engine *engine;
    struct input in;
    struct rank_slots found;
    char first_wrong[RUN_WRONG_MAX];
    int64_t wrong;
};

/* A finished ring in place, to be changed and judged. */
static struct finished
finish(enum dtype type, enum redop op, const void *given)
{
    struct finished f = {.s = ring(RANKS), .in = {type, op, COUNT, given}};
    struct engine_options o = {.run.input = f.in, .run.watched = true};
    struct err err;

    f.engine = engine_new(f.s, &o, &err);
    engine_run(f.engine);
    f.found = engine_slots(f.engine);
    return f;
}

static bool
is_correct(struct finished *f)
{
    struct run_result result = engine_verdict(f->engine, f->s, &f->in);

    snprintf(f->first_wrong, sizeof f->first_wrong, "%s", result.first_wrong);
    f->wrong = result.wrong;
    return result.correct;
}

static void
finished_done(struct finished *f)
{
    engine_free(f->engine);
    schedule_free(f->s);
}

static unsigned char *
element(const struct finished *f, int rank, int chunk, int index)
{
    return f->found.slots[rank * f->found.nslots + chunk].data +
           (size_t)index * dtype_size(f->in.type);
}

/* By how much a sum or an average of the default pattern may differ. */
static void
test_slack(void)
{
    static const enum dtype types[] = {DTYPE_FLOAT32, DTYPE_FLOAT64,
                                       DTYPE_FLOAT16, DTYPE_BFLOAT16};

    for (int i = 0; i < 4; i++)
        for (int op = 0; op < redop_count(types[i]); op++) {
            double eps = dtype_limits(types[i])->epsilon;
            const char *type = dtype_name(types[i]);
            const char *name = redop_name((enum redop)op);
            OWN(finished) f = finish(types[i], (enum redop)op, NULL);
            unsigned char *at;

            ok(is_correct(&f), "%s %s: as computed%s", type, name,
               f.first_wrong);
            at = element(&f, 1, 2, 1);
            dtype_set_real(types[i],
                           dtype_real(types[i], at) * (1 + 8 * RANKS * eps),
                           at);
            ok(!is_correct(&f) && f.wrong == 1,
               "%s %s: one element beyond the bound", type, name);
        }
}

static void
test_not_finite(void)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};

    for (int type = 0; type < DTYPES; type++)
        for (int op = 0; dtype_is_float((enum dtype)type) &&
                         op < redop_count((enum dtype)type);
             op++) {
            int accepted = 0;

            for (int i = 0; i < 3; i++) {
                OWN(finished) f =
                    finish((enum dtype)type, (enum redop)op, NULL);
                dtype_set_real(f.in.type, values[i], element(&f, 0, 1, 0));
                accepted += is_correct(&f);
            }
            is_int(accepted, 0, "%s %s: NaN or an infinity instead of a number",
                   dtype_name((enum dtype)type), redop_name((enum redop)op));
        }
}

/* Partial sums of 60000 may leave float16; a NaN among the inputs stays in
 * sums, and whether in a minimum or maximum depends on the order. */
static void
test_allowed(void)
{
    uint16_t given[RANKS * COUNT] = {0};

    for (int rank = 0; rank < RANKS; rank++)
        dtype_set_real(DTYPE_FLOAT16, rank < 2 ? 60000 : -60000,
                       &given[rank * COUNT]);
    dtype_set_real(DTYPE_FLOAT16, NAN, &given[1]);
    OWN(finished) f = finish(DTYPE_FLOAT16, REDOP_SUM, given);
    dtype_set_real(DTYPE_FLOAT16, INFINITY, element(&f, 2, 0, 0));
    ok(is_correct(&f), "an infinity where a partial sum may overflow%s",
       f.first_wrong);
    dtype_set_real(DTYPE_FLOAT16, 1, element(&f, 2, 0, 1));
    ok(!is_correct(&f), "a number where NaN was added");
    for (int op = REDOP_MIN; op <= REDOP_MAX; op++) {
        OWN(finished) least = finish(DTYPE_FLOAT16, (enum redop)op, given);
        dtype_set_real(DTYPE_FLOAT16, 1, element(&least, 2, 0, 1));
        ok(is_correct(&least), "%s of NaN and numbers is a number",
           redop_name((enum redop)op));
        dtype_set_real(DTYPE_FLOAT16, NAN, element(&least, 2, 0, 1));
        ok(is_correct(&least), "or NaN");
    }
}

static void
test_first(void)
{
    OWN(finished) f = finish(DTYPE_INT32, REDOP_SUM, NULL);
    uint64_t *row = (uint64_t *)f.found.ledger;

    *(int32_t *)(void *)element(&f, 2, 1, 1) = -7;
    *(int32_t *)(void *)element(&f, 0, 2, 0) = -8;
    *(int32_t *)(void *)element(&f, 1, 2, 0) = -8; /* alike */
    ok(!is_correct(&f), "three wrong integers");
    is_int(f.wrong, 3, "are counted");
    is_str(f.first_wrong, "rank 2, chunk 1, element 1: expected 24, found -7",
           "and the first of them is named");
    row[0] = 0;
    ok(!is_correct(&f), "a wrong row besides");
    is_str(f.first_wrong, "rank 2, chunk 1, element 1: expected 24, found -7",
           "does not take its place");
}

static void
test_ledger(void)
{
    OWN(finished) f = finish(DTYPE_INT32, REDOP_SUM, NULL);
    size_t words = (size_t)ledger_words(RANKS);
    uint64_t *row = (uint64_t *)f.found.ledger +
                    (size_t)(1 * f.found.nslots + 2) * words;

    ledger_add(row, row, row, RANKS);
    ok(!is_correct(&f) && f.wrong == 0, "right values, one wrong row");
    is_str(f.first_wrong, "rank 1, chunk 2: it holds 2*A2+2*B2+2*C2",
           "is named");
}

/* Only the root has an output: what others hold does not matter. */
static void
test_root_only(void)
{
    struct coll_options o = {.nranks = RANKS, .root = 1};
    struct schedule *s = build("chain-reduce", &o);
    struct input in = {DTYPE_INT32, REDOP_SUM, COUNT, NULL, 0};
    struct engine *e = engine_new(
        s, &(struct engine_options){.run.input = in}, NULL);
    OWN(finished) f = {.s = s, .engine = e, .in = in};

    engine_run(e);
    f.found = engine_slots(e);
    ok(is_correct(&f), "a reduction to one rank%s", f.first_wrong);
}

/* The stopwatch: what it measures, it also judges. */
static void
test_stopwatch(void)
{
    const struct input in = {DTYPE_INT32, REDOP_SUM, 1000, NULL, 0};
    OWNS(schedule) *right = ring(2), *wrong = ring(2);
    struct timed all[] = {
        {.schedule = right, .input = in},
        {.schedule = wrong, .input = in},
        {.schedule = right, .input = in},
    };
    struct err err = {.text = ""};

    schedule_step(wrong, "once too often");
    reduce_chunk(wrong, 0, 1, 0);
    ok(stopwatch(all, 3, &err), "three schedules: %s", err.text);
    ok(all[0].right && all[2].right, "a right schedule is called right");
    ok(!all[1].right, "a wrong one between them is called wrong");
    for (int i = 0; i < 3; i++) {
        ok(all[i].ns > 0 && all[i].ns < 1e9, "schedule %d takes %.0f ns", i,
           all[i].ns);
        ok(all[i].low_ns > 0 && all[i].low_ns <= all[i].ns &&
               all[i].ns <= all[i].high_ns,
           "between %.0f and %.0f", all[i].low_ns, all[i].high_ns);
        ok(all[i].workers >= 1 && all[i].workers <= 2, "on %d threads",
           all[i].workers);
    }
}

int
main(void)
{
    test_slack();
    test_not_finite();
    test_allowed();
    test_first();
    test_ledger();
    test_root_only();
    test_stopwatch();
    return done_testing();
}
