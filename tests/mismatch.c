/* SPDX-License-Identifier: MIT */
/* Mismatches: who waits for whom, on cases whose outcome is known; and every
 * mismatch of every algorithm on few ranks, predicted, run and filmed. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/signals.h"
#include "schedules.h"
#include "canvas_text.h"
#include "play/film.h"
#include "play/job.h"
#include "play/play.h"
#include "run/machine.h"
#include "run/nccl_slices.h"
#include "run/waits.h"
#include "tap.h"
#include "why.h"

enum { ELEMENTS = 12 };

/* Deals out a run; the caller frees the shares, and *waits. */
static struct share **
shares_of(const struct schedule *s, int64_t count, const struct mismatch *m,
          struct waits **waits)
{
    struct run_options o = {.input.count = count, .watched = true,
                            .mismatch = m};
    struct share **shares = mem_new((size_t)s->nranks, sizeof *shares);

    share_out(s, &o, shares, waits);
    return shares;
}

static void
free_shares(struct share **shares, int nranks)
{
    for (int rank = 0; rank < nranks; rank++)
        free(shares[rank]);
    free(shares);
}

/* Appends what is wrong in the end; returns whether the run hangs. */
static bool
predict(const struct mismatch *m, int64_t count, bool buffered,
        struct buf *out)
{
    int nranks = m->theirs->nranks;
    struct waits *w;
    struct share **shares = shares_of(m->theirs, count, m, &w);
    struct wrong wrong = {WRONG_NOTHING};
    int *steps = mem_new((size_t)nranks, sizeof *steps);
    bool hangs;

    for (int rank = 0; rank < nranks; rank++)
        steps[rank] = 1;
    waits_settle(w, buffered, steps);
    hangs = waits_hang(w, buffered, steps, &wrong);
    if (!hangs)
        waits_unfit(w, &wrong);
    wrong_text(&wrong, out);
    free_shares(shares, nranks);
    free(steps);
    waits_free(w);
    return hangs;
}

static struct schedule *
rooted(const char *name, int nranks, int root)
{
    return build(name, &(struct coll_options){
                           .nranks = nranks, .root = root, .in_place = true});
}

/* A known outcome. */
static const struct known {
    const char *theirs, *its;
    int nranks, rank, its_root;
    int64_t its_count; /* theirs is ELEMENTS */
    const char *outcome, *unbuffered; /* NULL: the same */
} knowns[] = {
    {"ring-allreduce", "ring-allreduce", 3, 1, 0, ELEMENTS, "", NULL},
    /* Ranks exchange the same messages under two names. */
    {"butterfly-allreduce", "hypercube-allreduce", 4, 1, 0, ELEMENTS, "",
     NULL},
    /* Both want the other to begin. */
    {"scatter", "scatter", 3, 0, 2, ELEMENTS,
     "the run hangs: rank 0 waits for rank 2 (step 2), rank 2 waits for rank 0 "
     "(step 1): a cycle; 1 more waits", NULL},
    /* Rank 3 asks the wrong parent.  Unless messages are buffered, the right
     * one waits for it. */
    {"binomial-broadcast", "binomial-broadcast", 4, 3, 1, ELEMENTS,
     "the run hangs: rank 3 waits for rank 1 (step 1), rank 1 has finished",
     "the run hangs: rank 2 waits until rank 3 receives (step 2), rank 3 waits "
     "for rank 1 (step 1), rank 1 has finished"},
    /* Both are roots. */
    {"chain-broadcast", "chain-broadcast", 3, 1, 1, ELEMENTS,
     "rank 1 never receives what rank 0 sends it in step 1",
     "the run hangs: rank 0 waits until rank 1 receives (step 1), rank 1 has "
     "finished"},
    {"gather", "gather", 3, 1, 2, ELEMENTS,
     "the run hangs: rank 0 waits for rank 1 (step 1), rank 1 has finished",
     "the run hangs: rank 0 waits for rank 1 (step 1), rank 1 waits until rank "
     "2 receives (step 2), rank 2 waits until rank 0 receives (step 2): a "
     "cycle"},
    /* A sum of all does not fit into half the memory. */
    {"server-allreduce", "server-allreduce", 3, 1, 0, ELEMENTS / 2,
     "the run stops: rank 1 stopped at a message of 12 elements from rank 0 "
     "where it expects 6 (step 2)", NULL},
    {"reduce", "reduce", 3, 1, 0, 1,
     "rank 0 expects 12 elements in step 1, rank 1 sends 1", NULL},
    /* The step is the receiver's; the message is sent in step 1. */
    {"flat-broadcast", "binomial-broadcast", 3, 1, 0, 2 * ELEMENTS,
     "rank 1 expects 24 elements in step 2, rank 0 sends 12", NULL},
    /* What rank 2 expects first, from rank 1, never comes. */
    {"server-allreduce", "naive-allreduce", 3, 2, 0, ELEMENTS / 2,
     "the run stops: rank 2 stopped at a message of 12 elements from rank 0 "
     "where it expects 6 (step 1)", NULL},
};

static void
test_known(void)
{
    for (size_t i = 0; i < sizeof knowns / sizeof *knowns; i++) {
        const struct known *k = &knowns[i];
        OWNS(schedule) *theirs = rooted(k->theirs, k->nranks, 0);
        OWNS(schedule) *its = rooted(k->its, k->nranks, k->its_root);
        struct mismatch m = {.rank = k->rank, .theirs = theirs, .its = its,
                             .its_count = k->its_count};
        for (int buffered = 0; buffered < 2; buffered++) {
            OWN(buf) text = {0};
            predict(&m, ELEMENTS, buffered, &text);
            is_str(buf_text(&text),
                   buffered || k->unbuffered == NULL ? k->outcome
                                                     : k->unbuffered,
                   "%s on %d ranks, rank %d: %s, root %d, count %d%s",
                   k->theirs, k->nranks, k->rank, k->its, k->its_root,
                   (int)k->its_count, buffered ? ", buffered" : "");
        }
    }
}

/* Outcomes by NCCL's rules.  A chunk of a ring has 524288 elements of float32,
 * one of others 131072; a sender may be 4 and 8 slices ahead. */
static const struct {
    const char *theirs, *its;
    int nranks, rank, its_root;
    int64_t count, its_count;
    const char *outcome;
} ncclish[] = {
    {"ring-allreduce", "ring-allreduce", 8, 0, 0, 409598, 409600,
     "rank 1 expects 51198 elements in step 1, rank 0 sends 51200"},
    {"ring-allreduce", "ring-allreduce", 8, 0, 0, 32768000, 409600,
     "the run hangs: rank 1 waits for rank 0 (step 2), rank 0 has finished; 6 "
     "more wait"},
    /* The last chunk that is the same, and the first that is another one. */
    {"flat-broadcast", "flat-broadcast", 2, 1, 0, 131072, 1,
     "rank 1 expects 1 element in step 1, rank 0 sends 131072"},
    {"flat-broadcast", "flat-broadcast", 2, 1, 0, 131073, 131072,
     "rank 1 never receives what rank 0 sends it in step 1"},
    {"flat-broadcast", "flat-broadcast", 2, 1, 0, 131072, 131073,
     "the run hangs: rank 1 waits for rank 0 (step 1), rank 0 has finished"},
    /* The sender fills all places, and one more. */
    {"flat-broadcast", "flat-broadcast", 2, 1, 0, 9 * 131072, 131072,
     "rank 1 never receives what rank 0 sends it in step 1"},
    {"flat-broadcast", "flat-broadcast", 2, 1, 0, 9 * 131072 + 1, 131072,
     "the run hangs: rank 0 waits until rank 1 receives (step 1), rank 1 has "
     "finished"},
    /* Both are roots: what is sent fits into the places, or not. */
    {"flat-broadcast", "flat-broadcast", 2, 1, 1, 8 * 131072, 8 * 131072,
     "rank 1 never receives what rank 0 sends it in step 1"},
    {"flat-broadcast", "flat-broadcast", 2, 1, 1, 8 * 131072 + 1,
     8 * 131072 + 1,
     "the run hangs: rank 0 waits until rank 1 receives (step 1), rank 1 waits "
     "until rank 0 receives (step 1): a cycle"},
    /* A message without elements has a chunk, too. */
    {"flat-broadcast", "flat-broadcast", 2, 1, 0, 131072, 0,
     "rank 1 expects 0 elements in step 1, rank 0 sends 131072"},
};

static void
test_nccl(void)
{
    for (size_t i = 0; i < sizeof ncclish / sizeof *ncclish; i++) {
        OWNS(schedule) *theirs = rooted(ncclish[i].theirs, ncclish[i].nranks,
                                        0);
        OWNS(schedule) *its = rooted(ncclish[i].its, ncclish[i].nranks,
                                     ncclish[i].its_root);
        struct mismatch m = {.rank = ncclish[i].rank, .theirs = theirs,
                             .its = its, .its_count = ncclish[i].its_count,
                             .rules = RULES_NCCL};
        OWN(buf) text = {0};

        theirs->align = its->align = 4;
        predict(&m, ncclish[i].count, true, &text);
        is_str(buf_text(&text), ncclish[i].outcome, "%s, rank %d: %lld of "
               "%lld", ncclish[i].its, m.rank, (long long)m.its_count,
               (long long)ncclish[i].count);
    }
}

/* A receiver that expects more than was sent finds what an earlier slice left:
 * as in NVIDIA/nccl issue 1417, where the inputs are 1 and the last two of rank
 * 0 are 6 instead of 8, there are the inputs of six ranks, those of the slice
 * two messages before. */
static void
test_left(void)
{
    enum { N = 8, PART = 51200, SIX = 2 };
    OWNS(schedule) *theirs = rooted("ring-allreduce", N, 0);
    OWNS(schedule) *its = rooted("ring-allreduce", N, 0);
    struct mismatch m = {.rank = 0, .theirs = theirs, .its = its,
                         .its_count = N * PART, .rules = RULES_NCCL};
    struct run_options o = {.input.count = N * PART - 2, .watched = true,
                            .mismatch = &m};
    struct rank_slots found;
    struct err err = {.text = ""};
    int64_t at_ns;
    bool idle;
    void *run;

    theirs->align = its->align = 4;
    run = machine_exchange.new(theirs, &o, &err);
    ok(machine_exchange.grant(run, theirs->nsteps, &at_ns, &err) &&
           machine_exchange.look(run, &idle, &err) && idle &&
           machine_exchange.fetch(run, &found, &err),
       "a ring with another count ends");
    for (int rank = 0; rank < 2; rank++)
        for (int i = PART - 3; i < PART - 2 * rank; i++) {
            const float *last = (const float *)found.slots[rank * N + 7].data;
            bool there = i < PART - 2;
            float sum = 0, input;
            for (int from = there ? 0 : SIX; from < N; from++) {
                input_elements(&o.input, from, (there ? 7 : 1) * PART + i, 1,
                               &input);
                sum += input;
            }
            is_int((int)last[i], (int)sum, "rank %d, element %d of the last "
                   "part: %s", rank, i, there ? "of all" : "of six ranks");
        }
    machine_exchange.free(run);
}

/* How messages are cut. */
static void
test_slices(void)
{
    static const struct {
        const char *collective;
        int64_t length;
        const char *slices;
    } cuts[] = {
        {"allreduce", 0, "0+0 0+0"},
        {"allreduce", 1, "0+1 1+0"},
        {"allreduce", 8192, "0+8192 8192+0"},
        {"allreduce", 51198, "0+25600 25600+25598"},
        {"allreduce", 524288, "0+262144 262144+262144"},
        {"reduce-scatter", 524289,
         "0+262144 262144+262144 524288+1 524289+0"},
        {"allgather", 40000, "0+20000 20000+20000"},
        {"allgather", 20001, "0+10016 10016+9985"},
        {"reduce", 131072, "0+131072"},
        {"broadcast", 131073, "0+131072 131072+1"},
        {"alltoall", 0, "0+0"},
    };

    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        struct nccl_cut c =
            nccl_cut_of(collective_find(cuts[i].collective), 4);
        OWN(buf) text = {0};
        int64_t from;

        for (int64_t k = 0; k < nccl_slices(&c, cuts[i].length); k++) {
            int64_t length = nccl_slice(&c, cuts[i].length, k, &from);
            buf_addf(&text, "%s%lld+%lld", k > 0 ? " " : "", (long long)from,
                     (long long)length);
        }
        is_str(buf_text(&text), cuts[i].slices, "%lld elements of %s",
               (long long)cuts[i].length, cuts[i].collective);
        is_int(c.ahead * (c.slices == 2 ? 2 : 1), 8, "a sender fills 8 places");
    }
}

/* What is shown of a mismatched run keeps its wiring only if all ranks are
 * wired alike; every transfer has a link. */
static void
test_wiring(const char *theirs, const char *its, int its_root,
            enum topology_kind expected)
{
    OWNS(schedule) *four = rooted(theirs, 4, 0);
    OWNS(schedule) *other = rooted(its, 4, its_root);
    struct mismatch m = {.rank = 3, .theirs = four, .its = other,
                         .its_count = ELEMENTS};
    struct err err = {.text = ""};
    OWNS(schedule) *seen = mismatch_seen(&m, &err);
    int missing = 0;

    for (int step = 1; step <= seen->nsteps; step++) {
        size_t count;
        const struct transfer *t = schedule_transfers(seen, step, &count);
        for (size_t i = 0; i < count; i++)
            missing += !topology_links(&seen->topology, seen->nranks,
                                       seen->root, t[i].src, t[i].dst);
    }
    is_int(seen->topology.kind, expected, "%s beside %s, root %d: the wiring",
           theirs, its, its_root);
    is_int(missing, 0, "which has a link for every transfer");
}

/* The lengths of a rank's messages to or from a peer, as text. */
static void
list_messages(const struct share *s, int peer, bool sends, struct buf *out)
{
    const struct message *m = sends ? s->sends : s->receives;

    for (size_t i = 0; i < (sends ? s->nsends : s->nreceives); i++)
        if (m[i].peer == peer)
            buf_addf(out, "%lld ", (long long)m[i].length);
}

/* Whether its rank exchanges the same messages in either schedule. */
static bool
agrees(const struct mismatch *m, int64_t count)
{
    int nranks = m->theirs->nranks;
    struct waits *none;
    struct share **its = shares_of(m->its, m->its_count, NULL, &none);
    struct share **theirs = shares_of(m->theirs, count, NULL, &none);
    bool same = true;

    for (int peer = 0; peer < nranks; peer++)
        for (int sends = 0; sends < 2; sends++) {
            OWN(buf) one = {0}, other = {0};
            list_messages(its[m->rank], peer, sends, &one);
            list_messages(theirs[m->rank], peer, sends, &other);
            same = same && strcmp(buf_text(&one), buf_text(&other)) == 0;
        }
    free_shares(its, nranks);
    free_shares(theirs, nranks);
    return same;
}

static struct {
    int runs, hangs, unfit, correct, films, endless, mute;
    struct buf stuck; /* where runs stood that were filmed, one a line */
} seen;

/* Films a run that hangs: the film ends, and its last picture says so.  One of
 * those of an algorithm that stand in the same place is enough. */
static void
film(struct session *s, const char *what)
{
    enum { FRAMES_MOST = 2000 };
    const struct world *w = s->world;
    OWN(film) f;
    OWN(buf) last = {0};
    OWN(buf) place = {0};
    int frames = 0;

    buf_addf(&place, "\n%.*s %d %.13s\n", (int)strcspn(what, "="), what,
             world_complete_steps(w), why_of(&w->result.first_wrong));
    film_init(&f, s, 80, 24, GLYPHS_ASCII);
    if (strstr(buf_text(&seen.stuck), buf_text(&place)) != NULL)
        return;
    buf_puts(&seen.stuck, buf_text(&place));
    seen.films++;
    while (frames < FRAMES_MOST && film_next(&f))
        frames++;
    canvas_text(&f.canvas, &last);
    if (frames == FRAMES_MOST) {
        seen.endless++;
        diag("%s: the film does not end", what);
    } else if (strstr(buf_text(&last), " 8 hangs ") == NULL &&
               strstr(buf_text(&last), " WRONG  the run stops: ") == NULL) {
        seen.mute++;
        diag("%s: the film ends with\n%s", what, buf_text(&last));
    }
}

static void
judge(struct job *j, const char *what)
{
    const struct world *w = j->session.world;
    OWN(buf) text = {0};
    bool hangs = predict(&j->plan->mismatch, j->plan->run.input.count, true,
                         &text);
    bool wrong = w->has_result && !w->result.correct;

    seen.runs++;
    seen.hangs += hangs;
    seen.unfit += !hangs && text.length > 0;
    seen.correct += w->has_result && w->result.correct;
    if (!w->has_end || !w->has_result || w->result.hangs != hangs ||
        w->complete == hangs)
        ok(false, "%s: predicted '%s', ended with '%s'", what,
           buf_text(&text), why_of(&w->result.first_wrong));
    else if (hangs &&
             strcmp(why_of(&w->result.first_wrong), buf_text(&text)) != 0)
        is_str(why_of(&w->result.first_wrong), buf_text(&text), "%s", what);
    else if (text.length > 0 && !wrong)
        ok(false, "%s: '%s', and yet correct", what, buf_text(&text));
    else if (!wrong && !agrees(&j->plan->mismatch, j->plan->run.input.count))
        ok(false, "%s: correct, though other messages are exchanged", what);
    if (hangs)
        film(&j->session, what);
}

/* Runs an algorithm with a mismatch, if that makes sense. */
static void
try_by(const char *rules, const char *count, const char *name,
       const char *gpus, const char *op, const char *mismatch)
{
    const char *argv[] = {"collviz", "--gpus", gpus, "--backend", "threads",
                          "--count", count, "--mismatch", mismatch, "--rules",
                          rules, "--op", op, NULL};
    const struct algorithm *a;
    bool reduces = coll_find(name, &a, NULL) &&
                   collective_find(a->collective)->reduces;
    struct options o;
    struct err err;
    struct job *j = NULL;
    char what[128];

    snprintf(what, sizeof what, "%s, %s ranks, %s by %s", name, gpus, mismatch,
             rules);
    if (options_parse(&o, reduces ? 13 : 11, (char **)argv, &err))
        j = job_new(plan_new(name, NULL, &o, &err));
    options_done(&o);
    if (j == NULL)
        return;
    if (!job_start(j, true, &err) || !play_through(&j->session, true, &err))
        ok(false, "%s: %s", what, err.text);
    else if (signals_ending() == 0)
        judge(j, what);
    signals_die(); /* which has cut the run short; that is no failure */
    job_free(j);
}

static void
try(const char *name, const char *gpus, const char *op, const char *mismatch)
{
    try_by("mpi", "12", name, gpus, op, mismatch);
    try_by("nccl", "12", name, gpus, op, mismatch);
}

static void
try_all(const struct algorithm *a, int nranks)
{
    static const int64_t counts[] = {0, 5, 11, 13, 40};
    char name[128], gpus[16], what[128];

    snprintf(name, sizeof name, "%s-%s", a->name, a->collective);
    snprintf(gpus, sizeof gpus, "%d", nranks);
    for (int rank = 0; rank < nranks; rank++) {
        for (int root = 1; root < nranks; root++) {
            snprintf(what, sizeof what, "%d=root:%d", rank, root);
            try(name, gpus, "sum", what);
        }
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            snprintf(what, sizeof what, "%d=count:%d", rank, (int)counts[i]);
            try(name, gpus, "avg", what);
        }
        for (int i = 0; coll_at(i) != NULL && coll_at(i)->script == NULL; i++) {
            snprintf(what, sizeof what, "%d=algorithm:%s-%s", rank,
                     coll_at(i)->name, coll_at(i)->collective);
            try(name, gpus, "max", what);
        }
    }
}

/* The same by NCCL's rules with messages of several chunks: predicted is what
 * happens also where the receiver takes the rest of a message for the next
 * one. */
static void
test_large(void)
{
    static const char *const names[] = {
        "ring-allreduce",  "tree-allreduce",   "server-allreduce",
        "flat-broadcast",  "binomial-reduce",  "ring-reduce-scatter",
        "chain-broadcast", "direct-alltoall"};
    static const char *const counts[] = {
        "0=count:1572865", "1=count:1572866", "2=count:2500000",
        "1=count:1179648", "0=count:1000", "2=root:1", "1=algorithm:flat"};
    int before = seen.hangs, runs = seen.runs;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
            try_by("nccl", "1572864", names[i], "3", "sum", counts[k]);
    ok(seen.runs > runs + 30 && seen.hangs > before + 10 &&
           seen.hangs < before + seen.runs - runs,
       "%d with messages of several chunks, of which %d hang",
       seen.runs - runs, seen.hangs - before);
}

static void
test_every(void)
{
    for (int i = 0; coll_at(i) != NULL && coll_at(i)->script == NULL; i++)
        for (int nranks = 2; nranks <= 4; nranks++)
            try_all(coll_at(i), nranks);
    diag("%d runs: %d hang, %d with messages that do not fit, %d correct",
         seen.runs, seen.hangs, seen.unfit, seen.correct);
    ok(seen.hangs > 100, "ranks that hang are predicted, and said so");
    ok(seen.films > 200, "%d of them are filmed", seen.films);
    is_int(seen.endless, 0, "and their films end");
    is_int(seen.mute, 0, "with a picture that says so");
    ok(seen.unfit > 100, "messages that do not fit make a run wrong");
    ok(seen.correct > 0, "only runs that exchange the same are correct");
}

int
main(void)
{
    test_known();
    test_nccl();
    test_slices();
    test_left();
    test_wiring("flat-broadcast", "flat-broadcast", 0, TOPOLOGY_STAR);
    test_wiring("flat-broadcast", "flat-broadcast", 1, TOPOLOGY_ANY);
    test_wiring("flat-broadcast", "chain-broadcast", 0, TOPOLOGY_ANY);
    test_every();
    test_large();
    return done_testing();
}
