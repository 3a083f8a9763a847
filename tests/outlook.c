/* SPDX-License-Identifier: MIT */
/* The outlook of every algorithm, compared with a plain run of its schedule on
 * sets: what each slot holds, and which slots are needed.  A slot is needed if
 * the outputs come out otherwise once it is emptied. */
#include "schedule/outlook.h"

#include "plain_run.h"
#include "tap.h"

OWN_FREE(outlook)

static bool
same_outputs(const struct plain *a, const struct plain *b)
{
    for (int rank = 0; rank < a->s->nranks; rank++) {
        struct region out = schedule_output(a->s, rank);
        for (int c = 0; c < out.count; c++)
            if (a->now[plain_at(a, rank, out.first + c)].ranks !=
                b->now[plain_at(b, rank, out.first + c)].ranks)
                return false;
    }
    return true;
}

/* Whether the outputs depend on what a slot holds after a step. */
static bool
matters(const struct plain *end, int step, size_t emptied)
{
    OWN(plain) p = plain_run(end->s, step);

    p.now[emptied].ranks = 0;
    for (int i = step + 1; i <= end->s->nsteps; i++)
        plain_step(&p, i);
    return !same_outputs(&p, end);
}

/* Compares one state; returns the slots that differ. */
static int
compare(const struct outlook *o, const struct plain *p,
        const struct plain *end, int step, bool thorough)
{
    int wrong = 0;

    for (int rank = 0; rank < p->s->nranks; rank++)
        for (int slot = 0; slot < p->s->nslots; slot++) {
            const struct outlook_slot *got =
                outlook_slot(o, step, rank, slot);
            const struct plain_cell *set = &p->now[plain_at(p, rank, slot)];
            wrong += got->ranks != set->ranks ||
                     (set->ranks != 0 && got->chunk != set->chunk);
            if (thorough && set->ranks != 0)
                wrong += got->needed !=
                         matters(end, step, plain_at(p, rank, slot));
            wrong += got->needed && set->ranks == 0;
        }
    return wrong;
}

static int
count_wrong(const struct schedule *s, bool thorough)
{
    OWNS(outlook) *o = outlook_new(s);
    OWN(plain) p = plain_run(s, 0), end = plain_run(s, s->nsteps);
    int wrong = 0;

    for (int step = 0; step <= s->nsteps; step++) {
        if (step > 0)
            plain_step(&p, step);
        wrong += compare(o, &p, &end, step, thorough);
    }
    return wrong;
}

static void
test_algorithms(void)
{
    const struct algorithm *a;
    struct err err;
    int schedules = 0, wrong = 0;

    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++)
        for (int n = 2; n <= OUTLOOK_RANKS_MOST; n += n < 6 ? 1 : 5)
            for (int in_place = 0; in_place < 2; in_place++) {
                struct coll_options o = {.nranks = n, .in_place = in_place};
                OWNS(schedule) *s = coll_build(a, &o, &err);
                if (s == NULL)
                    continue;
                schedules++;
                wrong += count_wrong(s, n < 6) > 0;
            }
    ok(schedules > 300, "%d schedules", schedules);
    is_int(wrong, 0, "all have the sets and the needs of a plain run");
}

/* The halves of halving-doubling on 8 ranks. */
static void
test_most(void)
{
    static const int slots[] = {8, 4, 2, 1, 2, 4, 8};
    static const int parts[] = {1, 2, 4, 0, 0, 0, 0};
    OWNS(schedule) *s = build_in_place("halving-doubling-allreduce", 8);
    OWNS(outlook) *o = outlook_new(s);
    bool right = true;

    for (int step = 0; step <= s->nsteps; step++)
        right = right && o->most[step].slots == slots[step] &&
                o->most[step].parts == parts[step];
    ok(right, "halving-doubling needs 8, 4, 2, 1, 2, 4, 8 slots");
}

static void
test_limits(void)
{
    OWNS(schedule) *s = ring(OUTLOOK_RANKS_MOST + 1);

    ok(outlook_new(s) == NULL, "there is none for 17 ranks");
}

int
main(void)
{
    test_algorithms();
    test_most();
    test_limits();
    return done_testing();
}
