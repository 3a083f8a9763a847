/* SPDX-License-Identifier: MIT */
/* Timed runs on a backend, for tests. */
#ifndef TESTS_TIMED_H
#define TESTS_TIMED_H

#include "play.h"

/* Runs a timed run to its end.  Returns false, with the reason in *err, if it
 * fails, is wrong, took no time, or reports more than its run, result and
 * end. */
static inline bool
time_on(const struct backend *backend, const struct schedule *s,
        const struct run_options *o, struct run_native *native,
        struct err *err)
{
    struct run *run = run_open(backend, s, o, err);
    OWN(reported) reported;
    int items = 0;
    bool ended;

    reported_init(&reported, s);
    ended = run != NULL && play(run, s, true, &reported, err);
    run_close(run);
    *native = reported.native;
    for (int type = 0; type <= ITEM_END; type++)
        items += reported.counts[type];
    return ended &&
           (reported.correct || err_set(err, "%s", reported.why)) &&
           (reported.timed_ns > 0 || err_set(err, "no time")) &&
           (items == 3 || err_set(err, "%d items", items));
}

/* Times the algorithm at `index` of coll_at() on n ranks, in place and out of
 * place, with types and operators in turn.  Returns how many runs failed. */
static inline int
count_untimed(const struct backend *backend, int index, int n)
{
    const struct algorithm *a = coll_at(index);
    int failed = 0;

    for (int in_place = 0; in_place < 2; in_place++) {
        enum dtype type = (enum dtype)((index + n) % DTYPES);
        struct run_options o = {
            .input = {type, (enum redop)(n % redop_count(type)), 4 * n + 3,
                      NULL},
            .timing = {.calls = 5, .warm_up = 2}};
        struct err err = {.text = ""};
        OWNS(schedule) *s = build_rooted(a, n, in_place, &err);
        struct run_native ignored;
        bool ok = s != NULL && time_on(backend, s, &o, &ignored, &err);

        if (!ok)
            diag("%s-%s, %d ranks, %s: %s", a->name, a->collective, n,
                 in_place ? "in place" : "out of place", err.text);
        failed += !ok;
    }
    return failed;
}

#endif
