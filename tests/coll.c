/* SPDX-License-Identifier: MIT */
/* Every row of the table: proved, with the steps and bytes that it promises,
 * and run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"
#include "schedule/check.h"
#include "tap.h"

static const struct collective *
collective_of(const struct algorithm *a)
{
    return collective_find(a->collective);
}

/* A row's formula, as people read it: "2 depth + C-1", "(N-1)/N S". */
struct formula {
    const char *at;
    struct coll_options o;
    bool up;  /* a logarithm is rounded up */
    double s; /* S */
};

static bool
takes(struct formula *f, const char *word)
{
    const char *at = f->at + (*f->at == ' ');
    size_t length = strlen(word);
    bool found = strncmp(at, word, length) == 0;

    if (found)
        f->at = at + length;
    return found;
}

/* Of NCCL's trees, over the nodes if there are any: the depth of one, and the
 * most children and parents of a rank on so many. */
static int
tree_depth(const struct coll_options *o, int trees, int *links)
{
    int n = o->dims[0] * o->dims[1] > 1 ? o->dims[0] : o->nranks;
    int of[65] = {0}, depth = 0;

    *links = 0;
    for (int i = 0; i < trees * n; i++) {
        int at = i % n, up = 0, parent;
        for (; (parent = topology_trees_parent(n, i / n, at)) >= 0; at = parent)
            if (up++ == 0) {
                of[at]++;
                of[parent]++;
            }
        depth = up > depth ? up : depth;
    }
    for (int rank = 0; rank < n; rank++)
        *links = of[rank] > *links ? of[rank] : *links;
    return depth;
}

static double sum(struct formula *f);

static double
factor(struct formula *f)
{
    const struct coll_options *o = &f->o;
    const struct {
        const char *name;
        double value;
    } names[] = {{"N", o->nranks},  {"C", o->chunks},  {"X", o->dims[0]},
                 {"Y", o->dims[1]}, {"Z", o->dims[2]}, {"S", f->s}};
    bool up = takes(f, "ceil(log2 N)");
    double value;
    int links;

    if (up || takes(f, "log2 N"))
        return up || f->up ? ceil(log2(o->nranks)) : floor(log2(o->nranks));
    if (takes(f, "(")) {
        value = sum(f);
        takes(f, ")");
        return value;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (takes(f, names[i].name))
            return names[i].value;
    return takes(f, "depth") ? tree_depth(o, 1, &links)
                             : strtod(f->at, (char **)&f->at);
}

static double
sum(struct formula *f)
{
    double value = 0, product;
    int sign = 1;

    do {
        product = factor(f);
        while (strspn(f->at + (*f->at == ' '), "(/0123456789NCXYZSdcl") > 0)
            if (takes(f, "/"))
                product /= factor(f);
            else
                product *= factor(f);
        value += sign * product;
        sign = takes(f, "-") ? -1 : takes(f, "+");
    } while (sign != 0);
    return value;
}

/* What is made for powers of two folds the other ranks in, and out again. */
static bool
folds(const struct algorithm *a, int nranks)
{
    return (nranks & (nranks - 1)) != 0 &&
           strchr("l2", a->steps_formula[0]) != NULL &&
           strstr(a->steps_formula, "log2") != NULL &&
           strstr(a->steps_formula, "ceil") == NULL;
}

static bool
is_called(const struct algorithm *a, const char *name)
{
    return strcmp(a->name, name) == 0;
}

static int
stated_steps(const struct algorithm *a, const struct coll_options *o)
{
    struct formula f = {a->steps_formula, *o, false, 0};
    int less = 0, n = o->nranks;

    if (n == 1)
        return 0;
    if (is_called(a, "exchange"))
        return n - 1 + n % 2;
    if (is_called(a, "collnet-direct")) /* a node of one needs no steps */
        less = 2 * (o->dims[1] == 1);
    else if (a->dims > 0 && strcmp(a->collective, "alltoall") == 0)
        less = (o->dims[0] == 1) + (o->dims[1] == 1);
    return (int)sum(&f) + (folds(a, n) ? 2 : 0) - less;
}

/* Whether the busiest rank sends so many chunks, of `size` of its input. */
static bool
sends(const struct algorithm *a, const struct coll_options *o, int size,
      int64_t sent)
{
    struct formula f = {a->bytes_formula, *o, true, size};
    const char *c = a->collective;
    int n = o->nranks, y = o->dims[1], links, exact = 0;
    bool alltoall = strcmp(c, "alltoall") == 0;

    if (n == 1)
        return sent == 0;
    if (is_called(a, "mesh2d")) { /* an inner rank sends its part both ways */
        for (int d = 0, part = 2; d < TOPOLOGY_DIMS; part *= o->dims[d++])
            exact += o->dims[d] > 2 ? part : 0;
        return sent == 2 * (n - 1) + exact;
    }
    if (strstr(a->name, "tree") != NULL) {
        tree_depth(o, is_called(a, "tree") ? 1 : 2, &links);
        exact = is_called(a, "nvls-tree") ? 2 * y + 2 + links : links;
        return sent == exact * o->chunks;
    }
    if (is_called(a, "collnet-chain"))
        return sent == (1 + (y > 1)) * o->chunks;
    if (is_called(a, "bruck") && alltoall) {
        for (int i = 0; i < n; i++)
            exact += __builtin_popcount((unsigned)i);
        return sent == exact;
    }
    if (is_called(a, "binomial") && strcmp(c, "gather") == 0) {
        exact = 1 << ((int)ceil(log2(n)) - 1); /* the last subtree's first */
        return sent == (n - exact > exact / 2 ? n - exact : exact / 2);
    }
    if (folds(a, n) && strcmp(c, "allgather") == 0) { /* of both, and back */
        int p = 1 << (int)log2(n);
        for (int d = 1; d < p; d *= 2)
            exact += d + (d < n - p ? d : n - p);
        return sent == exact + n - 1;
    }
    if (folds(a, n) && !is_called(a, "butterfly") && !is_called(a, "hypercube"))
        return sent == (is_called(a, "halving-doubling") ? 3 * size - 2 : size);
    return fabs(sum(&f) - (double)sent) < 1e-9;
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
    if (right && (counts.steps != stated_steps(a, &o) ||
                  !sends(a, &o, s->nchunks, counts.most_sent) ||
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

    for (int i = 0; (a = coll_at(i)) != NULL; i++)
        for (int n = 1; n <= 64; n += n == 33 ? 31 : 1)
            is_int(count_wrong(a, n), 0,
                   "%s-%s on %d ranks: proved, costs as stated", a->name,
                   a->collective, n);
}

/* All shapes of n ranks. */
static void
test_shapes(void)
{
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        int wrong = 0;
        for (int n = 1; a->dims > 0 && n <= 33; n++)
            for (int x = 1; x <= n; x++)
                for (int y = 1; y <= n / x; y++) {
                    int z = n / x / y;
                    struct coll_options o = {.nranks = n, .dims = {x, y},
                                             .in_place = n % 2};
                    if (x * y * z != n || (a->dims == 2 && z != 1))
                        continue;
                    o.dims[2] = a->dims == 3 ? z : 0;
                    wrong += !is_as_stated(a, &o);
                }
        if (a->dims > 0)
            is_int(wrong, 0, "%s-%s in every shape", a->name, a->collective);
    }
}

/* In ceil(log2 N) steps, in each of which every rank sends one whole input and
 * receives one. */
static void
test_circulant(void)
{
    int wrong = 0;

    for (int n = 1, levels = 0; n <= 64; n++) {
        struct schedule *s = build_in_place("circulant-allreduce", n);
        struct check_counts counts;
        struct err err;
        levels += n > 1 << levels;
        wrong += !schedule_check(s, 1, &counts, &err) ||
                 counts.steps != levels || counts.ports > 1 ||
                 counts.most_sent != levels || counts.total != n * levels;
        schedule_free(s);
    }
    is_int(wrong, 0, "circulant-allreduce takes the fewest steps on 1 to 64");
}

/* Of nodes of so many ranks: chunks and messages that the busiest rank sends to
 * other nodes, and whether they stay on its rail. */
struct crossing {
    int chunks, messages;
    bool on_rail;
};

static struct crossing
crossing_of(const char *name, int nodes, int size)
{
    struct coll_options o = {.nranks = nodes * size};
    struct crossing busiest = {.on_rail = true};
    const struct algorithm *a;
    struct schedule *s;
    struct err err;

    if (!coll_find(name, &a, &err))
        die("%s: %s", name, err.text);
    if (a->dims > 0) {
        o.dims[0] = nodes;
        o.dims[1] = size;
    }
    if ((s = coll_build(a, &o, &err)) == NULL)
        die("%s: %s", name, err.text);
    for (int rank = 0; rank < o.nranks; rank++) {
        struct crossing c = {0};
        for (int step = 1; step <= s->nsteps; step++) {
            size_t count;
            const struct transfer *t = schedule_transfers(s, step, &count);
            for (int to = 0; to < o.nranks; to++) {
                int chunks = 0;
                for (size_t i = 0; i < count; i++)
                    if (t[i].src == rank && t[i].dst == to &&
                        to / size != rank / size)
                        chunks += t[i].nslots;
                c.chunks += chunks;
                c.messages += chunks > 0;
                busiest.on_rail = busiest.on_rail &&
                                  (chunks == 0 || to % size == rank % size);
            }
        }
        if (c.chunks > busiest.chunks) {
            busiest.chunks = c.chunks;
            busiest.messages = c.messages;
        }
    }
    schedule_free(s);
    return busiest;
}

/* What the busiest rank sends out of its node, of algorithms that know nodes
 * and of those that do not. */
static void
test_nodes(void)
{
    enum { ALL_OTHERS, OTHER_NODES, ELSEWHERE, AMOUNTS };
    static const struct {
        const char *name;
        int chunks, messages;
        bool on_rail;
    } rows[] = {
        {"ring-allgather", ALL_OTHERS, ALL_OTHERS, false},
        {"hierarchical-allgather", OTHER_NODES, OTHER_NODES, true},
        {"ring-reduce-scatter", ALL_OTHERS, ALL_OTHERS, false},
        {"hierarchical-reduce-scatter", OTHER_NODES, OTHER_NODES, true},
        {"direct-alltoall", ELSEWHERE, ELSEWHERE, false},
        {"hierarchical-alltoall", ELSEWHERE, OTHER_NODES, true},
        {"pxn-alltoall", ELSEWHERE, OTHER_NODES, true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int nodes = 2; nodes <= 4; nodes++)
            for (int size = 2; size <= 4; size++) {
                int n = nodes * size;
                const int amounts[AMOUNTS] = {n - 1, nodes - 1, n - size};
                struct crossing c = crossing_of(rows[i].name, nodes, size);
                ok(c.chunks == amounts[rows[i].chunks] &&
                       c.messages == amounts[rows[i].messages] &&
                       c.on_rail == rows[i].on_rail,
                   "%s on %dx%d: chunks and messages that leave a node: %d, %d",
                   rows[i].name, nodes, size, c.chunks, c.messages);
            }
}

static bool
runs_right(const struct algorithm *a, const struct coll_options *options,
           const struct run_options *run, bool lockstep)
{
    struct err err;
    OWNS(schedule) *s = coll_build(a, options, &err);
    struct run_result result;

    if (s == NULL)
        die("%s-%s: %s", a->name, a->collective, err.text);
    result = judged(s, &(struct engine_options){.run = *run}, lockstep);
    if (!result.correct)
        diag("%s-%s, %d ranks, root %d, %d elements, %s: %s", a->name,
             a->collective, options->nranks, options->root,
             (int)run->input.count,
             options->in_place ? "in place" : "out of place",
             result.first_wrong);
    return result.correct;
}

static int
count_wrong_runs(const struct algorithm *a, int n, uint32_t *seed)
{
    static const enum dtype types[8] = {[4] = DTYPE_INT32,
                                        [6] = DTYPE_FLOAT16,
                                        [7] = DTYPE_BFLOAT16};
    int roots = collective_rooted(collective_of(a)) ? n : 1;
    const int64_t counts[] = {0, 1, n - 1, n + 1, 100};
    int64_t delays[2 * 9] = {0}; /* of as many switches, too */
    int wrong = 0;

    for (int root = 0; root < roots; root += 1 + (root + 2 < roots))
        for (int kind = 0; kind < 8; kind++) {
            struct coll_options o = {.nranks = n, .root = root,
                                     .chunks = a->chunks > 0 ? 1 + kind : 0,
                                     .in_place = kind % 2};
            struct run_options run = {
                .input = {types[kind], kind == 3 ? REDOP_AVG : REDOP_SUM,
                          counts[(kind + n) % 5], NULL},
                .watched = kind > 1, .delays = kind == 5 ? delays : NULL};
            for (int rank = 0; rank < n; rank++) {
                *seed = *seed * 1664525u + 1013904223u;
                delays[rank] = (int64_t)(*seed >> 30) * 50000;
            }
            wrong += !runs_right(a, &o, &run, kind == 2);
        }
    return wrong;
}

static void
test_runs(void)
{
    const struct algorithm *a;
    uint32_t seed = 1;

    for (int i = 0; (a = coll_at(i)) != NULL; i++)
        for (int n = 2; n <= 9; n++)
            is_int(count_wrong_runs(a, n, &seed), 0,
                   "%s-%s runs on %d ranks, lockstep and free, with delays",
                   a->name, a->collective, n);
}

/* Ranks and a switch: what check counts, and what it refuses. */
static void
test_switches(void)
{
    for (int n = 2; n <= 33; n++) {
        struct coll_options o = {.nranks = n, .in_place = n % 2};
        const struct algorithm *a;
        struct check_counts counts;
        struct schedule *s;
        struct transfer *t;
        struct err err;

        ok(coll_find("nvls-allreduce", &a, &err), "there is an NVLS");
        s = coll_build(a, &o, &err);
        is_int(s->nranks - schedule_members(s), 1, "%d ranks and a switch", n);
        ok(schedule_check(s, 100 * n, &counts, &err), "proved");
        is_int(counts.most_sent, 100 * (n + 1), "a rank sends (N+1)/N S");
        is_int(counts.ports, 1, "to the switch alone");
        t = &s->transfers[s->steps[o.in_place ? 0 : 1].first + (size_t)n - 1];
        ok(t->dst == n && t->op == TRANSFER_REDUCE, "the switch adds");
        t->op = TRANSFER_COPY;
        ok(!schedule_check(s, n, NULL, &err), "not if it only keeps the last");
        t->op = TRANSFER_REDUCE;
        t->src = 0;
        ok(!schedule_check(s, n, NULL, &err), "nor if it adds one twice");
        t->src = n - 1;
        t->dst = 0;
        ok(!schedule_check(s, n, NULL, &err) &&
               strstr(err.text, "there is no such link") != NULL,
           "nor past the switch: %s", err.text);
        schedule_free(s);
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
 * reduce-scatter sends near first, the all-gather far first. */
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

static void
test_names(void)
{
    const struct algorithm *a;
    struct err err;

    ok(coll_find("ring-allreduce", &a, &err), "by its full name");
    ok(coll_find("allreduce", &a, &err), "by its collective");
    ok(coll_find("ring", &a, &err) &&
           strcmp(a->collective, "allreduce") == 0 &&
           coll_meanings("ring") > 1,
       "half a name, of several collectives, is that of all-reduce");
    ok(coll_find("pairwise", &a, &err) &&
           strcmp(a->collective, "allreduce") != 0, "if that has one");
    ok(!coll_find("ring-allreduc", &a, &err) &&
           strstr(err.text, "did you mean ring-allreduce?") != NULL,
       "the error names what is near");
    ok(!coll_find("\033[31m", &a, &err) && strchr(err.text, '\033') == NULL,
       "and never repeats control characters");
}

int
main(void)
{
    test_trees();
    test_names();
    test_sends();
    test_same_bits();
    test_shapes_chosen();
    test_circulant();
    test_nodes();
    test_proofs();
    test_shapes();
    test_switches();
    test_runs();
    return done_testing();
}
