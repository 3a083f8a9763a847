/* SPDX-License-Identifier: MIT */
/* Schedules that are broken on purpose (run/breaks.h): of every kind, with
 * many algorithms, numbers of ranks and seeds.  The proof refutes each, a run
 * of it is wrong or hangs, and taking the change back mends it. */
#include <string.h>

#include "play/job.h"
#include "play/play.h"
#include "schedule/check.h"
#include "schedules.h"

OWN_FREE(job)

enum { SEEDS = 3 };

static const char *const names[] = {
    "ring-allreduce", "tree-allreduce", "halving-doubling-allreduce",
    "reduce-broadcast-allreduce", "ring-allgather",
    "recursive-doubling-allgather", "recursive-halving-reduce-scatter",
    "binomial-broadcast", "chain-broadcast", "binomial-reduce",
    "binomial-gather", "binomial-scatter", NULL};

struct tally {
    int made, unproved, shown, undone, found, again;
};

/* A job with these options, which is NULL if they are refused. */
static struct job *
job_of(const char *name, int nranks, const char *broken, struct err *err)
{
    char gpus[8];
    const char *words[] = {"collviz", name,     "--backend", "threads",
                           "--gpus",  gpus,     "--broken",  broken, NULL};
    OWN(options) o;

    snprintf(gpus, sizeof gpus, "%d", nranks);
    if (!options_parse(&o, 8, (char **)words, err))
        die("%s", err->text);
    return job_new(plan_new(name, NULL, &o, err));
}

static bool
ends_well(struct job *job)
{
    struct err err;

    if (!job_start(job, true, &err) ||
        !play_through(&job->session, job->plan->run.free, &err))
        die("%s: %s", job->plan->name, err.text);
    return result_right(&job->session.world->result);
}

static void
look(const char *name, int nranks, const char *broken, struct tally *tally)
{
    struct err err;
    OWNS(job) *job = job_of(name, nranks, broken, &err);
    OWNS(job) *again = job_of(name, nranks, broken, &err);
    const struct broken *b;
    struct edit undone, nothing = {.step = 1, .index = -1};
    struct transfer t;

    if (job == NULL)
        return;
    b = &job->plan->broken;
    undone = break_undone(b, &t);
    tally->made++;
    tally->unproved +=
        !break_mends(b, &nothing, &err) && err.text[0] != '\0' &&
        (b->rank >= 0 || !schedule_check(b->schedule, 0, NULL, &err)) &&
        schedule_check(b->whole, 0, NULL, &err);
    tally->undone += break_mends(b, &undone, &err);
    tally->found += break_mends_at(b, undone.step, t.src, t.dst);
    tally->again += memcmp(&again->plan->broken.edit, &b->edit,
                           sizeof b->edit) == 0;
    tally->shown += !ends_well(job);
    if (job->session.world->has_result &&
        result_right(&job->session.world->result))
        diag("%s --gpus %d --broken %s is right", name, nranks, broken);
}

static void
test_kind(const char *kind)
{
    struct tally tally = {0};
    int algorithms = 0;
    char broken[32];

    for (int i = 0; names[i] != NULL; i++) {
        int before = tally.made;
        for (int nranks = 3; nranks <= 7; nranks++)
            for (int seed = 0; seed < SEEDS; seed++) {
                snprintf(broken, sizeof broken, "%s:%d", kind, seed);
                look(names[i], nranks, broken, &tally);
            }
        algorithms += tally.made > before;
    }
    ok(algorithms >= 4 && tally.made >= 60,
       "%s: %d runs of %d algorithms are broken", kind, tally.made, algorithms);
    is_int(tally.unproved, tally.made, "%s: the proof refutes each", kind);
    is_int(tally.shown, tally.made, "%s: each ends wrong, or hangs", kind);
    is_int(tally.undone, tally.made, "%s: the change can be taken back", kind);
    is_int(tally.found, tally.made, "%s: where it can be is found", kind);
    is_int(tally.again, tally.made, "%s: a seed always breaks the same", kind);
}

/* What a broken schedule is not: mended where nothing is wrong. */
static void
test_elsewhere(void)
{
    struct err err;
    OWNS(job) *job = job_of("ring-allreduce", 4, "slot:3", &err);
    const struct broken *b = &job->plan->broken;
    struct transfer t;
    struct edit undone = break_undone(b, &t);
    int places = 0, there = 0;

    for (int step = 1; step <= b->schedule->nsteps; step++)
        for (int i = 0; i < 16; i++) {
            bool mends = break_mends_at(b, step, i / 4, i % 4);
            places += mends;
            there += mends && step == undone.step;
        }
    ok(there > 0, "it is mended in its step");
    ok(places < 5, "of 96 places, only %d can mend it", places);
    undone.put.dst_slot = undone.put.add_slot = b->edit.put.dst_slot;
    ok(!break_mends(b, &undone, &err) && strstr(err.text, "rank") != NULL,
       "half a mend is none: %s", err.text);
}

/* Where sends block, the lower of two ranks sends first: in odd steps. */
static void
test_turns(void)
{
    struct err err;
    OWNS(job) *job = job_of("halving-doubling-allreduce", 4, "deadlock:3",
                            &err);
    const struct schedule *s = job->plan->broken.whole;
    int early = 0;

    for (int step = 1; step <= s->nsteps; step++) {
        size_t count;
        const struct transfer *t = schedule_transfers(s, step, &count);
        for (size_t i = 0; i < count; i++)
            early += (t[i].src < t[i].dst) != (step % 2 == 1);
    }
    is_int(early, 0, "the lower rank sends first");
    is_int(s->nsteps, 8, "each step of the algorithm is two");
}

/* Where one rank takes two steps in the other order, it is mended only at
 * transfers that stand where they are said to be. */
static void
test_listed(void)
{
    int mended = 0, listed = 0;

    for (int seed = 0; seed < 20; seed++) {
        char broken[32];
        struct err err;
        snprintf(broken, sizeof broken, "deadlock:%d", seed);
        OWNS(job) *job = job_of("recursive-doubling-allgather", 8, broken,
                                &err);
        for (int step = 1; step <= job->schedule->nsteps; step++)
            for (int i = 0; i < 64; i++) {
                size_t count;
                const struct transfer *t =
                    schedule_transfers(job->schedule, step, &count);
                if (!break_mends_at(&job->plan->broken, step, i / 8, i % 8))
                    continue;
                while (count > 0 && (t->src != i / 8 || t->dst != i % 8))
                    t++, count--;
                mended++;
                listed += count > 0;
            }
    }
    ok(mended >= 20, "deadlocks are mended at %d places", mended);
    is_int(listed, mended, "each stands in the schedule that is shown");
}

static void
test_refused(void)
{
    struct err err;

    ok(job_of("ring-allgather", 4, "op:1", &err) == NULL,
       "an all-gather has nothing to add: %s", err.text);
    ok(job_of("ring-allreduce", 4, "root:1", &err) == NULL,
       "an all-reduce has no root: %s", err.text);
    ok(job_of("ring-allreduce", 1, "lost:1", &err) == NULL,
       "one rank does nothing that can be broken: %s", err.text);
}

int
main(void)
{
    for (int kind = 0; kind < BREAK_KINDS; kind++)
        test_kind(break_names[kind]);
    test_elsewhere();
    test_turns();
    test_listed();
    test_refused();
    return done_testing();
}
