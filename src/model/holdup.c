/* SPDX-License-Identifier: MIT */
#include "model/holdup.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
bit(int rank)
{
    return UINT64_C(1) << rank;
}

static bool
is_known(const struct world_step *known, const struct transfer *t)
{
    for (size_t i = 0; i < known->count; i++)
        if (known->events[i].slice == 0 && event_is_of(&known->events[i], t))
            return true;
    return false;
}

static void
note_end(struct missing *m, int step, int rank, int peer)
{
    if (m->first[rank] == NONE)
        m->first[rank] = step;
    if (m->first[rank] == step)
        m->peers[rank] |= bit(peer);
}

/* `receivers` are those of the step. */
static void
note_missing(struct missing *m, int step, const struct transfer *t,
             uint64_t receivers)
{
    if (m->step[t->dst] == NONE) {
        m->step[t->dst] = step;
        m->src[t->dst] = t->src;
    }
    if (m->unwritten[t->dst] == NONE)
        m->unwritten[t->dst] = step;
    if (m->unwritten[t->src] == NONE && (receivers & bit(t->src)) != 0)
        m->unwritten[t->src] = step;
    if (t->src == t->dst)
        return;
    note_end(m, step, t->src, t->dst);
    note_end(m, step, t->dst, t->src);
}

static void
find_missing(const struct world *w, struct missing *m)
{
    *m = (struct missing){0};
    for (int rank = 0; rank < w->schedule->nranks; rank++)
        m->step[rank] = m->first[rank] = m->unwritten[rank] = NONE;
    for (int step = w->position + 1; step <= w->nsteps; step++) {
        size_t count;
        const struct transfer *t =
            schedule_transfers(w->schedule, step, &count);
        uint64_t receivers = 0;
        if (world_step_complete(w, step))
            continue;
        for (size_t i = 0; i < count; i++)
            receivers |= bit(t[i].dst);
        for (size_t i = 0; i < count; i++)
            if (!is_known(&w->steps[step], &t[i]))
                note_missing(m, step, &t[i], receivers);
    }
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

/* Whether something that is missing in an earlier step may keep a rank from
 * receiving in a step, or from sending in it.  Before it receives, what it sent
 * earlier must have been read; before others pull from it, its slots must have
 * been written.  A rank that passes messages comes to a step when all of its
 * earlier messages are over. */
static bool
may_wait(const struct world *w, const struct missing *m, int rank, int step,
         bool receives)
{
    return (receives || run_passes_messages(w->run)
                ? m->first[rank]
                : m->unwritten[rank]) < step;
}

/* The group of ranks of which at least one has stopped, because a rank lacks a
 * transfer; 0 if the rank may lack it because one of them waits for others.
 *
 * A rank that pulls does so in the order of the schedule: the first transfer
 * that it lacks may be why it lacks the others of the step.  One that passes
 * messages goes on when all of its messages of the step are over, those that it
 * sends included. */
static uint64_t
suspects_of(const struct world *w, const struct missing *m, int rank)
{
    int step = m->step[rank];
    uint64_t group = bit(rank) | bit(m->src[rank]);

    if (run_passes_messages(w->run) && m->first[rank] == step)
        group |= m->peers[rank];
    for (int i = 0; i < w->schedule->nranks; i++)
        if ((group & bit(i)) != 0 && may_wait(w, m, i, step, i == rank))
            return 0;
    return group;
}

/* What tells suspects apart, by rank. */
struct record {
    int acted[HOLDUP_RANKS_MOST];  /* the last step in which it has sent or
                                    * received; 0: none */
    int groups[HOLDUP_RANKS_MOST]; /* the number of groups that it is in */
};

/* Whether one of a group is more likely to have stopped in a step than another:
 * it has done nothing in the step and later, or is in more groups. */
static bool
is_likelier(const struct record *r, int step, int one, int other)
{
    bool acted = r->acted[one] >= step;

    return acted != (r->acted[other] >= step)
               ? !acted
               : r->groups[one] > r->groups[other];
}

/* Looks for groups in the steps up to `last`.  The most likely ranks of each
 * are guilty. */
static void
find_guilty(struct holdup *h, const struct world *w, const struct missing *m,
            int last)
{
    int n = w->schedule->nranks;
    uint64_t groups[HOLDUP_RANKS_MOST] = {0};
    struct record r = {0};

    for (int step = w->position + 1; step <= w->nsteps; step++)
        for (size_t i = 0; i < w->steps[step].count; i++) {
            r.acted[w->steps[step].events[i].src] = step;
            r.acted[w->steps[step].events[i].dst] = step;
        }
    for (int rank = 0; rank < n; rank++) {
        if (m->step[rank] <= last)
            groups[rank] = suspects_of(w, m, rank);
        for (int i = 0; i < n; i++)
            r.groups[i] += (groups[rank] & bit(i)) != 0;
    }
    for (int k = 0; k < n; k++)
        for (int rank = 0; rank < n; rank++) {
            bool likely = (groups[k] & bit(rank)) != 0;
            for (int i = 0; i < n && likely; i++)
                likely = (groups[k] & bit(i)) == 0 ||
                         !is_likelier(&r, m->step[k], i, rank);
            h->ranks[rank].guilty |= likely;
        }
}

/* Which ranks are guilty, or have arrows that lead to a guilty one. */
static uint64_t
find_led(const struct holdup *h, int nranks)
{
    uint64_t led = 0;

    for (int rank = 0; rank < nranks; rank++) {
        int at = rank;
        for (int i = 0; i < nranks && h->ranks[at].waits_for >= 0; i++)
            at = h->ranks[at].waits_for;
        if (h->ranks[at].guilty)
            led |= bit(rank);
    }
    return led;
}

/* A rank of a set that is not empty: the first sender that a rank lacks, if
 * possible. */
static int
choose(const struct missing *m, int rank, uint64_t set)
{
    return m->step[rank] != NONE && (set & bit(m->src[rank])) != 0
               ? m->src[rank]
               : __builtin_ctzll(set);
}

/* A rank that is not led to a guilty one gets an arrow to a peer that is, until
 * there are no more of them. */
static void
lead(struct holdup *h, const struct missing *m, int nranks)
{
    uint64_t led, before = 0;

    while ((led = find_led(h, nranks)) != before) {
        before = led;
        for (int rank = 0; rank < nranks; rank++)
            if ((led & bit(rank)) == 0 && (m->peers[rank] & led) != 0)
                h->ranks[rank].waits_for =
                    choose(m, rank, m->peers[rank] & led);
    }
}

/* The arrow of a rank leads to the sender of what it lacks.  If that does not
 * lead on to a guilty rank, something else is missing earlier: a rank has yet
 * to read what this one would overwrite, say.  In lockstep all ranks wait for
 * the end of the step, and some can only be led to the first guilty one. */
static void
find_waiters(struct holdup *h, const struct world *w, const struct missing *m)
{
    int n = w->schedule->nranks, first = 0;
    uint64_t led;

    while (first < n && !h->ranks[first].guilty)
        first++;
    if (first == n)
        return;
    for (int rank = 0; rank < n; rank++) {
        struct held_rank *held = &h->ranks[rank];
        if (!held->guilty && held->step > 0 && held->src != rank)
            held->waits_for = held->src;
    }
    lead(h, m, n);
    led = find_led(h, n);
    for (int rank = 0; rank < n; rank++)
        if (!w->run->free && (led & bit(rank)) == 0)
            h->ranks[rank].waits_for = first;
}

/* Whether a rank was delayed for good (run_info.delay). */
static bool
is_delayed_for_good(const struct run_info *run, int rank)
{
    char word[32];
    size_t length = (size_t)snprintf(word, sizeof word, "%d=inf", rank);
    const char *at = run->delay;

    while ((at = strstr(at, word)) != NULL &&
           ((at > run->delay && at[-1] != ' ') ||
            (at[length] != ' ' && at[length] != '\0')))
        at++;
    return at != NULL;
}

bool
holdup_of(const struct scene *s, struct holdup *h)
{
    const struct world *w = s->world;
    int n = w->schedule->nranks, last;
    bool mismatched = w->run->mismatch[0] != '\0';
    struct missing m;

    *h = (struct holdup){.schedule = w->schedule,
                         .awaited_ns = w->has_end ? 0 : s->awaited_ns};
    if (!is_held_up(s))
        return false;
    last = w->run->free || mismatched ? w->nsteps : w->position + 1;
    find_missing(w, &m);
    for (int rank = 0; rank < n; rank++) {
        bool lacks = m.step[rank] <= last;
        h->ranks[rank] = (struct held_rank){
            .guilty = mismatched && rank == atoi(w->run->mismatch),
            .waits_for = mismatched && lacks ? m.src[rank] : -1,
            .step = lacks ? m.step[rank] : 0,
            .src = lacks ? m.src[rank] : 0};
    }
    if (!mismatched) {
        find_guilty(h, w, &m, last);
        find_waiters(h, w, &m);
    }
    h->forever = w->result.hangs;
    for (int rank = 0; rank < n; rank++) {
        h->nwaiting += h->ranks[rank].waits_for >= 0;
        if (!h->ranks[rank].guilty)
            continue;
        h->forever |= is_delayed_for_good(w->run, rank);
        if (h->nguilty++ < 2)
            h->guilty[h->nguilty - 1] = rank;
    }
    return true;
}

bool
holdup_has(const struct holdup *h, int rank)
{
    return h->ranks[rank].guilty || h->ranks[rank].waits_for >= 0;
}
