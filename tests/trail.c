/* SPDX-License-Identifier: MIT */
/* Trails, compared with plain runs in which the data of one slot is marked. */
#include "schedule/trail.h"

#include "plain_run.h"
#include "tap.h"

OWN_FREE(trail)

enum { MARK = 1u << 31 };

/* Whether the data that a cell holds after step `from` is in another after step
 * `to`. */
static bool
flows(const struct schedule *s, int from, size_t source, int to, size_t target)
{
    OWN(plain) p = plain_run(s, from);

    p.now[source].ranks |= MARK;
    for (int step = from + 1; step <= to; step++)
        plain_step(&p, step);
    return p.now[target].ranks & MARK;
}

static int
count_wrong(const struct schedule *s, int rank, int slot, int step)
{
    OWNS(trail) *t = trail_new(s, rank, slot, step);
    size_t here = (size_t)(rank * s->nslots + slot);
    int wrong = 0;

    for (int k = 0; k <= s->nsteps; k++)
        for (int r = 0; r < s->nranks; r++)
            for (int i = 0; i < s->nslots; i++) {
                size_t there = (size_t)(r * s->nslots + i);
                bool has = k < step ? flows(s, k, there, step, here)
                                    : flows(s, step, here, k, there);
                wrong += trail_has(t, k, r, i) != has;
            }
    return wrong;
}

static void
test_algorithms(void)
{
    static const char *const names[] = {
        "ring-allreduce", "halving-doubling-allreduce", "naive-allreduce",
        "tree-allreduce", "bruck-alltoall", "binomial-scatter"};
    int wrong = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        OWNS(schedule) *s = build_in_place(names[i], 4);
        for (int step = 0; step <= s->nsteps; step++)
            for (int slot = 0; slot < s->nslots; slot++)
                wrong += count_wrong(s, 1, slot, step);
    }
    is_int(wrong, 0, "all trails are where marked data goes and comes from");
}

static const struct transfer *
transfer(const struct schedule *s, int step, int src)
{
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    for (size_t i = 0; i < count; i++)
        if (t[i].src == src)
            return &t[i];
    return NULL;
}

/* In a ring of 3, rank 0 sends its chunk 2 in step 1; the sum comes to rank 1's
 * slot 2 in step 4, in place of that of two. */
static void
test_transfers(void)
{
    OWNS(schedule) *s = build_in_place("ring-allreduce", 3);
    const struct transfer *first = transfer(s, 1, 0);
    OWNS(trail) *t = trail_new(s, 0, first->src_slot, 0);

    ok(trail_carries(t, 1, first), "the first transfer carries the data");
    ok(!trail_carries(t, 1, transfer(s, 1, 1)), "another one does not");
    ok(!trail_ends(t, 1, first), "nothing is replaced");
    trail_free(t);
    t = trail_new(s, 2, transfer(s, 3, 1)->dst_slot, 0);
    ok(trail_has(t, 2, 2, t->slot), "data stays in its slot");
    trail_free(t);
    t = trail_new(s, 1, first->dst_slot, 0);
    ok(trail_has(t, 1, 1, t->slot), "what is added to stays on the trail");
    trail_free(t);
    schedule_free(s);
    s = build_in_place("binomial-broadcast", 2);
    t = trail_new(s, 1, 0, 0);
    ok(trail_ends(t, 1, transfer(s, 1, 0)), "a copy replaces what was there");
    ok(!trail_has(t, 1, 1, 0), "the trail ends");
}

int
main(void)
{
    test_algorithms();
    test_transfers();
    return done_testing();
}
