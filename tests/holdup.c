/* SPDX-License-Identifier: MIT */
/* Which rank holds a run up: for runs of several algorithms, each rank in turn
 * never goes on.  What can still happen follows from the program's counters;
 * all other transfers are taken out of a complete run. */
#include "model/holdup.h"

#include <stdlib.h>

#include "base/mem.h"
#include "play/job.h"
#include "play/play.h"
#include "schedule/program.h"
#include "tap.h"

enum { GPUS = 4 };

static struct job *
complete_run(const char *name)
{
    const char *words[] = {"collviz", name, "--backend", "threads",
                           "--gpus", "4", NULL};
    struct options o;
    struct job *job = NULL;
    struct err err;
    int status;

    if (!options_parse(&o, 6, (char **)words, &err) ||
        (job = job_new(o.operands[0], &o, &status, &err)) == NULL ||
        !job_start(job, true, &err) ||
        !play_through(&job->session, false, &err))
        die("%s: %s", name, err.text);
    options_done(&o);
    return job;
}

/* Whether a rank can finish its next instruction when ranks have finished
 * done[] of theirs.  Nobody pulls from a dead rank. */
static bool
can_finish(const struct program *p, const uint32_t *done, int rank, int dead,
           int last_step)
{
    const struct instr *in = &p->instrs[p->first[rank] + done[rank]];

    if (rank == dead || done[rank] == program_length(p, rank) ||
        in->step > last_step || in->peer == dead)
        return false;
    for (size_t i = 0; i < in->nwaits; i++)
        if (done[p->waits[in->first_wait + i].rank] <
            p->waits[in->first_wait + i].count)
            return false;
    return true;
}

/* Runs all ranks up to a step, as far as they can come. */
static void
run_to(const struct program *p, uint32_t *done, int dead, int last_step)
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
is_known(const struct world_step *step, const struct transfer *t)
{
    for (size_t i = 0; i < step->count; i++)
        if (step->events[i].src == t->src && step->events[i].dst == t->dst &&
            step->events[i].dst_slot == t->dst_slot)
            return true;
    return false;
}

static bool
has_happened(const struct program *p, const uint32_t *done,
             const struct event *e)
{
    for (uint32_t i = 0; i < done[e->dst]; i++) {
        const struct instr *in = &p->instrs[p->first[e->dst] + i];
        if (in->op != INSTR_APPLY && in->op != INSTR_END &&
            in->step == e->step && in->peer == e->src &&
            e->dst_slot >= in->final_slot &&
            e->dst_slot < in->final_slot + in->nslots)
            return true;
    }
    return false;
}

/* Takes out what has not happened.  The step's own events stay as they are. */
static void
lose_events(struct world_step *step, const struct program *p,
            const uint32_t *done)
{
    struct event *kept = mem_new(step->count + 1, sizeof *kept);
    size_t count = 0;

    for (size_t i = 0; i < step->count; i++)
        if (has_happened(p, done, &step->events[i]))
            kept[count++] = step->events[i];
        else if (step->events[i].slice == 0)
            step->slots_done -= (size_t)step->events[i].nslots;
    step->events = kept;
    step->count = count;
}

/* Whether a transfer between two ranks is missing; other -1: any rank. */
static bool
is_missing(const struct world *w, int rank, int other)
{
    for (int step = w->position + 1; step <= w->nsteps; step++) {
        size_t count;
        const struct transfer *t =
            schedule_transfers(w->schedule, step, &count);
        for (size_t i = 0; i < count; i++) {
            int peer = t[i].src == rank ? t[i].dst : t[i].src;
            bool takes_part = t[i].src == rank || t[i].dst == rank;
            if (takes_part && peer != rank && (other < 0 || peer == other) &&
                !is_known(&w->steps[step], &t[i]))
                return true;
        }
    }
    return false;
}

struct tally {
    int runs, held; /* those that are held up */
    int missed;     /* the dead rank is not named */
    int others;     /* ranks that are named besides it */
    int astray;     /* arrows that lead to no rank that is named */
    int beside;     /* arrows that follow no missing transfer, although the
                     * rank has some */
};

static void
judge(const struct world *w, int dead, const char *name, struct tally *tally)
{
    struct scene s = {.world = w, .awaited_ns = 2 * HOLDUP_NS};
    struct holdup h;

    tally->runs++;
    if (!holdup_of(&s, &h))
        return;
    tally->held++;
    if (!h.ranks[dead].guilty)
        diag("%s: %d is dead, and not named", name, dead);
    tally->missed += !h.ranks[dead].guilty;
    for (int rank = 0; rank < GPUS; rank++) {
        int at = rank, to = h.ranks[rank].waits_for;
        bool beside = to >= 0 && is_missing(w, rank, -1) &&
                      !is_missing(w, rank, to);
        for (int i = 0; i < GPUS && h.ranks[at].waits_for >= 0; i++)
            at = h.ranks[at].waits_for;
        tally->others += rank != dead && h.ranks[rank].guilty;
        tally->astray += to >= 0 && !h.ranks[at].guilty;
        tally->beside += beside;
        if (to >= 0 && !h.ranks[at].guilty)
            diag("%s: %d is dead, %d waits for %d", name, dead, rank, to);
    }
}

static void
kill_rank(struct world *w, const struct program *p, int dead, const char *name,
          struct tally *tally)
{
    struct world_step *all =
        mem_new((size_t)w->nsteps + 2, sizeof *all);
    uint32_t done[GPUS] = {0};

    memcpy(all, w->steps, ((size_t)w->nsteps + 2) * sizeof *all);
    if (w->own_run.free)
        run_to(p, done, dead, p->nsteps);
    for (int step = 1, stuck = 0; step <= w->nsteps; step++) {
        if (!w->own_run.free && !stuck)
            run_to(p, done, dead, step);
        lose_events(&w->steps[step], p, done);
        stuck = stuck || !world_step_complete(w, step);
    }
    w->position = world_complete_steps(w);
    judge(w, dead, name, tally);
    for (int step = 1; step <= w->nsteps; step++)
        free(w->steps[step].events);
    memcpy(w->steps, all, ((size_t)w->nsteps + 2) * sizeof *all);
    free(all);
}

static void
test_algorithms(bool free_pace, int most_others, int most_beside)
{
    static const char *names[] = {
        "flat-broadcast", "chain-broadcast", "binomial-broadcast",
        "flat-reduce", "chain-reduce", "binomial-reduce", "flat-gather",
        "binomial-gather", "ring-allgather", "ring-allreduce",
        "tree-allreduce", "butterfly-allreduce",
    };
    const char *pace = free_pace ? "free" : "lockstep";
    struct tally t = {0};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct job *job = complete_run(names[i]);
        struct world *w = job->session.world;
        struct program *p = program_lower(w->schedule);
        world_seek(w, 0);
        w->own_run.free = free_pace;
        w->has_end = false;
        for (int dead = 0; dead < GPUS; dead++)
            kill_rank(w, p, dead, names[i], &t);
        program_free(p);
        job_free(job);
    }
    is_int(t.held, t.runs, "%s: a dead rank stops every run", pace);
    is_int(t.missed, 0, "%s: it is among those who hold the run up", pace);
    ok(t.others <= most_others, "%s: others are named %d times in %d runs",
       pace, t.others, t.held);
    is_int(t.astray, 0, "%s: arrows lead to ranks that hold it up", pace);
    ok(t.beside <= most_beside, "%s: %d do not follow a missing transfer", pace,
       t.beside);
}

int
main(void)
{
    /* Often a missing transfer does not show which of its ends is dead. */
    test_algorithms(false, 26, 2);
    test_algorithms(true, 26, 0);
    return done_testing();
}
