/* SPDX-License-Identifier: MIT */
#include "model/holdup.h"

#include <limits.h>
#include <stdlib.h>

enum { NONE = INT_MAX }; /* no step: nothing is missing */

/* By rank: the first step in which it misses a transfer, and the sender of that
 * transfer. */
struct missing {
    int step[HOLDUP_RANKS_MOST], src[HOLDUP_RANKS_MOST];
};

static bool
is_known(const struct world_step *known, const struct transfer *t)
{
    for (size_t i = 0; i < known->count; i++) {
        const struct event *e = &known->events[i];
        if (e->slice == 0 && e->src == t->src && e->dst == t->dst &&
            e->dst_slot >= t->dst_slot && e->dst_slot < t->dst_slot + t->nslots)
            return true;
    }
    return false;
}

/* Notes the step for each rank that misses a transfer in it, and in none
 * before. */
static void
look_at_step(const struct world *w, int step, struct missing *m)
{
    size_t count;
    const struct transfer *t = schedule_transfers(w->schedule, step, &count);

    for (size_t i = 0; i < count; i++)
        if (m->step[t[i].dst] == NONE && !is_known(&w->steps[step], &t[i])) {
            m->step[t[i].dst] = step;
            m->src[t[i].dst] = t[i].src;
        }
}

/* Looks at the steps up to `last`. */
static void
find_missing(const struct world *w, int last, struct missing *m)
{
    for (int rank = 0; rank < w->schedule->nranks; rank++)
        m->step[rank] = NONE;
    for (int step = w->position + 1; step <= last; step++)
        if (!world_step_complete(w, step))
            look_at_step(w, step, m);
}

/* Whether the run has stopped at the position, or is awaited for a while. */
static bool
is_held_up(const struct scene *s)
{
    const struct world *w = s->world;

    if (w->schedule->nranks > HOLDUP_RANKS_MOST || w->position >= w->nsteps ||
        world_step_complete(w, w->position + 1))
        return false;
    return w->has_end || w->result.hangs || s->awaited_ns >= HOLDUP_NS;
}

/* Ranks that wait for each other in a circle, as in an exchange: nobody knows
 * which of them is late. */
static void
find_circles(struct holdup *h, int nranks)
{
    bool on_circle[HOLDUP_RANKS_MOST] = {false};

    for (int rank = 0; rank < nranks; rank++) {
        int at = rank;
        for (int k = 0; k < nranks && at >= 0; k++)
            at = h->ranks[at].waits_for;
        if (at >= 0)
            on_circle[at] = true;
    }
    for (int rank = 0; rank < nranks; rank++)
        if (on_circle[rank])
            h->ranks[rank] = (struct held_rank){.guilty = true,
                                                .waits_for = -1};
}

/* What is known of a rank in a step, and of later ones. */
struct part {
    int missing; /* ranks that lack something of it first, and it itself */
    bool acted;  /* it has sent or received in the step, or later */
};

/* A rank receives in the order of the schedule.  So the first transfer that it
 * lacks may be why it lacks the others of the step. */
static struct part
part_in(const struct world *w, const struct missing *m, int step, int rank)
{
    struct part p = {.missing = m->step[rank] == step};

    for (int dst = 0; dst < w->schedule->nranks; dst++)
        p.missing += m->step[dst] == step && m->src[dst] == rank;
    for (int k = step; k <= w->nsteps && !p.acted; k++)
        for (size_t i = 0; i < w->steps[k].count; i++)
            p.acted = p.acted || w->steps[k].events[i].src == rank ||
                      w->steps[k].events[i].dst == rank;
    return p;
}

/* Whether one of the two ends of a missing transfer is rather to blame than the
 * other: the one that has done nothing, or for which more ranks wait. */
static bool
is_rather(const struct part *one, const struct part *other)
{
    return one->acted != other->acted ? !one->acted
                                      : one->missing > other->missing;
}

/* A transfer is missing, although nothing keeps its sender from sending.  If
 * nothing tells the two apart, both are to blame. */
static void
blame(struct holdup *h, const struct world *w, const struct missing *m,
      int dst)
{
    int step = m->step[dst], src = m->src[dst];
    struct part sender = part_in(w, m, step, src);
    struct part receiver = part_in(w, m, step, dst);

    h->ranks[src].guilty |= !is_rather(&receiver, &sender);
    h->ranks[dst].guilty |= !is_rather(&sender, &receiver);
    h->ranks[dst].waits_for = src;
}

/* Ranks wait for senders that have come no farther than themselves. */
static void
find_guilty(struct holdup *h, const struct missing *m, const struct world *w)
{
    int nranks = w->schedule->nranks;

    for (int rank = 0; rank < nranks; rank++)
        h->ranks[rank] = (struct held_rank){.waits_for = -1};
    for (int rank = 0; rank < nranks; rank++) {
        int step = m->step[rank], src = m->src[rank];
        if (step != NONE && m->step[src] > step)
            blame(h, w, m, rank);
        else if (step != NONE)
            h->ranks[rank].waits_for = src;
    }
    for (int rank = 0; rank < nranks; rank++)
        if (h->ranks[rank].guilty)
            h->ranks[rank].waits_for = -1;
    find_circles(h, nranks);
}

/* In a mismatch every rank waits for the sender of what it misses. */
static void
find_mismatched(struct holdup *h, const struct missing *m,
                const struct world *w)
{
    for (int rank = 0; rank < w->schedule->nranks; rank++)
        h->ranks[rank] = (struct held_rank){
            .guilty = rank == atoi(w->run->mismatch),
            .waits_for = m->step[rank] != NONE ? m->src[rank] : -1};
}

/* The other end of a rank's first missing transfer, if possible of one that it
 * receives; -1: it misses none. */
static int
first_peer(const struct world *w, int rank)
{
    int peer = -1;

    for (int step = w->position + 1; step <= w->nsteps && peer < 0; step++) {
        size_t count;
        const struct transfer *t =
            schedule_transfers(w->schedule, step, &count);
        for (size_t i = 0; i < count; i++) {
            bool receives = t[i].dst == rank;
            if (t[i].src == t[i].dst || (!receives && t[i].src != rank) ||
                is_known(&w->steps[step], &t[i]))
                continue;
            if (receives)
                return t[i].src;
            peer = peer < 0 ? t[i].dst : peer;
        }
    }
    return peer;
}

/* Whether the arrows from a rank lead to one that holds the run up. */
static bool
leads_to_guilty(const struct holdup *h, int nranks, int rank)
{
    for (int i = 0; i < nranks && h->ranks[rank].waits_for >= 0; i++)
        rank = h->ranks[rank].waits_for;
    return h->ranks[rank].guilty;
}

/* In lockstep the other ranks wait for the end of the step.  The arrow of each
 * leads to the rank with which it goes on afterwards, if that is held up by a
 * guilty one, and otherwise to the first guilty one. */
static void
add_waiters(struct holdup *h, const struct world *w)
{
    int n = w->schedule->nranks, first = 0;

    while (first < n && !h->ranks[first].guilty)
        first++;
    if (first == n)
        return;
    for (int rank = 0; rank < n; rank++)
        if (!h->ranks[rank].guilty && h->ranks[rank].waits_for < 0)
            h->ranks[rank].waits_for = first_peer(w, rank);
    for (int rank = 0; rank < n; rank++)
        if (!leads_to_guilty(h, n, rank))
            h->ranks[rank].waits_for = first;
}

bool
holdup_of(const struct scene *s, struct holdup *h)
{
    const struct world *w = s->world;
    bool mismatched, all_steps;
    struct missing m;

    *h = (struct holdup){.awaited_ns = w->has_end ? 0 : s->awaited_ns};
    if (!is_held_up(s))
        return false;
    mismatched = w->run->mismatch[0] != '\0';
    all_steps = w->run->free || mismatched;
    find_missing(w, all_steps ? w->nsteps : w->position + 1, &m);
    if (mismatched)
        find_mismatched(h, &m, w);
    else
        find_guilty(h, &m, w);
    if (!all_steps)
        add_waiters(h, w);
    for (int rank = 0; rank < w->schedule->nranks; rank++)
        if (m.step[rank] != NONE) {
            h->ranks[rank].step = m.step[rank];
            h->ranks[rank].src = m.src[rank];
        }
    return true;
}

bool
holdup_has(const struct holdup *h, int rank)
{
    return h->ranks[rank].guilty || h->ranks[rank].waits_for >= 0;
}
