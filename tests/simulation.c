/* SPDX-License-Identifier: MIT */
/* Simulated times: against the closed forms of alpha-beta-gamma, against plain
 * recurrences on random schedules, and on small schedules worked out by hand:
 * ports, links, delays, empty messages. */
#include "schedule/simulation.h"

#include <math.h>
#include <stdlib.h>

#include "coll/coll.h"
#include "random_schedule.h"
#include "tap.h"

/* No two sums of these are equal by chance. */
static const struct network plain = {"test", 1009, 0.731, 0.217, 1, 0, 0};

static bool
near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

static struct schedule *
build(const char *name, int nranks)
{
    struct coll_options o = {.nranks = nranks, .in_place = true};
    const struct algorithm *a;
    struct err err;
    struct schedule *s = coll_find(name, &a, &err) ? coll_build(a, &o, &err)
                                                   : NULL;

    if (s == NULL)
        die("%s: %s", name, err.text);
    return s;
}

static struct simulation *
simulate(const struct schedule *s, const struct program *p, int64_t count,
         const struct network *n, const int64_t *delays)
{
    return simulation_new(&(struct simulation_spec){
        .schedule = s, .program = p, .count = count, .size = 4,
        .network = n, .delays = delays});
}

/* How long a schedule takes. */
static double
takes(const struct schedule *s, int64_t count, const struct network *n)
{
    struct program *p = program_lower(s);
    struct simulation *sim = simulate(s, p, count, n, NULL);
    double end = sim->end;

    simulation_free(sim);
    program_free(p);
    return end;
}

static int
log2_of(int n)
{
    int log = 0;

    while (1 << log < n)
        log++;
    return log;
}

/* How often alpha, beta * S and gamma * S are in the time of an algorithm on n
 * ranks, where S is the bytes of a rank's input. */
struct form {
    const char *name;
    bool powers; /* it is for powers of two */
    struct factors {
        double alpha, beta, gamma;
    } (*of)(double n, double log);
};

static struct factors
ring(double n, double log)
{
    (void)log;
    return (struct factors){2 * (n - 1), 2 * (n - 1) / n, (n - 1) / n};
}

static struct factors
ring_scatter(double n, double log)
{
    (void)log;
    return (struct factors){n - 1, (n - 1) / n, (n - 1) / n};
}

static struct factors
ring_gather(double n, double log)
{
    (void)log;
    return (struct factors){n - 1, n - 1, 0};
}

static struct factors
tree(double n, double log)
{
    (void)n;
    return (struct factors){2 * log, 2 * log, log};
}

static struct factors
tree_down(double n, double log)
{
    (void)n;
    return (struct factors){log, log, 0};
}

static struct factors
butterfly(double n, double log)
{
    (void)n;
    return (struct factors){log, log, log};
}

static struct factors
halving(double n, double log)
{
    return (struct factors){2 * log, 2 * (n - 1) / n, (n - 1) / n};
}

static struct factors
server(double n, double log)
{
    (void)log;
    return (struct factors){2 * (n - 1), 2 * (n - 1), n - 1};
}

static struct factors
flat_down(double n, double log)
{
    (void)log;
    return (struct factors){n - 1, n - 1, 0};
}

static struct factors
shards(double n, double log)
{
    (void)log;
    return (struct factors){2 * (n - 1), 2 * (n - 1) / n, (n - 1) / n};
}

static struct factors
bruck_gather(double n, double log)
{
    return (struct factors){log, n - 1, 0};
}

static struct factors
bruck(double n, double log)
{
    (void)n;
    return (struct factors){log, log / 2, 0};
}

static const struct form forms[] = {
    {"ring-allreduce", false, ring},
    {"ring-reduce-scatter", false, ring_scatter},
    {"ring-allgather", false, ring_gather},
    {"reduce-broadcast-allreduce", false, tree},
    {"binomial-broadcast", false, tree_down},
    {"butterfly-allreduce", true, butterfly},
    {"hypercube-allreduce", true, butterfly},
    {"halving-doubling-allreduce", true, halving},
    {"server-allreduce", false, server},
    {"flat-broadcast", false, flat_down},
    {"sharded-server-allreduce", false, shards},
    {"bruck-allgather", true, bruck_gather},
    {"bruck-alltoall", true, bruck},
};

static void
test_form(const struct form *f)
{
    static const int ranks[] = {2, 3, 4, 5, 7, 8, 13, 16, 32, 64};
    static const int units = 4096 * 9 * 5 * 7 * 13; /* divide by all of them */

    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        int n = ranks[i];
        double log = log2_of(n), bytes = 4.0 * units, expected, got;
        struct factors of = f->of(n, log);
        struct schedule *s;

        if (f->powers && 1 << log2_of(n) != n)
            continue;
        s = build(f->name, n);
        expected = of.alpha * plain.alpha + of.beta * plain.beta * bytes +
                   of.gamma * plain.gamma * bytes;
        got = takes(s, units, &plain);
        ok(near(got, expected), "%s on %d: %.9g ns, by its formula %.9g",
           f->name, n, got, expected);
        schedule_free(s);
    }
}

/* Without limits on ports and links, and with ports of one: an instruction
 * begins when its rank is through with the one before, when those that it waits
 * for are over, and when its sender is through with the message before. */
struct oracle {
    const struct schedule *s;
    const struct program *p;
    const int64_t *delays;
    int64_t count;
    double *end;     /* by instruction */
    double *through; /* by send */
    size_t *sent;    /* by rank: sends so far */
    double *began;   /* by rank: when the last of them began */
    double *free;    /* by rank: when its last instruction was over */
    int *step;       /* by rank */
    double *since;   /* by rank: when it came to that step */
    size_t *message; /* by rank: 1 + the instruction of its last message */
};

static double
later(double a, double b)
{
    return a > b ? a : b;
}

static double
oracle_instr(struct oracle *o, int rank, size_t at)
{
    const struct instr *in = &o->p->instrs[at];
    double begin = o->free[rank], bytes = 0;

    if (in->step != o->step[rank]) {
        o->step[rank] = in->step;
        o->since[rank] = begin;
    }
    if (o->delays != NULL && in->op != INSTR_END) {
        begin = later(begin, o->since[rank] + (double)o->delays[rank]);
        if (in->op != INSTR_APPLY)
            begin = later(begin, o->since[rank] + (double)o->delays[in->peer]);
    }
    for (int k = 0; k < in->nslots; k++)
        bytes += 4.0 * (double)schedule_chunk_length(o->s, o->count,
                                                     instr_chunk(in, k));
    for (uint32_t w = in->first_wait; w < in->first_wait + in->nwaits; w++)
        if (o->p->waits[w].count > 0)
            begin = later(begin, o->end[o->p->first[o->p->waits[w].rank] +
                                        o->p->waits[w].count - 1]);
    o->free[rank] = begin;
    if (in->peer != rank) {
        size_t send = o->sent[in->peer]++;
        begin = later(begin, o->began[in->peer]);
        o->free[rank] = begin;
        if (bytes > 0) {
            begin = later(begin, o->through[in->peer]);
            o->through[in->peer] = begin + plain.beta * bytes;
            if (at == 0 || o->message[rank] != at || in[-1].peer != in->peer ||
                in[-1].step != in->step)
                o->through[in->peer] += plain.alpha;
            o->message[rank] = at + 1;
            o->free[rank] = o->through[in->peer];
        }
        o->began[in->peer] = begin;
        if (o->p->sends[o->p->first_send[in->peer] + send].peer != rank)
            die("the oracle takes messages in another order");
    }
    if (in->op == INSTR_REDUCE)
        o->free[rank] += plain.gamma * bytes;
    o->end[at] = o->free[rank];
    return begin;
}

/* Goes through a schedule in the order of its transfers: the program's lists
 * of a step, merged so that each sender's messages are in order. */
static int
oracle_compare(struct oracle *o, const struct simulation *sim)
{
    uint32_t *next = mem_new((size_t)o->p->nranks, sizeof *next);
    int wrong = 0;
    bool moved = true;

    while (moved) {
        moved = false;
        for (int rank = 0; rank < o->p->nranks; rank++) {
            size_t at = o->p->first[rank] + next[rank];
            const struct instr *in = &o->p->instrs[at];
            bool ready = next[rank] < program_length(o->p, rank);
            double begin;

            if (ready && in->peer != rank)
                ready = o->p->sends[o->p->first_send[in->peer] +
                                    o->sent[in->peer]].peer == rank;
            for (uint32_t w = in->first_wait;
                 ready && w < in->first_wait + in->nwaits; w++)
                ready = next[o->p->waits[w].rank] >= o->p->waits[w].count;
            if (!ready)
                continue;
            begin = oracle_instr(o, rank, at);
            wrong += !near(sim->instrs[at].begin, begin) ||
                     !near(sim->instrs[at].end, o->end[at]) ||
                     sim->instrs[at].wait > begin + 1e-6;
            next[rank]++;
            moved = true;
        }
    }
    for (int rank = 0; rank < o->p->nranks; rank++)
        wrong += next[rank] != program_length(o->p, rank);
    free(next);
    return wrong;
}

static int
compare(const struct schedule *s, int64_t count, const int64_t *delays)
{
    struct program *p = program_lower(s);
    struct simulation *sim = simulate(s, p, count, &plain, delays);
    size_t n = (size_t)s->nranks;
    struct oracle o = {
        s, p, delays, count,
        mem_new(p->ninstrs, sizeof *o.end), mem_new(n, sizeof *o.through),
        mem_new(n, sizeof *o.sent), mem_new(n, sizeof *o.began),
        mem_new(n, sizeof *o.free), mem_new(n, sizeof *o.step),
        mem_new(n, sizeof *o.since), mem_new(n, sizeof *o.message),
    };
    int wrong = oracle_compare(&o, sim);

    for (int rank = 0; rank < s->nranks; rank++)
        wrong += !near(sim->rank_ends[rank], o.free[rank]);
    free(o.end);
    free(o.through);
    free(o.sent);
    free(o.began);
    free(o.free);
    free(o.step);
    free(o.since);
    free(o.message);
    simulation_free(sim);
    program_free(p);
    return wrong;
}

static void
test_random(void)
{
    static const int64_t delays[8] = {0, 300, 7000, 0, 1, 0, 90000, 12};
    int wrong = 0, delayed = 0, empty = 0;

    for (uint32_t seed = 1; seed <= 2000; seed++) {
        struct state end;
        struct schedule *s = random_schedule(seed, &end);
        wrong += compare(s, 1000, NULL) > 0;
        delayed += compare(s, 1000, delays) > 0;
        empty += compare(s, 3, NULL) > 0;
        schedule_free(s);
        state_free(&end);
    }
    is_int(wrong, 0, "random schedules: as by the recurrences");
    is_int(delayed, 0, "with ranks that are delayed");
    is_int(empty, 0, "with messages of no bytes");
}

/* Every algorithm, on as many ranks as it takes. */
static void
test_algorithms(void)
{
    for (int i = 0; coll_at(i) != NULL; i++) {
        const struct algorithm *a = coll_at(i);
        int wrong = 0, runs = 0;
        for (int n = 1; n <= 17; n++) {
            struct coll_options o = {.nranks = n, .in_place = n % 2 == 0};
            struct err err;
            struct schedule *s = coll_build(a, &o, &err);
            if (s == NULL)
                continue;
            wrong += compare(s, 100, NULL);
            runs++;
            schedule_free(s);
        }
        ok(wrong == 0 && runs > 3, "%s-%s, %d runs", a->name, a->collective,
           runs);
    }
}

static struct schedule *
empty_schedule(int nranks, struct topology topology)
{
    return schedule_new(&(struct schedule_spec){
        .collective = collective_find("allgather"), .algorithm = "test",
        .nranks = nranks, .pieces = 1, .topology = topology});
}

static void
copy(struct schedule *s, int src, int dst)
{
    int first = schedule_output(s, 0).first;

    schedule_add(s, (struct transfer){
        .src = src, .dst = dst, .src_slot = 0, .dst_slot = first + src,
        .add_slot = first + src, .nslots = 1, .op = TRANSFER_COPY});
}

/* In one step, rank 0 sends to all others and receives from all others. */
static void
test_ports(void)
{
    static const struct topology any = {TOPOLOGY_ANY, {0}};
    static const struct {
        int ports, rounds;
    } known[] = {{1, 4}, {2, 2}, {3, 2}, {4, 1}, {64, 1}};
    struct schedule *s = empty_schedule(5, any);
    double one = plain.alpha + plain.beta * 40;

    schedule_step(s, "test");
    for (int rank = 1; rank < 5; rank++) {
        copy(s, 0, rank);
        copy(s, rank, 0);
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct network n = plain;
        n.ports = known[i].ports;
        ok(near(takes(s, 10, &n), known[i].rounds * one),
           "%d ports: %d messages one after the other, both ways at once",
           known[i].ports, known[i].rounds);
    }
    schedule_free(s);
}

/* Threads on cores: all read from rank 0 at once, but for the cores that there
 * are; what rank 0 adds it adds alone, one after the other. */
static void
test_cores(void)
{
    static const struct topology any = {TOPOLOGY_ANY, {0}};
    static const struct {
        int cores, rounds, ring;
    } known[] = {{1, 8, 8}, {2, 4, 4}, {3, 3, 3}, {4, 2, 2}, {8, 1, 1}};
    struct schedule *s = empty_schedule(9, any);
    struct schedule *ring = build("ring-allreduce", 8);
    struct schedule *reduce = build("flat-reduce", 9);
    double one = plain.alpha + plain.beta * 40, added = plain.gamma * 40;
    double step = plain.alpha + plain.beta * 40;

    schedule_step(s, "test");
    for (int rank = 1; rank < 9; rank++)
        copy(s, 0, rank);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct network n = plain;
        n.cores = known[i].cores;
        ok(near(takes(s, 10, &n), known[i].rounds * one),
           "%d cores: 8 messages of one rank in %d turns", n.cores,
           known[i].rounds);
        ok(8 % n.cores != 0 ||
               near(takes(ring, 80, &n),
                    known[i].ring * (14 * step + 7 * added)),
           "%d cores: a ring's ranks take turns", n.cores);
        ok(near(takes(reduce, 10, &n), 8 * (one + added)),
           "%d cores: one rank adds alone", n.cores);
    }
    schedule_free(s);
    schedule_free(ring);
    schedule_free(reduce);
}

/* Several ports serve one step at a time: step 2 begins after all of step 1. */
static void
test_steps(void)
{
    static const struct topology any = {TOPOLOGY_ANY, {0}};
    struct network n = plain;
    struct schedule *s = empty_schedule(4, any);
    double one = plain.alpha + plain.beta * 40;

    n.ports = 2;
    schedule_step(s, "test");
    copy(s, 1, 0);
    schedule_step(s, "test");
    copy(s, 2, 0);
    copy(s, 3, 0);
    ok(near(takes(s, 10, &n), 2 * one), "messages of two steps");
    schedule_free(s);
}

/* Rank 1 receives from 0, from 2, from 0, ..., each time another slot. */
static struct schedule *
alternating(int pieces)
{
    static const struct topology ring = {TOPOLOGY_RING, {0}};
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "test",
        .nranks = 3, .pieces = pieces, .in_place = true, .topology = ring});

    schedule_step(s, "test");
    for (int slot = 0; slot < pieces; slot++)
        schedule_add(s, (struct transfer){slot % 2 * 2, 1, slot, slot, slot, 1,
                                          TRANSFER_COPY});
    return s;
}

/* Three messages each way, over so many links. */
static void
test_links(void)
{
    static const int rounds[] = {1, 3, 2, 1};
    struct network n = plain;
    struct schedule *s = alternating(6);
    double one = plain.alpha + plain.beta * 40;

    n.ports = 6;
    for (n.links = 0; n.links < 4; n.links++)
        ok(near(takes(s, 60, &n), rounds[n.links] * one),
           "three messages each over %d links", n.links);
    n.ports = 1;
    ok(near(takes(s, 60, &n), 6 * one), "one port is less than two links");
    schedule_free(s);
}

/* Slots that follow each other are one message, also if they are not in a row:
 * alpha counts once, and one port is enough. */
static void
test_parts(void)
{
    static const struct topology any = {TOPOLOGY_ANY, {0}};
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "test",
        .nranks = 3, .pieces = 5, .in_place = true, .topology = any});
    double parts = plain.alpha + plain.beta * 3 * 40 + plain.gamma * 40;
    struct network n = plain;

    schedule_step(s, "test");
    schedule_add(s, (struct transfer){0, 1, 0, 0, 0, 1, TRANSFER_COPY});
    schedule_add(s, (struct transfer){0, 1, 2, 2, 2, 1, TRANSFER_REDUCE});
    schedule_add(s, (struct transfer){0, 1, 4, 4, 4, 1, TRANSFER_COPY});
    ok(near(takes(s, 50, &n), parts), "three parts of a message");
    n.ports = 3;
    ok(near(takes(s, 50, &n), parts), "which more ports do not send faster");
    schedule_step(s, "test");
    schedule_add(s, (struct transfer){0, 1, 1, 1, 1, 1, TRANSFER_COPY});
    ok(near(takes(s, 50, &n), parts + plain.alpha + plain.beta * 40),
       "the next step has a message of its own");
    schedule_free(s);
}

/* Two nodes of three ranks: each rank sends to its counterpart, and to the
 * next rank of its node. */
static void
test_nodes(void)
{
    static const struct topology nodes = {TOPOLOGY_NODES, {2, 3, 1}};
    struct network n = plain;
    struct schedule *s = empty_schedule(6, nodes);
    double one = plain.alpha + plain.beta * 40;

    schedule_step(s, "across");
    for (int rank = 0; rank < 6; rank++)
        copy(s, rank, (rank + 3) % 6);
    for (n.links = 0; n.links <= 3; n.links++)
        ok(near(takes(s, 10, &n),
                (n.links == 0 ? 1 : (3 + n.links - 1) / n.links) * one),
           "three ranks of a node share %d links", n.links);
    schedule_step(s, "within");
    for (int rank = 0; rank < 6; rank++)
        copy(s, rank, rank / 3 * 3 + (rank + 1) % 3);
    n.links = 1;
    ok(near(takes(s, 10, &n), 4 * one), "messages within a node do not");
    n.links = 0;
    ok(near(takes(s, 10, &n), 2 * one), "without links none do");
    schedule_free(s);
}

/* Two nodes of two ranks send to a third, over the one link into it. */
static void
test_shared_link(void)
{
    static const struct topology nodes = {TOPOLOGY_NODES, {3, 2, 1}};
    struct network n = plain;
    struct schedule *s = empty_schedule(6, nodes);

    n.links = 1;
    schedule_step(s, "across");
    copy(s, 2, 0);
    copy(s, 5, 1);
    ok(near(takes(s, 10, &n), 2 * (plain.alpha + plain.beta * 40)),
       "messages from two nodes share the link into a third");
    schedule_free(s);
}

/* Rank 0 sends to 1, then to 2; 1 waits for 3, which is late. */
static void
test_waiting(void)
{
    static const struct topology any = {TOPOLOGY_ANY, {0}};
    static const int64_t delays[4] = {0, 0, 0, 5000};
    struct schedule *s = empty_schedule(4, any);
    double one = plain.alpha + plain.beta * 40;
    struct program *p;
    struct simulation *sim;
    const struct simulated *i;

    schedule_step(s, "test");
    copy(s, 3, 1);
    copy(s, 0, 1);
    copy(s, 0, 2);
    p = program_lower(s);
    sim = simulate(s, p, 10, &plain, delays);
    i = &sim->instrs[p->first[1]];
    ok(near(i[0].begin, 5000) && i[0].waited_for == 3 && near(i[0].wait, 5000),
       "rank 1 waits for 3, which is delayed");
    ok(near(i[1].begin, 5000 + one) && i[1].waited_for == -1 && i[1].wait <= 0,
       "then it takes 0's message, which was there");
    i = &sim->instrs[p->first[2]];
    ok(near(i->begin, 5000 + 2 * one) && i->waited_for == 0 &&
           near(i->wait, 5000 + 2 * one),
       "rank 2 waits for 0, whose messages go in order");
    ok(near(sim->rank_ends[3], 5000 + one),
       "rank 3 ends when its message has been taken");
    simulation_free(sim);
    program_free(p);
    schedule_free(s);
}

static void
test_same(void)
{
    struct network n = {"test", 1009, 0.731, 0.217, 2, 1, 0};
    struct schedule *s = build("hierarchical-allreduce", 24);
    struct program *p = program_lower(s);
    struct simulation *a = simulate(s, p, 1000, &n, NULL),
                      *b = simulate(s, p, 1000, &n, NULL);

    ok(memcmp(a->instrs, b->instrs, p->ninstrs * sizeof *a->instrs) == 0,
       "the same times again");
    simulation_free(a);
    simulation_free(b);
    program_free(p);
    schedule_free(s);
}

int
main(void)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        test_form(&forms[i]);
    test_ports();
    test_cores();
    test_steps();
    test_links();
    test_parts();
    test_nodes();
    test_shared_link();
    test_waiting();
    test_random();
    test_algorithms();
    test_same();
    return done_testing();
}
