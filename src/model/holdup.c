/* SPDX-License-Identifier: MIT */
#include "model/holdup.h"

#include <limits.h>

#include "base/bounds.h"

enum { NONE = INT_MAX }; /* no step: nothing is missing */

/* The transfers that have not happened, by rank.  Sets of ranks are bits. */
struct missing {
    /* The first one that it receives: its step, and the sender. */
    int step[HOLDUP_RANKS_MOST], src[HOLDUP_RANKS_MOST];
    /* The first step in which it sends one to another rank or receives one from
     * it, and the ranks at the other ends of those in that step. */
    int first[HOLDUP_RANKS_MOST];
    uint64_t peers[HOLDUP_RANKS_MOST];
    /* The first step in which it receives one, or sends one and receives any:
     * its slots may be as they were before that step, because one that is read
     * and written in a step is not written until all have read it. */
    int unwritten[HOLDUP_RANKS_MOST];
};

static uint64_t
only_rank(int rank)
{
    return UINT64_C(1) << rank;
}

static bool
has_happened(const struct world_step *known, const struct transfer *t)
{
    for (size_t i = 0; i < known->count; i++)
        if (known->events[i].slice == 0 && event_is_of(&known->events[i], t))
            return true;
    return false;
}

static void
find_missing(const struct world *w, struct missing *m)
{
    size_t count;

    *m = (struct missing){0};
    for (int rank = 0; rank < w->schedule->nranks; rank++)
        m->step[rank] = m->first[rank] = m->unwritten[rank] = NONE;
    for (int step = w->position + 1; step <= w->nsteps; step++) {
        const struct transfer *t =
            schedule_transfers(w->schedule, step, &count);
        uint64_t receivers = 0;
        for (size_t i = 0; i < count; i++)
            receivers |= only_rank(t[i].dst);
        for (; count > 0 && !world_step_complete(w, step); count--, t++) {
            if (has_happened(&w->steps[step], t))
                continue;
            if (m->step[t->dst] == NONE)
                m->src[t->dst] = t->src;
            m->step[t->dst] = least(m->step[t->dst], step);
            m->unwritten[t->dst] = least(m->unwritten[t->dst], step);
            if ((receivers & only_rank(t->src)) != 0)
                m->unwritten[t->src] = least(m->unwritten[t->src], step);
            for (int sends = 0; sends < 2 && t->src != t->dst; sends++) {
                int rank = sends ? t->src : t->dst;
                m->first[rank] = least(m->first[rank], step);
                if (m->first[rank] == step)
                    m->peers[rank] |= only_rank(sends ? t->dst : t->src);
            }
        }
    }
}

/* The group of ranks of which at least one has stopped, because a rank lacks a
 * transfer; 0 if the rank may lack it because one of them waits for others.
 *
 * A rank that pulls does so in the order of the schedule: the first transfer
 * that it lacks may be why it lacks the others of the step.  One that passes
 * messages goes on when all of its messages of the step are over, those that it
 * sends included.
 *
 * Something that is missing in an earlier step may keep a rank from receiving,
 * as what it sent earlier must have been read, or from sending: its slots must
 * have been written.  A rank that passes messages comes to a step when all of
 * its earlier messages are over. */
static uint64_t
suspects_of(const struct world *w, const struct missing *m, int rank)
{
    bool passes = w->run->messages;
    int step = m->step[rank];
    uint64_t group = only_rank(rank) | only_rank(m->src[rank]);

    if (passes && m->first[rank] == step)
        group |= m->peers[rank];
    for (int i = 0; i < w->schedule->nranks; i++)
        if ((group & only_rank(i)) != 0 &&
            (i == rank || passes ? m->first[i] : m->unwritten[i]) < step)
            return 0;
    return group;
}

/* Looks for groups in the steps up to `last`.  The most likely ranks of each
 * are causes: those that have done nothing in the step and later, of these
 * those that are in the most groups. */
static void
find_causes(struct holdup *h, const struct world *w, const struct missing *m,
            int last)
{
    int n = w->schedule->nranks;
    int acted[HOLDUP_RANKS_MOST] = {0}; /* the last step in which it has sent or
                                         * received; 0: none */
    int ngroups[HOLDUP_RANKS_MOST] = {0};
    uint64_t groups[HOLDUP_RANKS_MOST] = {0};

    for (int step = w->position + 1; step <= w->nsteps; step++)
        for (size_t i = 0; i < w->steps[step].count; i++) {
            acted[w->steps[step].events[i].src] = step;
            acted[w->steps[step].events[i].dst] = step;
        }
    for (int rank = 0; rank < n; rank++) {
        if (m->step[rank] <= last)
            groups[rank] = suspects_of(w, m, rank);
        for (int i = 0; i < n; i++)
            ngroups[i] += (groups[rank] & only_rank(i)) != 0;
    }
    for (int k = 0; k < n; k++) {
        int weights[HOLDUP_RANKS_MOST], weight = 0;
        for (int i = 0; i < n; i++) {
            bool idle = acted[i] < m->step[k];
            weights[i] = (groups[k] & only_rank(i)) == 0 ? 0
                         : ngroups[i] + (idle ? HOLDUP_RANKS_MOST : 0);
            weight = most(weight, weights[i]);
        }
        for (int i = 0; i < n; i++)
            h->ranks[i].is_cause |= weight > 0 && weights[i] == weight;
    }
}

/* The causes, and the ranks from which arrows lead to one. */
static uint64_t
find_reaching(const struct holdup *h, int nranks)
{
    uint64_t reaching = 0;

    for (int rank = 0; rank < nranks; rank++) {
        int at = rank;
        for (int i = 0; i < nranks && h->ranks[at].waits_for >= 0; i++)
            at = h->ranks[at].waits_for;
        if (h->ranks[at].is_cause)
            reaching |= only_rank(rank);
    }
    return reaching;
}

/* Gives each rank from which no arrows lead to a cause an arrow to a peer
 * from which they do, if possible to the first sender that it lacks, until
 * nothing changes. */
static void
aim_arrows(struct holdup *h, const struct missing *m, int nranks)
{
    uint64_t reaching, before = 0;

    while ((reaching = find_reaching(h, nranks)) != before) {
        before = reaching;
        for (int rank = 0; rank < nranks; rank++) {
            uint64_t to = m->peers[rank] & reaching;
            if ((reaching & only_rank(rank)) == 0 && to != 0)
                h->ranks[rank].waits_for =
                    m->step[rank] != NONE && (to & only_rank(m->src[rank])) != 0
                        ? m->src[rank]
                        : __builtin_ctzll(to);
        }
    }
}

/* The arrow of a rank leads to the sender of what it lacks.  If that does not
 * lead on to a cause, something else is missing earlier: for example, a
 * rank has yet to read what this one would overwrite.  In lockstep all ranks
 * wait for the end of the step, and some can only get an arrow to the
 * first cause. */
static void
find_waiters(struct holdup *h, const struct world *w, const struct missing *m)
{
    int n = w->schedule->nranks, first = 0;
    uint64_t reaching;

    while (first < n && !h->ranks[first].is_cause)
        first++;
    if (first == n)
        return;
    for (int rank = 0; rank < n; rank++) {
        struct held_rank *held = &h->ranks[rank];
        if (!held->is_cause && held->step > 0 && held->src != rank)
            held->waits_for = held->src;
    }
    aim_arrows(h, m, n);
    reaching = find_reaching(h, n);
    for (int rank = 0; rank < n; rank++)
        if (!w->run->free && (reaching & only_rank(rank)) == 0)
            h->ranks[rank].waits_for = first;
}

bool
holdup_of(const struct scene *s, struct holdup *h)
{
    const struct world *w = s->world;
    int n = w->schedule->nranks, last;
    const struct purpose *p = &w->run->purpose;
    bool mismatched = run_mismatched(w->run);
    struct missing m;

    *h = (struct holdup){.schedule = w->schedule,
                         .awaited_ns = w->has_end ? 0 : s->awaited_ns};
    /* Has it stopped at the position, or has it been awaited for a while? */
    if (n > HOLDUP_RANKS_MOST || w->position >= w->nsteps ||
        world_step_complete(w, w->position + 1) ||
        !(w->has_end || w->result.hangs || s->awaited_ns >= HOLDUP_NS))
        return false;
    last = w->run->free || mismatched ? w->nsteps : w->position + 1;
    find_missing(w, &m);
    for (int rank = 0; rank < n; rank++) {
        bool lacks = m.step[rank] <= last;
        h->ranks[rank] = (struct held_rank){
            .is_cause = mismatched && rank == p->mismatch.rank,
            .waits_for = mismatched && lacks ? m.src[rank] : -1,
            .step = lacks ? m.step[rank] : 0,
            .src = lacks ? m.src[rank] : 0};
    }
    if (!mismatched) {
        find_causes(h, w, &m, last);
        find_waiters(h, w, &m);
    }
    h->forever = w->result.hangs;
    for (int rank = 0; rank < n; rank++) {
        h->nwaiting += h->ranks[rank].waits_for >= 0;
        if (!h->ranks[rank].is_cause)
            continue;
        h->forever |= p->delays[rank] == DELAY_FOREVER;
        if (h->ncauses++ < 2)
            h->causes[h->ncauses - 1] = rank;
    }
    return true;
}

bool
holdup_has(const struct holdup *h, int rank)
{
    return h->ranks[rank].is_cause || h->ranks[rank].waits_for >= 0;
}
