/* SPDX-License-Identifier: MIT */
/* Which rank holds a run up: in every algorithm each rank in turn stops before
 * each step.  The other ranks go on as far as they can, and what does not
 * happen is taken out of a complete run.  The events rule out a rank that
 * leaves other events wherever it stops: it should not be named. */
#include "model/holdup.h"

#include <stdlib.h>

#include "algorithm_world.h"
#include "made.h"
#include "tap.h"

enum { GPUS_MOST = 8 };

struct setting {
    const char *name;
    bool pulled; /* by the receiver, or else sent in messages */
    bool free;   /* the pace */
};

/* A rank that takes part in no step from this one on. */
struct story {
    int rank, from;
    bool ahead; /* a message can be sent before its receiver has come to the
                 * step */
};

/* Pulling ranks: how many instructions each has finished. */

static bool
can_finish(const struct program *p, const uint32_t *done, int rank,
           struct story dead, int last_step)
{
    const struct instr *in = &p->instrs[p->first[rank] + done[rank]];

    if (done[rank] == program_length(p, rank) || in->step > last_step ||
        (in->step >= dead.from &&
         (rank == dead.rank || in->peer == dead.rank)))
        return false;
    for (size_t i = 0; i < in->nwaits; i++)
        if (done[p->waits[in->first_wait + i].rank] <
            p->waits[in->first_wait + i].count)
            return false;
    return true;
}

static void
pull_to(const struct program *p, uint32_t *done, struct story dead,
        int last_step)
{
    bool moved = true;

    while (moved) {
        moved = false;
        for (int rank = 0; rank < p->nranks; rank++)
            for (; can_finish(p, done, rank, dead, last_step); moved = true)
                done[rank]++;
    }
}

static bool
is_pulled(const struct program *p, const uint32_t *done, int step,
          const struct transfer *t)
{
    for (uint32_t i = 0; i < done[t->dst]; i++) {
        const struct instr *in = &p->instrs[p->first[t->dst] + i];
        if (in->op != INSTR_APPLY && in->op != INSTR_END &&
            in->step == step && in->peer == t->src &&
            t->dst_slot >= in->final_slot &&
            t->dst_slot < in->final_slot + in->nslots)
            return true;
    }
    return false;
}

/* Ranks that pass messages: how many steps each has finished.  A step is
 * finished when all of its messages are over. */

static bool
can_pass(const struct schedule *s, const uint32_t *done, int rank,
         struct story dead)
{
    int step = (int)done[rank] + 1;
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    for (size_t i = 0; i < count; i++) {
        int peer = t[i].src == rank ? t[i].dst : t[i].src;
        if (t[i].src != rank && t[i].dst != rank)
            continue;
        if (step >= dead.from && rank == dead.rank)
            return false;
        if ((t[i].dst == rank || !dead.ahead) &&
            ((step >= dead.from && peer == dead.rank) ||
             done[peer] + 1 < (uint32_t)step))
            return false;
    }
    return true;
}

static void
pass_to(const struct schedule *s, uint32_t *done, struct story dead,
        int last_step)
{
    bool moved = true;

    while (moved) {
        moved = false;
        for (int rank = 0; rank < s->nranks; rank++)
            for (; done[rank] < (uint32_t)last_step &&
                   can_pass(s, done, rank, dead);
                 moved = true)
                done[rank]++;
    }
}

/* Which transfers happen, in the schedule's order: 1 or 0 for each.  The caller
 * frees it. */
static char *
play(const struct schedule *s, const struct program *p,
     const struct setting *by, struct story dead)
{
    char *happens = mem_new(s->ntransfers + 1, 1), *next = happens;
    uint32_t done[2 * GPUS_MOST] = {0};
    bool stuck = false;

    for (int step = 1; step <= s->nsteps; step++) {
        int last = by->free ? s->nsteps : step;
        size_t count;
        const struct transfer *t = schedule_transfers(s, step, &count);
        if (!stuck && by->pulled)
            pull_to(p, done, dead, last);
        else if (!stuck)
            pass_to(s, done, dead, last);
        for (size_t i = 0; i < count; i++) {
            *next = by->pulled ? is_pulled(p, done, step, &t[i])
                               : done[t[i].dst] >= (uint32_t)step;
            stuck = stuck || (!by->free && !*next);
            next++;
        }
    }
    return happens;
}

/* Takes out of a complete run what has not happened.  Its events are in the
 * schedule's order.  Returns the steps as they were. */
static struct world_step *
lose_events(struct world *w, const char *happens)
{
    size_t size = (size_t)w->nsteps + 2;
    struct world_step *all = mem_new(size, sizeof *all);

    memcpy(all, w->steps, size * sizeof *all);
    for (int k = 1; k <= w->nsteps; k++) {
        struct world_step *step = &w->steps[k];
        step->events = mem_new(all[k].count + 1, sizeof *step->events);
        step->count = step->slots_done = 0;
        for (size_t i = 0; i < all[k].count; i++)
            if (*happens++) {
                step->events[step->count++] = all[k].events[i];
                step->slots_done += (size_t)all[k].events[i].nslots;
            }
    }
    w->position = world_complete_steps(w);
    return all;
}

static void
restore_events(struct world *w, struct world_step *all)
{
    for (int k = 1; k <= w->nsteps; k++)
        free(w->steps[k].events);
    memcpy(w->steps, all, ((size_t)w->nsteps + 2) * sizeof *all);
    free(all);
}

/* Whether a transfer between two ranks is missing; other -1: any rank. */
static bool
is_missing(const struct schedule *s, const char *happens, int rank, int other)
{
    for (size_t i = 0; i < s->ntransfers; i++) {
        const struct transfer *t = &s->transfers[i];
        int peer = t->src == rank ? t->dst : t->src;
        if (!happens[i] && (t->src == rank || t->dst == rank) &&
            peer != rank && (other < 0 || peer == other))
            return true;
    }
    return false;
}

struct tally {
    int stuck, held; /* runs that do not end; those that are held up */
    int missed; /* the dead rank is not named */
    int named;  /* others are named, although events rule them out */
    int astray; /* arrows that lead to no rank that is named */
    int beside; /* arrows that follow no missing transfer, except in lockstep to
                 * a rank that is named */
};

/* A run of an algorithm, and what happens in it in each story. */
struct trial {
    const char *name;
    struct world *w;
    const struct schedule *s;
    struct program *program;
    int nstories;
    struct story *stories;
    char **happens;
};

/* Whether a rank may have stopped as well, as far as events show. */
static bool
is_possible(const struct trial *t, int rank, const char *happens)
{
    for (int i = 0; i < t->nstories; i++)
        if (t->stories[i].rank == rank &&
            memcmp(t->happens[i], happens, t->s->ntransfers) == 0)
            return true;
    return false;
}

static void
judge_arrow(const struct trial *t, const struct holdup *h, int rank,
            const char *happens, struct tally *tally)
{
    int at = rank, to = h->ranks[rank].waits_for;
    bool waits = !t->w->own_run.free || is_missing(t->s, happens, rank, -1);

    for (int i = 0; i < t->s->nranks && h->ranks[at].waits_for >= 0; i++)
        at = h->ranks[at].waits_for;
    tally->astray += waits && !h->ranks[at].is_cause;
    tally->beside += to >= 0 && !is_missing(t->s, happens, rank, to) &&
                     (t->w->own_run.free || !h->ranks[to].is_cause);
}

static void
judge(const struct trial *t, int story, struct tally *tally)
{
    struct scene s = {.world = t->w, .awaited_ns = 2 * HOLDUP_NS};
    struct story dead = t->stories[story];
    const char *happens = t->happens[story];
    struct holdup h;

    tally->stuck += t->w->position < t->w->nsteps;
    if (!holdup_of(&s, &h))
        return;
    tally->held++;
    tally->missed += !h.ranks[dead.rank].is_cause;
    if (!h.ranks[dead.rank].is_cause)
        diag("%s: %d is dead from step %d on, and not named", t->name,
             dead.rank, dead.from);
    for (int rank = 0; rank < t->s->nranks; rank++) {
        tally->named += h.ranks[rank].is_cause &&
                        !is_possible(t, rank, happens);
        judge_arrow(t, &h, rank, happens, tally);
    }
}

/* Takes over the schedule. */
static void
try_schedule(struct schedule *s, const char *name, const struct setting *by,
             struct tally *tally)
{
    struct trial t = {.name = name, .s = s,
                      .w = world_of(s, s->nsteps, RING_LOCKSTEP),
                      .program = program_lower(s)};
    size_t n = (size_t)(2 * s->nranks * s->nsteps);

    t.stories = mem_new(n, sizeof *t.stories);
    t.happens = mem_new(n, sizeof *t.happens);
    for (int ahead = 0; ahead < (by->pulled ? 1 : 2); ahead++)
        for (int rank = 0; rank < s->nranks; rank++)
            for (int from = 1; from <= s->nsteps; from++)
                t.stories[t.nstories++] = (struct story){rank, from, ahead};
    for (int i = 0; i < t.nstories; i++)
        t.happens[i] = play(s, t.program, by, t.stories[i]);
    world_seek(t.w, 0);
    t.w->own_run.free = by->free;
    t.w->has_result = t.w->has_end = false;
    t.w->own_run.messages = !by->pulled;
    for (int i = 0; i < t.nstories; i++) {
        struct world_step *all = lose_events(t.w, t.happens[i]);
        judge(&t, i, tally);
        restore_events(t.w, all);
    }
    for (int i = 0; i < t.nstories; i++)
        free(t.happens[i]);
    free(t.happens);
    free(t.stories);
    program_free(t.program);
    world_free(t.w);
}

static void
try_algorithms(int nranks, bool in_place, const struct setting *by,
               struct tally *tally)
{
    struct coll_options o = {.nranks = nranks, .in_place = in_place};
    struct err err;

    for (int i = 0; coll_at(i) != NULL && coll_at(i)->script == NULL; i++) {
        struct schedule *s = coll_build(coll_at(i), &o, &err);
        if (s == NULL)
            die("%s: %s", coll_at(i)->name, err.text);
        try_schedule(s, s->algorithm, by, tally);
    }
}

static void
test_algorithms(const struct setting *by, int most_named)
{
    struct tally t = {0};

    for (int nranks = GPUS_MOST / 2; nranks <= GPUS_MOST; nranks *= 2) {
        try_algorithms(nranks, true, by, &t);
        try_algorithms(nranks, false, by, &t);
    }
    ok(t.stuck > 4000 && t.held == t.stuck,
       "%s: all %d runs that do not end are held up", by->name, t.stuck);
    is_int(t.missed, 0, "%s: the dead rank is among those named", by->name);
    ok(t.named <= most_named, "%s: %d others are named that events rule out",
       by->name, t.named);
    is_int(t.astray, 0, "%s: arrows lead to ranks that hold it up", by->name);
    is_int(t.beside, 0, "%s: and follow missing transfers", by->name);
}

/* GPU 0 sends chunk 0 to GPU 1 and writes the slot, in the same step or in the
 * next: with what GPU 2 has sent, or with its own chunk 1.  Only then others
 * can pull it.  So if GPU 1 is dead, GPU 0 is not to blame for what these lack.
 */
static void
test_overwritten(bool itself)
{
    static const struct setting free_pace = {"pulled, free", true, true};
    struct schedule *s = made_in_place(
        6, 2, 0,
        itself ? "0.0>1.0; 0.1>0.0; 0.0>3.0 0.0>4.0 0.0>5.0"
               : "0.0>1.0 2.0>0.0; 0.0>3.0 0.0>4.0 0.0>5.0");
    struct tally t = {0};

    try_schedule(s, "overwrite", &free_pace, &t);
    is_int(t.missed, 0, "what is overwritten %s: the dead rank is named",
           itself ? "later" : "meanwhile");
    is_int(t.named, 0, "and nobody who waits for it");
}

int
main(void)
{
    static const struct setting settings[] = {
        {"pulled, lockstep", true, false},
        {"pulled, free", true, true},
        {"messages, lockstep", false, false},
        {"messages, free", false, true},
    };
    static const int most_named[] = {0, 30, 32, 202};

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        test_algorithms(&settings[i], most_named[i]);
    test_overwritten(false);
    test_overwritten(true);
    return done_testing();
}
