/* SPDX-License-Identifier: MIT */
/* The patterns of every step of every algorithm: what a pattern says is
 * compared with all transfers of its step.  tests/albums/words.txt has what is
 * said of steps of each kind. */
#include "schedule/pattern.h"

#include <stdlib.h>

#include "base/buf.h"
#include "schedules.h"
#include "tap.h"

enum { RANKS_MOST = 17, WITH_SWITCHES = 2 * RANKS_MOST };

/* Whether a pattern says that `src` sends to `dst`. */
static bool
says(const struct pattern *p, int n, int src, int dst)
{
    int group = p->group > 0 ? p->group : n;
    bool ahead = src / group == dst / group &&
                 (src + p->distance - dst) % group == 0;

    switch (p->kind) {
    case PATTERN_RING:
        return ahead;
    case PATTERN_SOME:
        for (int i = 0; i < p->count; i++)
            if (src == p->first + i * p->stride)
                return ahead;
        return false;
    case PATTERN_EVERY:
        return src != dst;
    case PATTERN_TO_ONE:
        return src != dst && dst == p->rank;
    case PATTERN_FROM_ONE:
        return src != dst && src == p->rank;
    default:
        return src == dst;
    }
}

/* The number of pairs of ranks for which a pattern is wrong. */
static int
errors_of(const struct pattern *p, const struct schedule *s, int step)
{
    int slots[WITH_SWITCHES][WITH_SWITCHES] = {0}, wrong = 0;
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);
    bool reduces = true;

    for (size_t i = 0; i < count; i++) {
        slots[t[i].src][t[i].dst] += t[i].nslots;
        /* a sum may begin with a copy */
        reduces = reduces && (t[i].op == TRANSFER_REDUCE ||
                              (i + 1 < count &&
                               t[i + 1].op == TRANSFER_REDUCE &&
                               t[i + 1].dst == t[i].dst &&
                               t[i + 1].dst_slot == t[i].dst_slot));
    }
    for (int src = 0; src < s->nranks; src++)
        for (int dst = 0; dst < s->nranks; dst++) {
            int moved = slots[src][dst];
            if (src == dst && p->kind != PATTERN_LOCAL)
                continue; /* ranks may copy besides */
            wrong += says(p, s->nranks, src, dst) != (moved > 0);
            wrong += moved > 0 && p->slots > 0 && moved != p->slots;
        }
    return wrong + (p->reduces != reduces);
}

static void
test_all(void)
{
    const struct algorithm *a;
    int wrong = 0, found = 0, steps = 0;
    struct err err;

    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++)
        for (int n = 1; n <= RANKS_MOST; n++) {
            struct coll_options o = {.nranks = n, .in_place = true};
            OWNS(schedule) *s = coll_build(a, &o, &err);
            for (int step = 1; s != NULL && step <= s->nsteps; step++) {
                struct pattern p = pattern_of(s, step);
                steps++;
                if (p.kind != PATTERN_NONE) {
                    found++;
                    wrong += errors_of(&p, s, step);
                }
            }
        }
    is_int(wrong, 0, "no pattern says anything that is not so");
    ok(2 * found > steps, "most steps have one (%d of %d)", found, steps);
}

/* A rank that sends one more slot than the others. */
static void
test_uneven(void)
{
    OWNS(schedule) *s = build_in_place("ring-allreduce", 4);
    OWNS(schedule) *all = build_in_place("naive-allreduce", 4);
    struct transfer *t = s->transfers;
    struct pattern even = pattern_of(s, 1), p;

    t[2].nslots = 2;
    p = pattern_of(s, 1);
    is_int((int)p.kind, PATTERN_RING, "the pattern is the same");
    is_int(p.slots, 0, "but not the amount");
    ok(!pattern_same(&p, &even), "so it is another one");
    t[2].nslots = 1;
    t[2].op = TRANSFER_COPY;
    p = pattern_of(s, 1);
    ok(!p.reduces && !pattern_same(&p, &even), "one that does not add");
    t[2].dst = 2;
    p = pattern_of(s, 1);
    is_int((int)p.kind, PATTERN_NONE, "a rank that sends nothing breaks it");
    all->transfers[5].nslots = 2;
    p = pattern_of(all, 1);
    ok(p.kind == PATTERN_EVERY && p.slots == 0, "also of all to all");
    all->transfers[5].nslots = 1;
    schedule_step(all, "once more");
    for (int i = 0; i < 13; i++) /* the first pair has two transfers */
        schedule_add(all, all->transfers[i % 12]);
    p = pattern_of(all, all->nsteps);
    ok(p.kind == PATTERN_EVERY && p.slots == 0, "or if a pair has two");
}

/* "1 8" if steps 1 and 8 are the first of their kind. */
static void
check_new(const char *algorithm, int nranks, const char *expected,
          const char *what)
{
    OWNS(schedule) *s = build_in_place(algorithm, nranks);
    OWN(buf) steps = {0};

    for (int step = 1; step <= s->nsteps; step++)
        if (pattern_is_new(s, step))
            buf_addf(&steps, "%s%d", steps.length > 0 ? " " : "", step);
    is_str(buf_text(&steps), expected, "%s", what);
}

static void
test_new(void)
{
    OWNS(schedule) *s = build_in_place("ring-allreduce", 4);

    check_new("ring-allreduce", 8, "1 8", "a ring adds, then it copies");
    check_new("halving-doubling-allreduce", 8, "1 4",
              "pairs at other distances are nothing new");
    check_new("server-allreduce", 8, "1 2", "to one, and from one");
    check_new("tree-allreduce", 8, "1 4 7",
              "without a pattern, a phase is new");
    check_new("binomial-broadcast", 8, "1 2", "some ranks, after one alone");
    s->steps[3].phase = s->steps[0].phase;
    ok(pattern_is_new(s, 4), "copies are new after additions of one phase");
}

int
main(void)
{
    test_all();
    test_uneven();
    test_new();
    return done_testing();
}
