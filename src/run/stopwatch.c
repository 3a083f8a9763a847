/* SPDX-License-Identifier: MIT */
#include "run/stopwatch.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/engine.h"
#include "run/verify.h"

enum {
    ROUNDS = 9,
    TIMES = 5 * ROUNDS, /* at most */
    ROUND_NS = 1000000, /* short runs are repeated to take this long */
    CALLS_MAX = 20000,
};

/* After this no more batches begin. */
static const int64_t PATIENCE_NS = 200000000;

static bool
is_right(struct engine *e, const struct timed *t)
{
    struct run_result result = {0};
    struct rank_slots found = engine_slots(e);

    engine_reset(e);
    engine_run(e);
    verify(t->schedule, &t->input, &found, &result);
    return result.correct;
}

/* Nanoseconds per run. */
static double
time_calls(struct engine *e, int calls)
{
    return (double)engine_time(e, calls) / calls;
}

static int
calls_for(double ns)
{
    double calls = ROUND_NS / (ns > 1 ? ns : 1);

    return calls < 1 ? 1 : calls > CALLS_MAX ? CALLS_MAX : (int)calls;
}

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sums that run repeatedly on their own results grow, so inputs are written
 * anew each round, outside the measured time. */
static void
time_rounds(struct timed *all, struct engine **engines, int n,
            double (*ns)[TIMES], int from)
{
    for (int round = from; round < from + ROUNDS; round++)
        for (int i = 0; i < n; i++) {
            engine_reset(engines[i]);
            ns[i][round] = time_calls(engines[i], calls_for(all[i].ns));
        }
}

static bool
time_batch(struct timed *all, int n, double (*ns)[TIMES], int from,
           struct err *err)
{
    struct engine **engines = mem_new((size_t)n, sizeof *engines);
    bool ok = true;

    for (int i = 0; ok && i < n; i++) {
        struct engine_options o = {.run.input = all[i].input};
        engines[i] = engine_new(all[i].schedule, &o, err);
        ok = engines[i] != NULL;
    }
    for (int i = 0; ok && i < n; i++) {
        all[i].workers = engine_threads(engines[i]);
        all[i].right = is_right(engines[i], &all[i]);
        all[i].ns = time_calls(engines[i], 1);
    }
    if (ok)
        time_rounds(all, engines, n, ns, from);
    for (int i = 0; i < n; i++)
        if (engines[i] != NULL)
            engine_free(engines[i]);
    free(engines);
    return ok;
}

bool
stopwatch(struct timed *all, int n, struct err *err)
{
    double (*ns)[TIMES] = mem_new((size_t)n, sizeof *ns);
    int64_t begin = clock_ns();
    int times = 0;
    bool ok;

    do {
        ok = time_batch(all, n, ns, times, err);
        times += ROUNDS;
    } while (ok && times < TIMES && clock_ns() - begin < PATIENCE_NS);
    for (int i = 0; ok && i < n; i++) {
        qsort(ns[i], (size_t)times, sizeof ns[i][0], by_value);
        all[i].ns = ns[i][times / 2];
        all[i].low_ns = ns[i][times / 4];
        all[i].high_ns = ns[i][times - 1 - times / 4];
    }
    free(ns);
    return ok;
}
