/* SPDX-License-Identifier: MIT */
#include "schedule/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { NOBODY = -1, SEVERAL = -2 };

/* Whom each rank sends to and receives from in a step, and how many slots. */
struct tally {
    int nranks;
    int *to, *from;      /* by rank: a rank, NOBODY or SEVERAL */
    int *sent, *received; /* by rank: slots */
    int nsenders, nreceivers;
};

static void
add_peer(int *peer, int rank, int *count)
{
    *count += *peer == NOBODY;
    *peer = *peer == NOBODY || *peer == rank ? rank : SEVERAL;
}

/* Counts the transfers between ranks, or if `local`, those within ranks. The
 * caller frees t->to, which holds all four arrays. */
static void
tally_peers(const struct schedule *s, int step, bool local, struct tally *t)
{
    size_t n = (size_t)s->nranks, count;
    const struct transfer *moves = schedule_transfers(s, step, &count);

    *t = (struct tally){.nranks = s->nranks, .to = mem_new(4 * n, sizeof(int))};
    t->from = t->to + n;
    t->sent = t->from + n;
    t->received = t->sent + n;
    for (size_t i = 0; i < 2 * n; i++)
        t->to[i] = NOBODY;
    for (size_t i = 0; i < count; i++) {
        const struct transfer *m = &moves[i];
        if ((m->src == m->dst) != local)
            continue;
        add_peer(&t->to[m->src], m->dst, &t->nsenders);
        add_peer(&t->from[m->dst], m->src, &t->nreceivers);
        t->sent[m->src] += m->nslots;
        t->received[m->dst] += m->nslots;
    }
}

/* The value of all ranks that have one; 0 if they differ. */
static int
same_of_all(const int *slots, int nranks)
{
    int same = 0;

    for (int rank = 0; rank < nranks; rank++) {
        if (slots[rank] != 0 && same != 0 && slots[rank] != same)
            return 0;
        same = slots[rank] != 0 ? slots[rank] : same;
    }
    return same;
}

static int
shorter_way(int distance, int group)
{
    return 2 * distance > group ? distance - group : distance;
}

/* Whether every rank sends to the one `distance` further on, round rings of
 * `group` ranks. */
static bool
is_ring(const struct tally *t, int distance, int group)
{
    for (int rank = 0; rank < t->nranks; rank++)
        if (t->to[rank] !=
            rank - rank % group + (rank % group + distance) % group)
            return false;
    return true;
}

/* Tries small groups first, so that ranks which exchange are pairs. */
static bool
find_ring(const struct tally *t, struct pattern *p)
{
    int distance = t->to[0];

    for (int group = distance + 1; distance > 0 && group <= t->nranks; group++)
        if (t->nranks % group == 0 && is_ring(t, distance, group)) {
            p->distance = shorter_way(distance, group);
            p->group = group;
            p->slots = same_of_all(t->sent, t->nranks);
            return true;
        }
    return false;
}

/* Whether the ranks that send are equally far apart, and each sends to the one
 * as far from it. The distance is the shorter one only if some of them send
 * beyond the last rank. */
static bool
find_some(const struct tally *t, struct pattern *p)
{
    int n = t->nranks, last = 0, distance = 0, count = 0;
    bool beyond = false;

    for (int rank = 0; rank < n; rank++) {
        if (t->to[rank] == NOBODY)
            continue;
        if (count == 0) {
            p->first = rank;
            distance = t->to[rank] - rank;
        } else if (count == 1) {
            p->stride = rank - last;
        }
        beyond = beyond || t->to[rank] != rank + distance;
        if (t->to[rank] != (rank + distance + n) % n ||
            (count > 1 && rank - last != p->stride))
            return false;
        last = rank;
        count++;
    }
    p->count = count;
    p->group = n;
    p->distance = beyond ? shorter_way((distance + n) % n, n) : distance;
    p->slots = same_of_all(t->sent, n);
    return count > 1;
}

static int
find_rank(const int *peers, int nranks)
{
    int rank = 0;

    while (rank < nranks && peers[rank] == NOBODY)
        rank++;
    return rank;
}

/* The slots of each transfer of a step, if each pair of ranks has one transfer;
 * 0 if they differ, or if there are more transfers. */
static int
slots_of_pairs(const struct schedule *s, int step, size_t pairs)
{
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    if (count != pairs)
        return 0;
    for (size_t i = 1; i < count; i++)
        if (t[i].nslots != t[0].nslots)
            return 0;
    return t[0].nslots;
}

static enum pattern_kind
kind_between(const struct schedule *s, int step, const struct tally *t,
             struct pattern *p)
{
    int n = s->nranks;
    size_t pairs = (size_t)n * (size_t)(n - 1);

    if (t->nsenders == n && s->steps[step - 1].count >= pairs &&
        schedule_step_pairs(s, step) == pairs) {
        p->slots = slots_of_pairs(s, step, pairs);
        return PATTERN_EVERY;
    }
    if (t->nreceivers == 1 && t->nsenders == n - 1) {
        p->rank = find_rank(t->from, n);
        p->slots = same_of_all(t->sent, n);
        return PATTERN_TO_ONE;
    }
    if (t->nsenders == 1 && t->nreceivers == n - 1) {
        p->rank = find_rank(t->to, n);
        p->slots = same_of_all(t->received, n);
        return PATTERN_FROM_ONE;
    }
    if (find_ring(t, p))
        return PATTERN_RING;
    return find_some(t, p) ? PATTERN_SOME : PATTERN_NONE;
}

/* Whether all that is received is added up.  The first part of a sum that
 * begins in an empty slot is a copy. */
static bool
all_reduce(const struct schedule *s, int step)
{
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);
    bool all = true;

    for (size_t i = 0; all && i < count; i++)
        all = t[i].op == TRANSFER_REDUCE ||
              (i + 1 < count && t[i + 1].op == TRANSFER_REDUCE &&
               t[i + 1].dst == t[i].dst &&
               t[i + 1].dst_slot == t[i].dst_slot);
    return all;
}

struct pattern
pattern_of(const struct schedule *s, int step)
{
    struct pattern p = {.reduces = all_reduce(s, step)};
    bool local = schedule_step_is_local(s, step);
    struct tally t;

    tally_peers(s, step, local, &t);
    if (local && t.nsenders == s->nranks) {
        p.kind = PATTERN_LOCAL;
        p.slots = same_of_all(t.sent, s->nranks);
    } else if (!local && s->nranks > 2) {
        p.kind = kind_between(s, step, &t, &p);
    }
    free(t.to);
    return p.kind != PATTERN_NONE ? p : (struct pattern){.reduces = p.reduces};
}

bool
pattern_is_new(const struct schedule *s, int step)
{
    struct pattern p = pattern_of(s, step), other;
    const char *phase = s->steps[step - 1].phase;

    for (int before = step - 1; before > 0; before--) {
        if (strcmp(s->steps[before - 1].phase, phase) != 0)
            continue;
        other = pattern_of(s, before);
        if (other.kind == p.kind && other.reduces == p.reduces)
            return false;
    }
    return true;
}

bool
pattern_same(const struct pattern *a, const struct pattern *b)
{
    return a->kind == b->kind && a->distance == b->distance &&
           a->group == b->group && a->first == b->first &&
           a->stride == b->stride && a->count == b->count &&
           a->rank == b->rank && a->slots == b->slots &&
           a->reduces == b->reduces;
}
