/* SPDX-License-Identifier: MIT */
/* The patterns of every step of every algorithm: what a pattern says is
 * compared with all transfers of its step. */
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

    for (int i = 0; (a = coll_at(i)) != NULL; i++)
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

/* What the steps of some algorithms are. */
static void
test_each(void)
{
    static const struct {
        const char *algorithm;
        int nranks, step;
        struct pattern expected;
        const char *what;
    } rows[] = {
        {"ring-allreduce", 8, 1,
         {PATTERN_RING, .distance = 1, .group = 8, .slots = 1,
          .reduces = true}, "a ring"},
        {"bruck-allgather", 8, 2,
         {PATTERN_RING, .distance = -2, .group = 8, .slots = 2},
         "to the one 2 behind, round the end"},
        {"pairwise-alltoall", 7, 5,
         {PATTERN_RING, .distance = -3, .group = 7, .slots = 1},
         "the shorter way"},
        {"halving-doubling-allreduce", 8, 2,
         {PATTERN_RING, .distance = 2, .group = 4, .slots = 2,
          .reduces = true}, "pairs 2 apart"},
        {"torus2d-allreduce", 9, 1,
         {PATTERN_RING, .distance = 1, .group = 3, .slots = 3,
          .reduces = true}, "the rows of a torus are rings"},
        {"reduce-broadcast-allreduce", 8, 1,
         {PATTERN_SOME, .distance = -1, .group = 8, .first = 1, .stride = 2,
          .count = 4, .slots = 1, .reduces = true}, "the leaves of a tree"},
        {"hypercube-allreduce", 6, 1,
         {PATTERN_SOME, .distance = -4, .group = 6, .first = 4, .stride = 1,
          .count = 2, .slots = 1, .reduces = true},
         "the distance is not counted round the end if nobody sends there"},
        {"chain-reduce", 8, 9,
         {PATTERN_SOME, .distance = 1, .group = 8, .first = 6, .stride = 1,
          .count = 2, .slots = 1, .reduces = true}, "unless somebody does"},
        {"chain-broadcast", 8, 5,
         {PATTERN_SOME, .distance = 1, .group = 8, .first = 1, .stride = 1,
          .count = 4, .slots = 1}, "a part of a chain"},
        {"naive-allreduce", 5, 1, {PATTERN_EVERY, .slots = 1},
         "all send to all"},
        {"naive-allreduce", 5, 2,
         {PATTERN_LOCAL, .slots = 4, .reduces = true}, "each for itself"},
        {"server-allreduce", 5, 1,
         {PATTERN_TO_ONE, .rank = 0, .slots = 1, .reduces = true},
         "all send to one"},
        {"server-allreduce", 5, 2,
         {PATTERN_FROM_ONE, .rank = 0, .slots = 1}, "one sends to all"},
        {"tree-allreduce", 8, 3, {.reduces = true}, "a tree has no pattern"},
        {"ring-allreduce", 2, 1, {.reduces = true}, "two ranks have none"},
        {"butterfly-allreduce", 6, 2, {.reduces = true},
         "nor has a butterfly for the ranks that are left over"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        OWNS(schedule) *s = build_in_place(rows[i].algorithm, rows[i].nranks);
        struct pattern p = pattern_of(s, rows[i].step);
        ok(pattern_same(&p, &rows[i].expected), "%s", rows[i].what);
    }
}

/* A rank that sends one more slot than the others. */
static void
test_uneven(void)
{
    struct schedule *s = build_in_place("ring-allreduce", 4);
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
    schedule_free(s);
    s = build_in_place("naive-allreduce", 4);
    s->transfers[5].nslots = 2;
    p = pattern_of(s, 1);
    ok(p.kind == PATTERN_EVERY && p.slots == 0, "also of all to all");
    s->transfers[5].nslots = 1;
    schedule_step(s, "once more");
    for (int i = 0; i < 13; i++) /* the first pair has two transfers */
        schedule_add(s, s->transfers[i % 12]);
    p = pattern_of(s, s->nsteps);
    ok(p.kind == PATTERN_EVERY && p.slots == 0, "or if a pair has two");
    schedule_free(s);
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
    test_each();
    test_uneven();
    test_new();
    return done_testing();
}
