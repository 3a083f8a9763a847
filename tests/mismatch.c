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
#include "run/waits.h"
#include "tap.h"

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
    int *steps = mem_new((size_t)nranks, sizeof *steps);
    bool hangs;

    for (int rank = 0; rank < nranks; rank++)
        steps[rank] = 1;
    waits_settle(w, buffered, steps);
    hangs = waits_hang(w, buffered, steps, out);
    if (!hangs)
        waits_unfit(w, out);
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
    struct err err = {""};
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
             world_complete_steps(w), w->result.first_wrong);
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
    } else if (strstr(buf_text(&last), "! the run hangs: ") == NULL &&
               strstr(buf_text(&last), "! the run stops: ") == NULL) {
        seen.mute++;
        diag("%s: the film ends with\n%s", what, buf_text(&last));
    }
}

static void
judge(struct job *j, const char *what)
{
    const struct world *w = j->session.world;
    OWN(buf) text = {0};
    bool hangs = predict(&j->mismatch, j->run.input.count, true, &text);
    bool wrong = w->has_result && !w->result.correct;

    seen.runs++;
    seen.hangs += hangs;
    seen.unfit += !hangs && text.length > 0;
    seen.correct += w->has_result && w->result.correct;
    if (!w->has_end || !w->has_result || w->result.hangs != hangs ||
        w->complete == hangs)
        ok(false, "%s: predicted '%s', ended with '%s'", what,
           buf_text(&text), w->result.first_wrong);
    else if (hangs && strcmp(w->result.first_wrong, buf_text(&text)) != 0)
        is_str(w->result.first_wrong, buf_text(&text), "%s", what);
    else if (text.length > 0 && !wrong)
        ok(false, "%s: '%s', and yet correct", what, buf_text(&text));
    else if (!wrong && !agrees(&j->mismatch, j->run.input.count))
        ok(false, "%s: correct, though other messages are exchanged", what);
    if (hangs)
        film(&j->session, what);
}

/* Runs an algorithm with a mismatch, if that makes sense. */
static void
try(const char *name, const char *gpus, const char *op, const char *mismatch)
{
    const char *argv[] = {"collviz", "--gpus", gpus, "--backend", "threads",
                          "--count", "12", "--op", op, "--mismatch",
                          mismatch, NULL};
    struct options o;
    struct err err;
    struct job *j = NULL;
    char what[128];

    snprintf(what, sizeof what, "%s, %s ranks, %s", name, gpus, mismatch);
    if (options_parse(&o, 11, (char **)argv, &err))
        j = job_new(name, &o, &err);
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
        for (int i = 0; coll_at(i) != NULL; i++) {
            snprintf(what, sizeof what, "%d=algorithm:%s-%s", rank,
                     coll_at(i)->name, coll_at(i)->collective);
            try(name, gpus, "max", what);
        }
    }
}

static void
test_every(void)
{
    for (int i = 0; coll_at(i) != NULL; i++)
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
    test_wiring("flat-broadcast", "flat-broadcast", 0, TOPOLOGY_STAR);
    test_wiring("flat-broadcast", "flat-broadcast", 1, TOPOLOGY_ANY);
    test_wiring("flat-broadcast", "chain-broadcast", 0, TOPOLOGY_ANY);
    test_every();
    return done_testing();
}
