/* SPDX-License-Identifier: MIT */
/* What a deliberate fault spoils: runs of every algorithm with a fault are
 * compared with the same runs without one.  A slot is said to be wrong exactly
 * if its contributions or its values differ.  The order of addition of every
 * slot has the contributions that its ledger has. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"
#include "model/world.h"
#include "play/job.h"
#include "play/play.h"
#include "tap.h"

OWN_FREE(job)

struct tally {
    int runs, wrong, missed, blamed, misordered;
};

/* A finished run, or NULL if the options are refused. */
static struct job *
run(const char *name, bool out_of_place, const char *fault)
{
    const char *words[] = {"collviz", name,      "--backend", "threads",
                           "--gpus",  "6",       "--type",    "int64",
                           "--fault", fault,     NULL};
    OWN(options) o;
    struct job *job = NULL;
    struct err err;

    if (!options_parse(&o, fault != NULL ? 10 : 8, (char **)words, &err))
        die("%s", err.text);
    o.out_of_place = out_of_place;
    if ((job = job_new(plan_new(o.operands[0], NULL, &o, &err))) != NULL &&
        (!job_start(job, true, &err) ||
         !play_through(&job->session, job->plan->run.free, &err)))
        die("%s: %s", name, err.text);
    return job;
}

static bool
same_content(const struct world *a, const struct world *b, int rank, int slot)
{
    return memcmp(world_row(a, rank, slot), world_row(b, rank, slot),
                  (size_t)content_words(a->schedule->nranks) *
                      sizeof(uint64_t)) == 0;
}

/* Whether the order of addition names each contribution of a slot as often as
 * its ledger, and has a "?" where the ledger is spoilt. */
static bool
order_is_ledger(const struct world *w, int rank, int slot)
{
    const struct ledger_entry *row =
        (const struct ledger_entry *)world_row(w, rank, slot);
    int left[LEDGER_RANKS] = {0};
    OWN(buf) text = {0};
    bool same = true, spoilt = false;

    order_text(w, rank, slot, 1 << 16, &text);
    for (int i = 0; i < w->schedule->nranks; i++) {
        left[i] = row[i].times;
        spoilt |= row[i].times > 0 && row[i].chunk == LEDGER_MIXED;
    }
    for (const char *c = buf_text(&text); *c != '\0'; c++)
        if (isupper((unsigned char)*c)) {
            int origin = *c - 'A';
            left[origin]--;
            same = same && (spoilt || atoi(c + 1) == row[origin].chunk);
        }
    for (int i = 0; i < w->schedule->nranks; i++)
        same = same && left[i] == 0;
    same = same && (!spoilt || strchr(buf_text(&text), '?') != NULL);
    if (!same)
        diag("rank %d, slot %d: its order is '%s'", rank, slot,
             buf_text(&text));
    return same;
}

static void
compare(struct world *clean, struct world *faulty, const char *what,
        struct tally *tally)
{
    const struct schedule *s = clean->schedule;
    int cells = s->nranks * s->nslots;

    tally->runs++;
    for (int step = 0; step <= s->nsteps; step++) {
        world_seek(clean, step);
        world_seek(faulty, step);
        for (int i = 0; i < cells; i++) {
            int rank = i / s->nslots, slot = i % s->nslots;
            bool same = same_content(clean, faulty, rank, slot);
            bool wrong = world_is_wrong(faulty, step, rank, slot);
            tally->wrong += wrong;
            tally->missed += !same && !wrong;
            tally->blamed += same && wrong;
            tally->misordered += !order_is_ledger(faulty, rank, slot);
            if (same == wrong)
                diag("%s: step %d, rank %d, slot %d is %s", what, step, rank,
                     slot, same ? "right" : "wrong");
        }
    }
}

static void
test_fault(struct job *clean, const char *name, bool out_of_place,
           const char *kind, int step, int src, struct tally *tally)
{
    char fault[64], what[256];
    OWNS(job) *faulty = NULL;

    snprintf(fault, sizeof fault, "%s:%d:%d", kind, step, src);
    if ((faulty = run(name, out_of_place, fault)) == NULL)
        return;
    snprintf(what, sizeof what, "%s%s %s", name,
             out_of_place ? " out of place" : "", fault);
    compare(clean->session.world, faulty->session.world, what, tally);
}

static void
test_algorithm(const char *name, bool out_of_place, const char *kind,
               struct tally *tally)
{
    OWNS(job) *clean = run(name, out_of_place, NULL);
    struct world *w = clean->session.world;

    for (int step = 1; step <= w->nsteps && step <= 5; step++)
        test_fault(clean, name, out_of_place, kind, step,
                   (5 * step + 1) % w->schedule->nranks, tally);
}

static void
test_kind(const char *kind)
{
    const struct algorithm *a;
    struct tally tally = {0};

    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s-%s", a->name, a->collective);
        test_algorithm(name, false, kind, &tally);
        test_algorithm(name, true, kind, &tally);
    }
    ok(tally.runs > 30 && tally.wrong > 100,
       "%s: %d runs, %d slots are wrong", kind, tally.runs, tally.wrong);
    is_int(tally.missed, 0, "%s: no other slot is", kind);
    is_int(tally.blamed, 0, "%s: all of these are", kind);
    is_int(tally.misordered, 0, "%s: orders have what ledgers have", kind);
}

/* Where a rank reduces some chunks and copies others in one step, a repetition
 * hurts only those that are reduced. */
static void
test_mixed(void)
{
    static const char name[] = "tree-allreduce";
    OWNS(job) *clean = run(name, false, NULL);
    struct world *w = clean->session.world;
    struct tally tally = {0};

    for (int step = 1; step <= w->nsteps; step++)
        for (int src = 0; src < w->schedule->nranks; src++)
            test_fault(clean, name, false, "repeat", step, src, &tally);
    ok(tally.runs > 10 && tally.wrong > 0, "%s: %d repeated steps", name,
       tally.runs);
    is_int(tally.missed + tally.blamed, 0, "spoil what is said to be wrong");
}

int
main(void)
{
    test_kind("drop");
    test_kind("repeat");
    test_kind("corrupt");
    test_mixed();
    return done_testing();
}
