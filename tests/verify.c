/* SPDX-License-Identifier: MIT */
/* The verdict: right results in which single elements, or rows of the ledger,
 * are changed afterwards; and that the stopwatch judges what it measures. */
#include "run/verify.h"

#include <math.h>
#include <stdlib.h>

#include "play.h"
#include "run/stopwatch.h"
#include "tap.h"
#include "why.h"

enum { RANKS = 3, COUNT = 6 };

struct finished {
    struct schedule *s;
    struct engine *engine;
    struct input in;
    struct rank_slots found;
    char first_wrong[WRONG_TEXT_MAX];
    int64_t wrong, unequal, overflowed;
};

/* A finished ring in place, to be changed and judged. */
static struct finished
finish_count(enum dtype type, enum redop op, const void *given, int64_t count)
{
    struct finished f = {.s = ring(RANKS), .in = {type, op, count, given}};
    struct engine_options o = {.run.input = f.in, .run.watched = true};
    struct err err;

    f.engine = engine_new(f.s, &o, &err);
    engine_run(f.engine);
    f.found = engine_slots(f.engine);
    return f;
}

static struct finished
finish(enum dtype type, enum redop op, const void *given)
{
    return finish_count(type, op, given, COUNT);
}

static bool
is_correct(struct finished *f)
{
    struct run_result result = engine_verdict(f->engine, f->s, &f->in);

    snprintf(f->first_wrong, sizeof f->first_wrong, "%s",
             why_of(&result.first_wrong));
    f->wrong = result.wrong;
    f->unequal = result.unequal;
    f->overflowed = result.overflowed;
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

/* Sets one element of all ranks' outputs. */
static void
set_all(struct finished *f, int chunk, int index, double value)
{
    for (int rank = 0; rank < RANKS; rank++)
        dtype_set_real(f->in.type, value, element(f, rank, chunk, index));
}

/* The bound, worked out here, of positive inputs: the last value within it and
 * the first beyond it, which every rank holds. */
static void
test_bound(enum dtype type, enum redop op)
{
    OWN(finished) f = finish(type, op, NULL);
    double eps = dtype_limits(type)->epsilon, exact = op == REDOP_PROD, sum = 0;
    double bound;
    uint64_t bits = 0, last = 0;

    for (int rank = 0; rank < RANKS; rank++) {
        dtype_default(type, op, rank, 5, &bits);
        sum += dtype_real(type, &bits);
        exact = op == REDOP_PROD ? exact * dtype_real(type, &bits) : sum;
    }
    exact = op == REDOP_AVG ? exact / RANKS : exact;
    bound = RANKS * eps * exact;
    if (op == REDOP_AVG)
        bound = eps * sum + eps * exact + dtype_limits(type)->least;
    dtype_set_real(type, exact, &bits);
    do
        last = bits++; /* the next number */
    while (dtype_real(type, &bits) - exact <= bound);
    set_all(&f, 2, 1, dtype_real(type, &last));
    ok(is_correct(&f), "%s %s: the last value within the bound%s",
       dtype_name(type), redop_name(op), f.first_wrong);
    set_all(&f, 2, 1, dtype_real(type, &bits));
    ok(!is_correct(&f) && f.wrong == RANKS, "and the first beyond it");
}

static void
test_bounds(void)
{
    static const enum dtype types[] = {DTYPE_FLOAT32, DTYPE_FLOAT64,
                                       DTYPE_FLOAT16, DTYPE_BFLOAT16};

    for (int i = 0; i < 4; i++) {
        test_bound(types[i], REDOP_SUM);
        test_bound(types[i], REDOP_PROD);
        test_bound(types[i], REDOP_AVG);
    }
}

/* Partial sums of 60000 may leave float16; a NaN among the inputs stays in
 * sums, and loses to the numbers of a minimum or maximum. */
static void
test_allowed(void)
{
    uint16_t given[RANKS * COUNT] = {0};

    for (int rank = 0; rank < RANKS; rank++)
        dtype_set_real(DTYPE_FLOAT16, rank < 2 ? 60000 : -60000,
                       &given[rank * COUNT]);
    dtype_set_real(DTYPE_FLOAT16, NAN, &given[1]);
    OWN(finished) f = finish(DTYPE_FLOAT16, REDOP_SUM, given);
    set_all(&f, 0, 0, INFINITY);
    ok(is_correct(&f) && f.overflowed == 1,
       "an infinity where a partial sum may overflow%s", f.first_wrong);
    set_all(&f, 0, 0, -INFINITY);
    ok(!is_correct(&f), "not the other one");
    set_all(&f, 0, 0, NAN);
    ok(!is_correct(&f), "nor NaN");
    set_all(&f, 0, 0, 60000);
    set_all(&f, 0, 1, 1);
    ok(!is_correct(&f), "a number where NaN was added");
    for (int op = REDOP_MIN; op <= REDOP_MAX; op++) {
        OWN(finished) least = finish(DTYPE_FLOAT16, (enum redop)op, given);
        ok(is_correct(&least), "%s of NaN and numbers: as computed%s",
           redop_name((enum redop)op), least.first_wrong);
        dtype_set_real(DTYPE_FLOAT16, 1, element(&least, 2, 0, 1));
        ok(!is_correct(&least), "no other number");
        dtype_set_real(DTYPE_FLOAT16, NAN, element(&least, 2, 0, 1));
        ok(!is_correct(&least), "nor NaN");
        dtype_set_real(DTYPE_FLOAT16, -0.0, element(&least, 2, 0, 1));
        ok(!is_correct(&least), "nor -0 for 0");
    }
}

/* Ranks that add alike must agree bit for bit, however near they are. */
static void
test_alike(void)
{
    OWN(finished) f = finish(DTYPE_FLOAT32, REDOP_SUM, NULL);
    float *mine = (float *)(void *)element(&f, 2, 1, 1);

    *mine = nextafterf(*mine, INFINITY);
    ok(!is_correct(&f) && f.wrong == 1 && f.unequal == 0,
       "a rank that differs by one bit");
    is_str(f.first_wrong,
           "rank 2, chunk 1, element 1: found 24.0000019, rank 0 has 24 by the "
           "same additions", "is named");
    *mine = NAN;
    ok(!is_correct(&f) && f.wrong == 1, "and one that holds NaN: %s",
       f.first_wrong);
}

/* In this algorithm ranks add in as many orders as there are ranks, so that any
 * of them may round otherwise. */
static void
test_unlike(void)
{
    const float given[] = {16777216, 1, 1, 1, 1, 1, -16777216, 1};
    const struct coll_options o = {.nranks = 4, .in_place = true};
    struct schedule *s = build("circulant-allreduce", &o);
    struct input in = {DTYPE_FLOAT32, REDOP_SUM, 2, (const void *)given, 0};
    struct engine *e =
        engine_new(s, &(struct engine_options){.run.input = in}, NULL);
    OWN(finished) f = {.s = s, .engine = e, .in = in};

    engine_run(e);
    f.found = engine_slots(e);
    ok(is_correct(&f) && f.unequal == 1, "one of two elements differs: %d%s",
       (int)f.unequal, f.first_wrong);
    *(float *)(void *)element(&f, 3, 0, 1) = 3;
    ok(!is_correct(&f) && f.wrong == 1, "one that is beyond the bound: %s",
       f.first_wrong);
}

static void
reduce(struct schedule *s, int src, int dst)
{
    schedule_add(s, (struct transfer){.src = src, .dst = dst, .nslots = 1,
                                      .op = TRANSFER_REDUCE});
}

/* Ranks 0 and 2 add alike, rank 1 does not, and rank 2 is given its value. */
static void
test_partly_alike(void)
{
    const float given[] = {16777216, 1, 1};
    struct schedule *s = blank_schedule("by hand", RANKS, 1);
    struct input in = {DTYPE_FLOAT32, REDOP_SUM, 1, (const void *)given, 0};
    OWN(finished) f = {.s = s, .in = in};

    schedule_step(s, "all at once");
    reduce(s, 1, 0);
    reduce(s, 2, 0);
    reduce(s, 2, 1);
    reduce(s, 0, 1);
    schedule_step(s, "copy");
    schedule_add(s, (struct transfer){.src = 0, .dst = 2, .nslots = 1});
    f.engine = engine_new(s, &(struct engine_options){.run.input = in}, NULL);
    engine_run(f.engine);
    f.found = engine_slots(f.engine);
    ok(is_correct(&f) && f.unequal == 1, "two orders of addition%s",
       f.first_wrong);
    dtype_set_real(f.in.type, 16777218, element(&f, 2, 0, 0));
    ok(!is_correct(&f) && f.wrong == 1, "a rank with the value of another "
       "order: %s", f.first_wrong);
}

/* A library's own result, of which each element differs in one way. */
static void
test_native(void)
{
    const float given[] = {1e-30f, 0, 1, NAN, 1e-30f, -0.0f, 1, 1,
                           1e30f,  0, 1, 1,   1e30f,  0,     1, 1};
    const struct coll_options o = {.nranks = 4, .in_place = true};
    struct input in = {DTYPE_FLOAT32, REDOP_PROD, 4, (const void *)given, 0};
    struct schedule *s = build("ring-allreduce", &o);
    OWN(finished) f = {.s = s, .in = in};
    float own[4][4];
    struct rank_slot slots[4];
    struct run_native native = {.name = "theirs"};
    struct wrong wrong;

    f.engine = engine_new(s, &(struct engine_options){.run.input = in}, NULL);
    engine_run(f.engine);
    f.found = engine_slots(f.engine);
    for (int rank = 0; rank < 4; rank++) {
        for (int i = 0; i < 4; i++)
            memcpy(&own[rank][i], element(&f, rank, i, 0), sizeof own[0][0]);
        slots[rank] = (struct rank_slot){(unsigned char *)own[rank], 4};
    }
    native_judge(s, &in, &f.found, slots, &native, &wrong);
    is_int(native.differ, 0, "a library's result like ours");
    own[2][2] = nextafterf(1, 2);
    native_judge(s, &in, &f.found, slots, &native, &wrong);
    ok(native.differ == 1 && native.apart.elements == 0 && native.wrong == 0,
       "rounds differently");
    own[3][0] = own[3][0] > 0.5f ? 0 : 1;
    native_judge(s, &in, &f.found, slots, &native, &wrong);
    ok(native.differ == 2 && native.apart.elements == 1 && native.wrong == 0,
       "gives what another order gives");
    is_int(native.apart.rank, 3, "on this rank");
    own[1][3] = 1;
    native_judge(s, &in, &f.found, slots, &native, &wrong);
    is_int(native.wrong, 1, "is wrong");
    is_str(why_of(&wrong), "theirs: rank 1, chunk 3, element 0: expected "
           "nan, found 1", "and how is said, with the library's name");
}

/* The verdict on a mismatch has two parts: a row that is wrong in the first is
 * still so after the second. */
static void
test_both_parts(void)
{
    OWN(finished) f = finish(DTYPE_INT32, REDOP_SUM, NULL);
    const struct mismatch m = {.rank = 2, .its = f.s, .theirs = f.s,
                               .its_count = COUNT};
    size_t words = (size_t)ledger_words(RANKS);
    uint64_t *rows = (uint64_t *)f.found.ledger;
    struct run_result result = {0};

    verify_mismatched(&m, &f.in, &f.found, &result);
    ok(result.correct, "both parts are right%s",
       why_of(&result.first_wrong));
    for (int rank = 0; rank < RANKS; rank++) {
        uint64_t *row = rows + (size_t)(rank * f.found.nslots) * words;
        uint64_t kept = row[0];
        row[0] = 0;
        verify_mismatched(&m, &f.in, &f.found, &result);
        ok(!result.correct, "a row of rank %d is wrong: %s", rank,
           why_of(&result.first_wrong));
        row[0] = kept;
    }
    *(int32_t *)(void *)element(&f, 0, 1, 0) = -7;
    verify_mismatched(&m, &f.in, &f.found, &result);
    ok(!result.correct && result.wrong == 1, "or a value: %s",
       why_of(&result.first_wrong));
}

/* The rows of a chunk without elements do not matter. */
static void
test_empty_chunk(void)
{
    OWN(finished) f = finish_count(DTYPE_INT32, REDOP_SUM, NULL, 2);
    size_t words = (size_t)ledger_words(RANKS);
    uint64_t *rows = (uint64_t *)f.found.ledger;

    rows[2 * words] = 0;
    ok(is_correct(&f), "a wrong row of a chunk without elements%s",
       f.first_wrong);
    rows[1 * words] = 0;
    ok(!is_correct(&f), "and of one with elements");
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
    test_bounds();
    test_allowed();
    test_alike();
    test_unlike();
    test_partly_alike();
    test_native();
    test_both_parts();
    test_empty_chunk();
    test_first();
    test_ledger();
    test_root_only();
    test_stopwatch();
    return done_testing();
}
