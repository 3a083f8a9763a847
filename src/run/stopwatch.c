/* SPDX-License-Identifier: MIT */
#include "run/stopwatch.h"

#include <math.h>
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

/* No batch begins later than this. */
static const int64_t PATIENCE_NS = 200000000;

static int
compare_durations(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The first run is judged, and says how many are timed together.  Sums that run
 * repeatedly on their own results grow, so inputs are written anew each round,
 * outside the measured time. */
static bool
time_batch(struct timed *all, int n, double (*ns)[TIMES], int from,
           struct err *err)
{
    OWN_MEMORY struct engine **engines = mem_new((size_t)n, sizeof *engines);
    bool ok = true;

    for (int i = 0; ok && i < n; i++) {
        struct engine_options o = {.run.input = all[i].input};
        engines[i] = engine_new(all[i].schedule, &o, err);
        ok = engines[i] != NULL;
    }
    for (int i = 0; ok && i < n; i++) {
        struct run_result result = {0};
        struct rank_slots found = engine_slots(engines[i]);
        int64_t took_ns;
        engine_reset(engines[i]);
        engine_run(engines[i]);
        verify(all[i].schedule, &all[i].input, &found, &result);
        all[i].right = result.correct;
        all[i].workers = engine_threads(engines[i]);
        engine_time(engines[i], 1, &took_ns, err);
        all[i].ns = (double)took_ns;
    }
    for (int round = from; ok && round < from + ROUNDS; round++)
        for (int i = 0; i < n; i++) {
            double wanted = ROUND_NS / fmax(all[i].ns, 1);
            int calls = (int)fmin(fmax(wanted, 1), CALLS_MAX);
            int64_t took_ns;
            engine_reset(engines[i]);
            engine_time(engines[i], calls, &took_ns, err);
            ns[i][round] = (double)took_ns / calls;
        }
    for (int i = 0; i < n; i++)
        engine_free(engines[i]);
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
        qsort(ns[i], (size_t)times, sizeof ns[i][0], compare_durations);
        all[i].ns = ns[i][times / 2];
        all[i].low_ns = ns[i][times / 4];
        all[i].high_ns = ns[i][times - 1 - times / 4];
    }
    free(ns);
    return ok;
}
