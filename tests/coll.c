/* SPDX-License-Identifier: MIT */
/* Every row of the table: proved, with the steps and bytes that it promises.
 * tests/message_rank.c, timed.c and others run them. */
#include <math.h>
#include <string.h>

#include "formula.h"
#include "play.h"
#include "schedule/check.h"
#include "tap.h"

static const struct collective *
collective_of(const struct algorithm *a)
{
    return collective_find(a->collective);
}

static void
test_evaluate(void)
{
    const struct coll_options o = {.nranks = 6, .chunks = 4, .dims = {2, 3}};

    ok(evaluate("2 ceil(log2 N) + C-1", &o, 0) == 9 &&
           evaluate("2(N-1)/N S", &o, 12) == 20 &&
           evaluate("min(N-1, 3) S", &o, 2) == 6 &&
           evaluate("min(N, 40)/2 S", &o, 2) == 6 &&
           fabs(evaluate("log2 N / 2 S", &o, 2) - log2(6)) < 1e-9 &&
           evaluate("floor(log2 N) + 2", &o, 0) == 4 &&
           evaluate("2(X-1 + Y-1)", &o, 0) == 6 &&
           isnan(evaluate("N-1 (N if N is odd)", &o, 0)),
       "formulas are evaluated");
}

static bool
is_called(const struct algorithm *a, const char *name)
{
    return strcmp(a->name, name) == 0;
}

/* Of NCCL's two trees over so many nodes: the most children and parents of
 * one. */
static int
most_links(int n)
{
    int of[65] = {0}, most = 0, parent;

    for (int i = 0; i < 2 * n; i++)
        if ((parent = topology_trees_parent(n, i / n, i % n)) >= 0) {
            of[i % n]++;
            of[parent]++;
        }
    for (int rank = 0; rank < n; rank++)
        most = of[rank] > most ? of[rank] : most;
    return most;
}

/* Chunks that the busiest rank sends, worked out where a row has no formula. */
static int
sent_otherwise(const struct algorithm *a, const struct coll_options *o,
               int size)
{
    int n = o->nranks, p = 1 << (int)log2(n), sent = 0;

    if (is_called(a, "mesh2d")) { /* an inner rank sends its part both ways */
        for (int d = 0, part = 2; d < TOPOLOGY_DIMS; part *= o->dims[d++])
            sent += o->dims[d] > 2 ? part : 0;
        return 2 * (n - 1) + sent;
    }
    if (is_called(a, "nvls-tree"))
        return (2 * o->dims[1] + 2 + most_links(o->dims[0])) * o->chunks;
    if (is_called(a, "bruck")) {
        for (int i = 0; i < n; i++)
            sent += __builtin_popcount((unsigned)i);
        return sent;
    }
    if (is_called(a, "binomial")) /* the last subtree's first, or the one of
                                   * half of p */
        return n - p > p / 2 ? n - p : p / 2;
    if (is_called(a, "halving-doubling"))
        return 3 * size - 2;
    for (int d = 1; d < p; d *= 2) /* of both, and back */
        sent += d + (d < n - p ? d : n - p);
    return sent + n - 1;
}

/* Whether steps and bytes are those of the formulas: `sent` are chunks, of
 * `size` of the input. */
static bool
keeps_formulas(const struct algorithm *a, const struct coll_options *o,
               int size, int steps, int64_t sent)
{
    struct formulas f = coll_formulas(a, o->nranks, o->dims);
    double want;

    if (o->nranks == 1)
        return f.steps == NULL && f.bytes == NULL && steps == 0 && sent == 0;
    if (f.steps == NULL || evaluate(f.steps, o, 0) != steps)
        return false;
    want = f.bytes != NULL ? evaluate(f.bytes, o, size)
                           : sent_otherwise(a, o, size);
    return fabs(want - (double)sent) < 1e-9;
}

/* The most peers that a rank sends to, or receives from, in one step. */
static int
stated_ports(const struct algorithm *a, const struct coll_options *o)
{
    static const char *const all[] = {"direct", "naive", "server",
                                      "sharded-server", "flat"};
    static const struct {
        const char *name;
        int ports;
    } some[] = {{"collnet-chain", 2}, {"mesh2d", 2}, {"tree", 3},
                {"double-tree", 4}, {"nvls-tree", 5}};
    int x = o->dims[0], y = o->dims[1];

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(a->name, all[i]) == 0)
            return o->nranks - 1;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (strcmp(a->name, some[i].name) == 0)
            return some[i].ports;
    if (strcmp(a->name, "collnet-direct") == 0)
        return y;
    return strcmp(a->collective, "alltoall") == 0 && a->dims > 0
               ? (x > y ? x : y) - 1 : 1;
}

static bool
is_as_stated(const struct algorithm *a, const struct coll_options *options)
{
    struct coll_options o = *options;
    OWNS(schedule) *s = NULL;
    struct check_counts counts;
    struct err err;
    bool right;

    if (!coll_complete(a, &o, &err) ||
        (s = coll_build(a, options, &err)) == NULL) {
        diag("%s-%s, %d ranks: %s", a->name, a->collective, o.nranks,
             err.text);
        return false;
    }
    /* chunks that differ, then one element a chunk: elements are chunks */
    right = schedule_check(s, 2 * s->nchunks - 1, &counts, &err) &&
            schedule_check(s, s->nchunks, &counts, &err);
    if (!right)
        diag("%s-%s, %d ranks, root %d, %d chunks, %s: %s", a->name,
             a->collective, o.nranks, o.root, o.chunks,
             o.in_place ? "in place" : "out of place", err.text);
    if (right && (!keeps_formulas(a, &o, s->nchunks, counts.steps,
                                  counts.most_sent) ||
                  counts.ports > stated_ports(a, &o))) {
        right = false;
        diag("%s-%s, %d ranks, root %d, %d chunks, %s: %d steps, %d chunks "
             "sent, %d ports", a->name, a->collective, o.nranks, o.root,
             o.chunks, o.in_place ? "in place" : "out of place", counts.steps,
             (int)counts.most_sent, counts.ports);
    }
    return right;
}

/* Every root and, if the algorithm pipelines, several numbers of chunks. */
static int
count_wrong(const struct algorithm *a, int nranks)
{
    static const int depths[] = {0, 1, 2, 7};
    int roots = collective_rooted(collective_of(a)) ? nranks : 1;
    int ndepths = a->chunks > 0 ? 4 : 1, wrong = 0;

    for (int root = 0; root < roots; root++)
        for (int d = 0; d < ndepths; d++)
            for (int in_place = 0; in_place < 2; in_place++) {
                struct coll_options o = {.nranks = nranks, .root = root,
                                         .chunks = depths[d],
                                         .in_place = in_place};
                wrong += !is_as_stated(a, &o);
            }
    return wrong;
}

static void
test_proofs(void)
{
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++)
        for (int n = 1; n <= 64; n += n == 33 ? 31 : 1)
            is_int(count_wrong(a, n), 0,
                   "%s-%s on %d ranks: proved, costs as stated", a->name,
                   a->collective, n);
}

/* All shapes of n ranks, in several depths. */
static int
count_wrong_shapes(const struct algorithm *a, int n)
{
    static const int depths[] = {0, 1, 2, 7};
    int ndepths = a->chunks > 0 ? 4 : 1, wrong = 0;

    for (int x = 1; x <= n; x++)
        for (int y = 1; y <= n / x; y++) {
            int z = n / x / y;
            struct coll_options o = {.nranks = n, .dims = {x, y},
                                     .in_place = n % 2};
            if (x * y * z != n || (a->dims == 2 && z != 1))
                continue;
            o.dims[2] = a->dims == 3 ? z : 0;
            for (int d = 0; d < ndepths; d++) {
                o.chunks = depths[d];
                wrong += !is_as_stated(a, &o);
            }
        }
    return wrong;
}

static void
test_shapes(void)
{
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++) {
        int wrong = 0;
        for (int n = 1; a->dims > 0 && n <= 33; n++)
            wrong += count_wrong_shapes(a, n);
        if (a->dims > 0)
            is_int(wrong, 0, "%s-%s in every shape", a->name, a->collective);
    }
}

/* NCCL 2.28.9, src/graph/trees.cc: the parents of ranks 0, 1, ...; R: none. */
static void
test_trees(void)
{
    static const struct {
        const char *parents[2];
    } known[] = {
        {{"R20", "1R0"}},
        {{"R202", "131R"}},
        {{"R242064", "5R35310"}},
        {{"R2420646", "1317535R"}},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (int tree = 0; tree < 2; tree++) {
            const char *want = known[i].parents[tree];
            int n = (int)strlen(want);
            char got[9] = "";
            for (int rank = 0; rank < n; rank++) {
                int parent = topology_trees_parent(n, tree, rank);
                got[rank] = (char)(parent < 0 ? 'R' : '0' + parent);
            }
            is_str(got, want, "tree %d of %d ranks is NCCL's", tree, n);
        }
}

/* What a rank sends, step by step: "1:3>1 2:2>1" for its slot 3 to rank 1 in
 * step 1, ...; "+" where it is added. */
static void
sends_of(const struct schedule *s, int rank, char text[256])
{
    size_t length = 0;

    text[0] = '\0';
    for (int step = 1; step <= s->nsteps; step++) {
        size_t count;
        const struct transfer *t = schedule_transfers(s, step, &count);
        for (size_t i = 0; i < count; i++, t++)
            if (t->src == rank && t->dst != rank)
                length += (size_t)snprintf(text + length, 256 - length,
                                           "%s%d:%d%c%d", length > 0 ? " " : "",
                                           step, t->src_slot,
                                           t->op == TRANSFER_COPY ? '>' : '+',
                                           t->dst);
    }
}

/* NCCL 2.28.9: the ring; PAT (src/include/collectives.h, aggregated), whose
 * reduce-scatter sends near first, the all-gather far first.  Halving-doubling
 * as in Open MPI's coll_base_allreduce.c: near first, the larger half first;
 * recursive halving as in MPICH: far first. */
static void
test_sends(void)
{
    static const struct {
        const char *name;
        int nranks, rank;
        const char *sends;
    } rows[] = {
        {"ring-allreduce", 3, 0, "1:2+1 2:1+1 3:0>1 4:2>1"},
        {"ring-allreduce", 3, 1, "1:0+2 2:2+2 3:1>2 4:0>2"},
        {"ring-allreduce", 3, 2, "1:1+0 2:0+0 3:2>0 4:1>0"},
        {"pat-reduce-scatter", 4, 0, "1:1+1 1:3+1 2:2+2"},
        {"pat-allgather", 4, 0, "1:0>2 2:0>1 2:2>1"},
        {"direct-allgather", 4, 1, "1:1>2 1:1>3 1:1>0"},
        {"direct-reduce-scatter", 4, 1, "1:2+2 1:3+3 1:0+0"},
        {"direct-alltoall", 4, 1, "1:2>2 1:3>3 1:0>0"},
        {"hierarchical-allgather", 6, 4, "1:4>1 2:1>5 2:4>5 3:0>5 3:3>5"},
        {"circulant-allreduce", 7, 3, "1:0>2 3:2+1 4:1+0"},
        {"halving-doubling-allreduce", 8, 1,
         "1:0+0 2:6+3 3:5+5 4:4>5 5:4>3 6:4>0"},
        {"recursive-halving-reduce-scatter", 4, 1, "1:2+3 2:0+0"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        OWNS(schedule) *s = build_in_place(rows[i].name, rows[i].nranks);
        char text[256];
        sends_of(s, rows[i].rank, text);
        is_str(text, rows[i].sends, "%s on %d ranks: what rank %d sends",
               rows[i].name, rows[i].nranks, rows[i].rank);
    }
}

/* Sums of floats depend on the order of additions. */
static void
test_same_bits(void)
{
    static const char *const names[] = {"naive-allreduce", "ring-allreduce",
                                        "butterfly-allreduce",
                                        "tree-allreduce",
                                        "circulant-allreduce"};
    enum { COUNT = 1000, RANKS = 7 };
    static float given[RANKS * COUNT];
    uint32_t seed = 3;

    for (int i = 0; i < RANKS * COUNT; i++) {
        seed = seed * 1664525u + 1013904223u;
        given[i] = (float)seed / 3e9f - 0.7f;
    }
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        OWNS(schedule) *s = build_in_place(names[k], RANKS);
        struct engine_options o = {
            .run.input = {DTYPE_FLOAT32, REDOP_SUM, COUNT,
                      (unsigned char *)given}};
        struct err err;
        OWNS(engine) *e = engine_new(s, &o, &err);
        struct rank_slots found = engine_slots(e);
        const struct rank_slot *slots = found.slots;
        int differing = 0;

        engine_run(e);
        for (int rank = 1; rank < RANKS; rank++)
            for (int slot = 0; slot < s->nchunks; slot++)
                differing += memcmp(slots[rank * found.nslots + slot].data,
                                    slots[slot].data,
                                    (size_t)slots[slot].length * 4) != 0;
        ok((differing == 0) == (k < 4), "%s: all ranks %s with the same bits",
           names[k], k < 4 ? "end" : "do not end");
    }
}

/* The sizes of a grid that the user left open. */
static void
test_shapes_chosen(void)
{
    static const struct {
        const char *name;
        int nranks, x, y, z;
    } known[] = {
        {"torus2d-allreduce", 12, 3, 4, 1},
        {"torus2d-allreduce", 16, 4, 4, 1},
        {"torus2d-allreduce", 7, 1, 7, 1},
        {"torus3d-allreduce", 12, 2, 2, 3},
        {"torus3d-allreduce", 64, 4, 4, 4},
        {"hierarchical-allreduce", 8, 2, 4, 1},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        OWNS(schedule) *s = build_in_place(known[i].name, known[i].nranks);
        const int *d = s->topology.dims;
        ok(d[0] == known[i].x && d[1] == known[i].y && d[2] == known[i].z,
           "%s on %d ranks: %d x %d x %d", known[i].name, known[i].nranks,
           d[0], d[1], d[2]);
    }
}

int
main(void)
{
    test_evaluate();
    test_trees();
    test_sends();
    test_same_bits();
    test_shapes_chosen();
    test_proofs();
    test_shapes();
    return done_testing();
}
