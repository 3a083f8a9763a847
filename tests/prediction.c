/* SPDX-License-Identifier: MIT */
/* How long algorithms take by their model: the closed forms of their critical
 * paths are compared with simulations of their schedules. */
#include "play/prediction.h"

#include <math.h>

#include "schedule/simulation.h"
#include "schedules.h"
#include "tap.h"

enum { RANKS_MOST = 64, MANY_RANKS = 20, CHUNK = 1000 };

/* Messages, bytes and additions alone, and mixtures of them. */
static const struct network networks[] = {
    {.name = "messages", .alpha = 1000, .ports = 1},
    {.name = "bytes", .beta = 1, .ports = 1},
    {.name = "both", .alpha = 700, .beta = 1, .gamma = 0.25, .ports = 1},
    {.name = "slow to add", .alpha = 1000, .beta = 1, .gamma = 3, .ports = 1},
};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

static double
simulate(const struct schedule *s, const struct network *n, int64_t chunk)
{
    int units = collective_units(s->collective->input, schedule_members(s));

    return simulation_time(&(struct simulation_spec){
        .schedule = s, .count = chunk * s->pieces * units, .size = 1,
        .network = n});
}

static bool
is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* The number of networks on which the closed form is wrong. */
static int
compare(const struct algorithm *a, const struct coll_options *o,
        const struct path *path)
{
    struct err err;
    OWNS(schedule) *s = coll_build(a, o, &err);
    int wrong = 0;

    for (int i = 0; i < NETWORKS; i++) {
        const struct network *n = &networks[i];
        double closed = n->alpha * path->messages +
                        n->beta * path->chunks * CHUNK +
                        n->gamma * path->added * CHUNK;
        double simulated = simulate(s, n, CHUNK);
        if (is_near(closed, simulated))
            continue;
        diag("%s-%s on %d ranks, root %d, %d chunks, %s: %g in closed form, "
             "%g simulated", a->name, a->collective, o->nranks, o->root,
             o->chunks, n->name, closed, simulated);
        wrong++;
    }
    return wrong;
}

/* Whether a number of ranks is taken: all but those of MANY_RANKS on that are
 * far from the powers of two, where closed forms have their bends. */
static bool
is_taken(int nranks)
{
    return nranks <= MANY_RANKS || nranks == 24 || nranks == 40 ||
           (nranks & 31) <= 1 || (nranks & 31) == 31;
}

/* Numbers of ranks, the first root and the last one, in place and not (in turn
 * on many ranks), and pipelines of several depths. */
static void
test_closed_forms(const struct algorithm *a)
{
    bool rooted = collective_rooted(collective_find(a->collective));
    int wrong = 0, known = 0;

    for (int i = 0; i < 4 * RANKS_MOST; i++) {
        struct coll_options o = {.nranks = i / 4 + 1,
                                 .root = rooted && i & 2 ? i / 4 : 0,
                                 .chunks = a->chunks > 0 ? i % 7 : 0,
                                 .in_place = (i & 1) == 0};
        struct path path;
        struct err err;
        int pieces;
        if (!is_taken(o.nranks) ||
            (o.nranks > MANY_RANKS && i % 4 != o.nranks % 4) ||
            !coll_path(a, &o, &path, &pieces, &err))
            continue;
        known++;
        wrong += compare(a, &o, &path);
    }
    is_int(wrong, 0, "%s-%s: the closed form is what a simulation gives",
           a->name, a->collective);
    ok((known > 0) == (a->path != NULL), "on some numbers of ranks");
}

/* The time on `n` ranks, of the network at index i. */
static double
time_on(const struct algorithm *a, int n, int chunks, int i)
{
    struct coll_options o = {.nranks = n, .chunks = chunks, .in_place = true};
    struct err err;
    OWNS(schedule) *s = coll_build(a, &o, &err);

    return simulate(s, &networks[i], CHUNK);
}

/* By how much of the time it is off that each doubling from `from` ranks on
 * adds the same. */
static double
unsteady(const struct algorithm *a, int from, int chunks, int network)
{
    double expected = time_on(a, 2 * from, chunks, network);
    double added = expected - time_on(a, from, chunks, network), most = 0;

    for (int n = 4 * from; n <= SCHEDULE_RANKS_MAX; n *= 2) {
        double ns = time_on(a, n, chunks, network);
        expected += added;
        most = fmax(most, fabs(ns - expected) / ns);
    }
    return most;
}

static void
test_steady(const struct algorithm *a)
{
    enum { CHUNKS_MOST = 12 };
    bool exact = strcmp(a->name, "double-tree") != 0;
    int wrong = 0, looked = 0;

    for (int chunks = 1; chunks <= CHUNKS_MOST; chunks++) {
        for (int from = a->steady; 4 * from <= SCHEDULE_RANKS_MAX;
             from += from / 2) {
            int network = looked++ % NETWORKS;
            double off = unsteady(a, from, chunks, network);
            if (off > (exact ? 1e-9 : 0.08)) {
                diag("%s-%s, %d chunks, from %d ranks on, %s: %g", a->name,
                     a->collective, chunks, from, networks[network].name, off);
                wrong++;
            }
        }
    }
    is_int(wrong, 0, "%s-%s: each doubling of the ranks adds %s the same time",
           a->name, a->collective, exact ? "exactly" : "about");
    ok(looked > 0, "in some cases");
}

/* Whether a prediction is the time of a simulation of the same chunks. */
static bool
is_right(struct prediction *p, const struct algorithm *a,
         const struct coll_options *o, double bytes)
{
    struct err err;
    OWNS(schedule) *s = coll_build(a, o, &err);
    int input = collective_units(s->collective->input, o->nranks);
    int output = collective_units(s->collective->output, o->nranks);
    int64_t chunk = (int64_t)bytes / (input > output ? input : output) /
                    s->pieces;
    double simulated = simulate(s, p->network, chunk);
    double predicted = prediction_ns(p, (double)chunk * s->pieces *
                                            (input > output ? input : output));
    bool right = is_near(predicted, simulated);

    if (!right)
        diag("%s-%s on %d ranks, %s: %g predicted, %g simulated", a->name,
             a->collective, o->nranks, p->network->name, predicted, simulated);
    return right;
}

/* Where a rank has several ports, messages of different steps can overlap. */
static void
test_several_ports(const struct algorithm *a)
{
    static const struct network several[] = {
        {.name = "2 ports", .alpha = 700, .beta = 1, .gamma = 0.25, .ports = 2},
        {.name = "3 ports", .alpha = 700, .beta = 1, .gamma = 0.25, .ports = 3},
    };
    enum { RANKS = 17, SIZE = 1 << 20 };
    int wrong = 0, known = 0;

    for (int i = 0; i < 2 * RANKS; i++) {
        struct coll_options o = {.nranks = i / 2 + 1, .in_place = true};
        struct prediction p;
        struct err err;
        if (prediction_open(&p, a, &o, &several[i % 2], &err)) {
            known++;
            wrong += !is_right(&p, a, &o, SIZE);
        }
        prediction_close(&p);
    }
    is_int(wrong, 0, "%s-%s: a rank with several ports takes as long as "
           "simulated", a->name, a->collective);
    ok(known > 0, "on some numbers of ranks");
}

static double
predict(const char *name, int nranks, double bytes, const struct network *n,
        struct err *err)
{
    const struct algorithm *a;
    struct coll_options o = {.nranks = nranks, .in_place = true};
    struct prediction p = {0};
    double ns = NAN;

    if (coll_find(name, &a, err) && prediction_open(&p, a, &o, n, err))
        ns = prediction_ns(&p, bytes);
    prediction_close(&p);
    return ns;
}

static double
tree_time(int nranks)
{
    struct err err;

    return predict("tree-allreduce", nranks, 4 * CHUNK, &networks[2], &err);
}

static void
test_predictions(void)
{
    const struct network n = {.alpha = 1000, .beta = 2, .gamma = 3, .ports = 1};
    struct network links = n, ports = n;
    struct err err;

    is_int((int64_t)predict("ring-allreduce", 4, 4000, &n, &err),
           6 * 1000 + 6 * 2 * 1000 + 3 * 3 * 1000,
           "a ring of 4 ranks, worked out by hand");
    is_int((int64_t)predict("ring-allgather", 4, 4000, &n, &err),
           3 * 1000 + 3 * 2 * 1000, "the size is that of the output,");
    is_int((int64_t)predict("pairwise-alltoall", 4, 4000, &n, &err),
           3 * 1000 + 3 * 2 * 1000, "a share of it for each rank");
    is_int((int64_t)predict("ring-allreduce", 4, 1, &n, &err),
           6 * 1000 + 6 * 2 + 3 * 3, "a chunk has a byte at least");
    is_int((int64_t)predict("ring-allreduce", 100000, 1e9, &n, &err),
           199998000LL + 199998 * 20000LL + 99999 * 30000LL,
           "100,000 ranks have no schedule, but a time");
    ok(is_near(tree_time(4096) - tree_time(2048),
               tree_time(1024) - tree_time(512)) &&
           is_near(tree_time(2048) - tree_time(1024),
                   tree_time(1024) - tree_time(512)),
       "so has a tree: from simulations of fewer ranks");
    ports.ports = 2;
    ok(predict("server-allreduce", 8, 4000, &ports, &err) <
           0.8 * predict("server-allreduce", 8, 4000, &n, &err),
       "with two ports a server is simulated, and faster");
    links.links = 1;
    ok(is_near(predict("ring-allreduce", 8, 4000, &links, &err),
               predict("ring-allreduce", 8, 4000, &n, &err)),
       "with one link a ring takes as long as with many");
}

static void
test_unknown(void)
{
    static const struct {
        const char *name;
        int nranks;
        const char *why;
    } unknown[] = {
        {"mesh2d-allreduce", 2048, "not known"},
        {"tree-allreduce", 1025, "not known"},
        {"mesh2d-allreduce", 1024, "too large"},
        {"recursive-doubling-allgather", 1025, "not known"},
        {"ring-allreduce", 100001, "not known"},
    };

    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        struct err err = {.text = ""};
        double ns = predict(unknown[i].name, unknown[i].nranks, 1000,
                            &networks[0], &err);
        ok(isnan(ns) && strstr(err.text, unknown[i].why) != NULL,
           "%s on %d ranks is refused", unknown[i].name, unknown[i].nranks);
    }
}

/* One pipeline for all sizes, which come in any order, and the best of all
 * numbers of chunks that are powers of two, from their schedules. */
static int
wrong_choices(const struct algorithm *a, int nranks, const struct network *n)
{
    static const double sizes[] = {8, 1 << 30, 65536, 1 << 24, 1 << 20};
    struct coll_options o = {.nranks = nranks, .chunks = CHUNKS_AUTO,
                             .in_place = true};
    struct prediction all[PIPELINE_CANDIDATES];
    bool known[PIPELINE_CANDIDATES];
    struct pipeline p;
    struct err err;
    int wrong = 0, chunks;

    if (!pipeline_open(&p, a, &o, n, &err))
        die("%s", err.text);
    for (int k = 0; k < PIPELINE_CANDIDATES; k++) {
        o.chunks = 1 << k;
        known[k] = prediction_open(&all[k], a, &o, n, &err);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        double ns = pipeline_ns(&p, sizes[i], &chunks), least = INFINITY;
        int best = 0;
        for (int k = 0; k < PIPELINE_CANDIDATES; k++) {
            double took =
                known[k] ? prediction_ns(&all[k], sizes[i]) : INFINITY;
            best = took < least ? 1 << k : best;
            least = fmin(took, least);
        }
        if (ns <= least && chunks == best)
            continue;
        diag("%s-%s on %d ranks, %s, %g B: %d chunks, not %d", a->name,
             a->collective, nranks, n->name, sizes[i], chunks, best);
        wrong++;
    }
    for (int k = 0; k < PIPELINE_CANDIDATES; k++)
        prediction_close(&all[k]);
    pipeline_close(&p);
    return wrong;
}

static void
test_choice(const struct algorithm *a)
{
    static const char *const on[] = {
        "nvlink", "ethernet", "ethernet,ports=2", "infiniband,links=1",
        "alpha=4us,beta=0.2ns,gamma=0.3ns,cores=2"};
    static int turns; /* 2 to 9 ranks in turn */
    struct network n;
    struct err err;
    int wrong = 0;

    for (size_t i = 0; i < sizeof on / sizeof on[0]; i++) {
        if (!network_parse(on[i], &n, &err))
            die("%s", err.text);
        wrong += wrong_choices(a, 2 + turns++ % 8, &n);
    }
    is_int(wrong, 0, "%s-%s: the number of chunks is the best of all "
           "candidates", a->name, a->collective);
}

/* The time, and the number of chunks, that --chunks auto has. */
static double
chosen(const char *name, int nranks, int given, double bytes, int *chunks)
{
    struct coll_options o = {.nranks = nranks, .chunks = given,
                             .in_place = true};
    const struct algorithm *a;
    struct network ethernet;
    struct pipeline p;
    struct err err;
    double ns;

    if (!network_parse("ethernet", &ethernet, &err) ||
        !coll_find(name, &a, &err) ||
        !pipeline_open(&p, a, &o, &ethernet, &err))
        die("%s", err.text);
    ns = pipeline_ns(&p, bytes, chunks);
    pipeline_close(&p);
    return ns;
}

static void
test_choices(void)
{
    const double large = 256 << 20, bound = 2 * large * 0.08;
    int chunks, two;

    ok(chosen("double-tree-allreduce", 8, CHUNKS_AUTO, large, &chunks) <
           1.15 * bound,
       "a double tree takes 2 S of a port, and at most 15 %% more");
    ok(chunks > 16 && chunks < 256, "with tens of chunks");
    ok(chosen("double-tree-allreduce", 8, 2, large, &two) > 1.5 * bound &&
           two == 2, "which a given number does not change");
    chosen("tree-allreduce", 8, CHUNKS_AUTO, 1024, &chunks);
    is_int(chunks, 1, "a small message is one chunk");
    chosen("ring-allreduce", 8, CHUNKS_AUTO, large, &chunks);
    is_int(chunks, 0, "a ring has none to choose");
    ok(chosen("double-tree-allreduce", 4096, CHUNKS_AUTO, large, &chunks) <
           chosen("ring-allreduce", 4096, CHUNKS_AUTO, large, &two) / 3,
       "on 4096 ranks the double tree beats the ring");
    ok(chunks > 16, "with as many chunks as on few");
}

int
main(void)
{
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++) {
        test_closed_forms(a);
        test_several_ports(a);
        if (a->steady > 0)
            test_steady(a);
        if (a->chunks > 0)
            test_choice(a);
    }
    test_choices();
    test_predictions();
    test_unknown();
    return done_testing();
}
