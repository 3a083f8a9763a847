/* SPDX-License-Identifier: MIT */
/* Every row of the table: proved, with steps, bytes and ports as it says, and
 * run. */
#include <stdlib.h>

#include "coll/coll.h"
#include "run/engine.h"
#include "run/verify.h"
#include "schedule/check.h"
#include "tap.h"

static const struct collective *
collective_of(const struct algorithm *a)
{
    return collective_find(a->collective);
}

static bool
is_as_stated(const struct algorithm *a, const struct coll_options *options)
{
    struct coll_options o = *options;
    struct schedule *s;
    struct cost cost;
    struct err err;
    bool right;

    if (!coll_complete(a, &o, &err) || (s = coll_build(a, options, &err)) == NULL) {
        diag("%s-%s, %d ranks: %s", a->name, a->collective, o.nranks,
             err.text);
        return false;
    }
    /* one element a chunk, so that elements are chunks */
    right = schedule_check(s, s->nchunks, &cost, &err);
    if (!right)
        diag("%s-%s, %d ranks, root %d, %d chunks, %s: %s", a->name,
             a->collective, o.nranks, o.root, o.chunks,
             o.in_place ? "in place" : "out of place", err.text);
    if (right && (cost.steps != a->steps(&o) || cost.most_sent != a->sent(&o) ||
                  cost.ports > (a->ports != NULL ? a->ports(&o) : 1))) {
        right = false;
        diag("%s-%s, %d ranks, root %d, %d chunks, %s: %d steps, %d chunks "
             "sent, %d ports", a->name, a->collective, o.nranks, o.root,
             o.chunks, o.in_place ? "in place" : "out of place", cost.steps,
             (int)cost.most_sent, cost.ports);
    }
    cost_done(&cost);
    schedule_free(s);
    return right;
}

/* Every root and, where it pipelines, several depths. */
static int
count_wrong(const struct algorithm *a, int nranks)
{
    static const int depths[] = {0, 1, 2, 7};
    int roots = collective_rooted(collective_of(a)) ? nranks : 1;
    int ndepths = a->chunks > 0 ? 4 : 1, wrong = 0;

    for (int root = 0; root < roots; root++)
        for (int d = 0; d < ndepths; d++)
            for (int in_place = 0; in_place < 2; in_place++) {
                struct coll_options o = {.nranks = nranks, .root = root,
                                         .chunks = depths[d],
                                         .in_place = in_place};
                wrong += !is_as_stated(a, &o);
            }
    return wrong;
}

static void
test_proofs(void)
{
    static const int ranks[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                11, 12, 13, 14, 15, 16, 17, 32, 33, 64};
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL; i++)
        for (size_t j = 0; j < sizeof ranks / sizeof ranks[0]; j++)
            is_int(count_wrong(a, ranks[j]), 0,
                   "%s-%s on %d ranks: proved, costs as stated", a->name,
                   a->collective, ranks[j]);
}

/* All shapes of n ranks. */
static void
test_shapes(void)
{
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        int wrong = 0;
        for (int n = 1; a->dims > 0 && n <= 24; n++)
            for (int x = 1; x <= n; x++)
                for (int y = 1; y <= n / x; y++) {
                    int z = n / x / y;
                    struct coll_options o = {.nranks = n, .dims = {x, y},
                                             .in_place = n % 2};
                    if (x * y * z != n || (a->dims == 2 && z != 1))
                        continue;
                    o.dims[2] = a->dims == 3 ? z : 0;
                    wrong += !is_as_stated(a, &o);
                }
        if (a->dims > 0)
            is_int(wrong, 0, "%s-%s in every shape", a->name, a->collective);
    }
}

/* How a run is told to go. */
struct manner {
    bool watched, lockstep;
    int64_t count;
    enum dtype type;
    enum redop op;
    const int64_t *delays;
};

static void
play(struct engine *e, const struct schedule *s, const struct manner *m)
{
    struct event event;

    if (!m->watched) {
        engine_run(e);
        return;
    }
    for (int step = s->nsteps > 0; step <= s->nsteps; step++) {
        engine_grant(e, m->lockstep ? step : s->nsteps);
        while (!engine_idle(e) || engine_next_event(e, &event))
            while (engine_next_event(e, &event))
                continue;
        if (!m->lockstep)
            return;
    }
}

static bool
runs_right(const struct algorithm *a, const struct coll_options *options,
           const struct manner *m)
{
    struct run_result result = {0};
    struct err err;
    struct schedule *s = coll_build(a, options, &err);
    struct engine_options o = {.input = {m->type, m->op, m->count, NULL},
                               .watched = m->watched,
                               .own_threads = m->watched,
                               .delays = m->delays,
                               .wake_fd = -1};
    struct engine *e = s != NULL ? engine_new(s, &o, &err) : NULL;
    const struct rank_slot *slots;
    int nslots;

    if (e == NULL) {
        diag("%s-%s: %s", a->name, a->collective, err.text);
        schedule_free(s);
        return false;
    }
    play(e, s, m);
    slots = engine_slots(e, &nslots);
    verify(s, &o.input, slots, engine_ledger(e), nslots, &result);
    if (!result.correct)
        diag("%s-%s, %d ranks, root %d, %d elements, %s: %s", a->name,
             a->collective, options->nranks, options->root, (int)m->count,
             options->in_place ? "in place" : "out of place",
             result.first_wrong);
    engine_free(e);
    schedule_free(s);
    return result.correct;
}

static int
count_wrong_runs(const struct algorithm *a, int n, uint32_t *seed)
{
    int roots = collective_rooted(collective_of(a)) ? n : 1;
    const int64_t counts[] = {0, 1, n - 1, n + 1, 100};
    int64_t delays[9] = {0};
    int wrong = 0;

    for (int root = 0; root < roots; root += 1 + (root + 2 < roots))
        for (int kind = 0; kind < 6; kind++) {
            struct coll_options o = {.nranks = n, .root = root,
                                     .chunks = a->chunks > 0 ? 1 + kind : 0,
                                     .in_place = kind % 2};
            struct manner m = {.watched = kind > 1, .lockstep = kind == 2,
                               .op = kind == 3 ? REDOP_AVG : REDOP_SUM,
                               .type = kind == 4 ? DTYPE_INT32
                                                 : DTYPE_FLOAT32,
                               .count = counts[(kind + n) % 5],
                               .delays = kind == 5 ? delays : NULL};
            for (int rank = 0; rank < n; rank++) {
                *seed = *seed * 1664525u + 1013904223u;
                delays[rank] = (int64_t)(*seed >> 30) * 50000;
            }
            wrong += !runs_right(a, &o, &m);
        }
    return wrong;
}

static void
test_runs(void)
{
    const struct algorithm *a;
    uint32_t seed = 1;

    for (int i = 0; (a = coll_at(i)) != NULL; i++)
        for (int n = 2; n <= 9; n++)
            is_int(count_wrong_runs(a, n, &seed), 0,
                   "%s-%s runs on %d ranks, lockstep and free, with delays",
                   a->name, a->collective, n);
}

int
main(void)
{
    test_proofs();
    test_shapes();
    test_runs();
    return done_testing();
}
