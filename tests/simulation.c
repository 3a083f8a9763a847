/* SPDX-License-Identifier: MIT */
/* Simulated times: against the closed forms of alpha-beta-gamma, against plain
 * recurrences on random schedules, and on small schedules worked out by hand:
 * ports, links, delays, empty messages. */
#include "schedule/simulation.h"

#include <math.h>
#include <stdlib.h>

#include "build.h"
#include "made.h"
#include "random_schedule.h"
#include "tap.h"

/* No two sums of these are equal by chance. */
static const struct network plain = {"test", 1009, 0.731, 0.217, 1, 0, 0};

static bool
near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(b));
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
 * ranks, where S is the bytes of a rank's input: `times` one of these. */
enum { NONE, LOG /* of n */, LESS /* n - 1 */, SHARE /* (n - 1) / n */ };

static const struct form {
    const char *name;
    bool powers; /* it is for powers of two */
    struct factor {
        double times;
        int of;
    } alpha, beta, gamma;
} forms[] = {
    {"ring-allreduce", false, {2, LESS}, {2, SHARE}, {1, SHARE}},
    {"ring-reduce-scatter", false, {1, LESS}, {1, SHARE}, {1, SHARE}},
    {"ring-allgather", false, {1, LESS}, {1, LESS}, {0, NONE}},
    {"reduce-broadcast-allreduce", false, {2, LOG}, {2, LOG}, {1, LOG}},
    {"binomial-broadcast", false, {1, LOG}, {1, LOG}, {0, NONE}},
    {"butterfly-allreduce", true, {1, LOG}, {1, LOG}, {1, LOG}},
    {"hypercube-allreduce", true, {1, LOG}, {1, LOG}, {1, LOG}},
    {"halving-doubling-allreduce", true, {2, LOG}, {2, SHARE}, {1, SHARE}},
    {"server-allreduce", false, {2, LESS}, {2, LESS}, {1, LESS}},
    {"flat-broadcast", false, {1, LESS}, {1, LESS}, {0, NONE}},
    {"sharded-server-allreduce", false, {2, LESS}, {2, SHARE}, {1, SHARE}},
    {"bruck-allgather", true, {1, LOG}, {1, LESS}, {0, NONE}},
    {"bruck-alltoall", true, {1, LOG}, {0.5, LOG}, {0, NONE}},
};

static double
value_of(struct factor f, int n)
{
    const double values[] = {0, log2_of(n), n - 1, (n - 1.0) / n};

    return f.times * values[f.of];
}

static void
test_form(const struct form *f)
{
    static const int ranks[] = {2, 3, 4, 5, 7, 8, 13, 16, 32, 64};
    static const int units = 4096 * 9 * 5 * 7 * 13; /* divide by all of them */

    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        int n = ranks[i];
        double bytes = 4.0 * units, expected, got;
        struct schedule *s;

        if (f->powers && 1 << log2_of(n) != n)
            continue;
        s = in_place(f->name, n);
        expected = value_of(f->alpha, n) * plain.alpha +
                   value_of(f->beta, n) * plain.beta * bytes +
                   value_of(f->gamma, n) * plain.gamma * bytes;
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

/* In one step, rank 0 sends to all others and receives from all others. */
#define BOTH_WAYS \
    "0.0>1.1 1.0>0.2 0.0>2.1 2.0>0.3 0.0>3.1 3.0>0.4 0.0>4.1 4.0>0.5"
#define TO_EIGHT \
    "0.0>1.1 0.0>2.1 0.0>3.1 0.0>4.1 0.0>5.1 0.0>6.1 0.0>7.1 0.0>8.1"
/* Rank 1 receives from 0, from 2, from 0, ..., each time another slot. */
#define IN_TURN "0.0>1.0 2.1>1.1 0.2>1.2 2.3>1.3 0.4>1.4 2.5>1.5"
/* Of two nodes each rank sends to its counterpart; to the next of its node. */
#define ACROSS "0.0>3.1 1.0>4.2 2.0>5.3 3.0>0.4 4.0>1.5 5.0>2.6"
#define WITHIN "0.0>1.1 1.0>2.2 2.0>0.3 3.0>4.4 4.0>5.5 5.0>3.6"
#define ANY {TOPOLOGY_ANY, {0}}
#define TWO_NODES {TOPOLOGY_NODES, {2, 3, 1}}

/* Messages of 10 elements, which take so many times as long as one of them. */
static const struct {
    const char *name, *steps;
    int nranks, pieces; /* of an all-reduce in place; 0: of an all-gather */
    struct topology topology;
    int ports, links, cores, times;
} rows[] = {
    {"one after the other, both ways at once", BOTH_WAYS, 5, 0, ANY,
     1, 0, 0, 4},
    {"two at once, both ways", BOTH_WAYS, 5, 0, ANY, 2, 0, 0, 2},
    {"three of four, and one", BOTH_WAYS, 5, 0, ANY, 3, 0, 0, 2},
    {"four ports", BOTH_WAYS, 5, 0, ANY, 4, 0, 0, 1},
    {"more ports than messages", BOTH_WAYS, 5, 0, ANY, 64, 0, 0, 1},
    /* Threads on cores read from rank 0 all at once, if there are enough. */
    {"one core", TO_EIGHT, 9, 0, ANY, 1, 0, 1, 8},
    {"two cores", TO_EIGHT, 9, 0, ANY, 1, 0, 2, 4},
    {"three cores", TO_EIGHT, 9, 0, ANY, 1, 0, 3, 3},
    {"four cores", TO_EIGHT, 9, 0, ANY, 1, 0, 4, 2},
    {"eight cores", TO_EIGHT, 9, 0, ANY, 1, 0, 8, 1},
    /* Step 2 begins after all of step 1. */
    {"two ports serve one step at a time", "1.0>0.2; 2.0>0.3 3.0>0.4", 4, 0,
     ANY, 2, 0, 0, 2},
    {"any number of links", IN_TURN, 3, 6, {TOPOLOGY_RING, {0}}, 6, 0, 0, 1},
    {"three messages each over a link", IN_TURN, 3, 6, {TOPOLOGY_RING, {0}},
     6, 1, 0, 3},
    {"over two links", IN_TURN, 3, 6, {TOPOLOGY_RING, {0}}, 6, 2, 0, 2},
    {"over three links", IN_TURN, 3, 6, {TOPOLOGY_RING, {0}}, 6, 3, 0, 1},
    {"one port is less than links", IN_TURN, 3, 6, {TOPOLOGY_RING, {0}},
     1, 4, 0, 6},
    {"nodes without links between them", ACROSS, 6, 0, TWO_NODES, 1, 0, 0, 1},
    {"three ranks of a node share a link", ACROSS, 6, 0, TWO_NODES,
     1, 1, 0, 3},
    {"two links", ACROSS, 6, 0, TWO_NODES, 1, 2, 0, 2},
    {"three links", ACROSS, 6, 0, TWO_NODES, 1, 3, 0, 1},
    {"messages within a node share none", ACROSS ";" WITHIN, 6, 0, TWO_NODES,
     1, 1, 0, 4},
    {"without links none do", ACROSS ";" WITHIN, 6, 0, TWO_NODES, 1, 0, 0, 2},
    {"two nodes share the link into a third", "2.0>0.3 5.0>1.6", 6, 0,
     {TOPOLOGY_NODES, {3, 2, 1}}, 1, 1, 0, 2},
};

static void
test_rows(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool gather = rows[i].pieces == 0;
        struct schedule *s = made(
            (struct schedule_spec){
                .collective = gather ? collective_find("allgather") : NULL,
                .nranks = rows[i].nranks,
                .pieces = gather ? 1 : rows[i].pieces, .in_place = !gather,
                .topology = rows[i].topology},
            rows[i].steps);
        struct network n = plain;
        n.ports = rows[i].ports;
        n.links = rows[i].links;
        n.cores = rows[i].cores;
        ok(near(takes(s, 10 * s->pieces, &n),
                rows[i].times * (plain.alpha + plain.beta * 40)),
           "%s: %d times as long", rows[i].name, rows[i].times);
        schedule_free(s);
    }
}

/* Threads on cores: the ranks of a ring take turns; what rank 0 adds it adds
 * alone, one after the other. */
static void
test_cores(void)
{
    struct schedule *ring = in_place("ring-allreduce", 8);
    struct schedule *reduce = in_place("flat-reduce", 9);
    double one = plain.alpha + plain.beta * 40, added = plain.gamma * 40;
    struct network n = plain;

    for (n.cores = 1; n.cores <= 8; n.cores *= 2) {
        ok(near(takes(ring, 80, &n), 8 / n.cores * (14 * one + 7 * added)),
           "%d cores: a ring's ranks take turns", n.cores);
        ok(near(takes(reduce, 10, &n), 8 * (one + added)),
           "%d cores: one rank adds alone", n.cores);
    }
    schedule_free(ring);
    schedule_free(reduce);
}

/* Slots that follow each other are one message, also if they are not in a row:
 * alpha counts once, and one port is enough. */
static void
test_parts(void)
{
    static const char *const steps[] = {"0.0>1.0 0.2+1.2 0.4>1.4",
                                        "0.0>1.0 0.2+1.2 0.4>1.4; 0.1>1.1"};
    double one = plain.alpha + plain.beta * 40;
    double parts = one + plain.beta * 2 * 40 + plain.gamma * 40;
    struct network n = plain;

    for (int more = 0; more < 2; more++) {
        struct schedule *s = made((struct schedule_spec){
                                      .nranks = 3, .pieces = 5,
                                      .in_place = true}, steps[more]);
        for (n.ports = 1; n.ports <= 3; n.ports += 2)
            ok(near(takes(s, 50, &n), parts + more * one),
               "three parts of a message, %d ports%s", n.ports,
               more ? ", and one in the next step" : "");
        schedule_free(s);
    }
}

/* Rank 0 sends to 1, then to 2; 1 waits for 3, which is late. */
static void
test_waiting(void)
{
    static const int64_t delays[4] = {0, 0, 0, 5000};
    struct schedule *s = made(
        (struct schedule_spec){.collective = collective_find("allgather"),
                               .nranks = 4, .pieces = 1},
        "3.0>1.4 0.0>1.1 0.0>2.1");
    double one = plain.alpha + plain.beta * 40;
    struct program *p;
    struct simulation *sim;
    const struct simulated *i;

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
    struct schedule *s = in_place("hierarchical-allreduce", 24);
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
    test_rows();
    test_cores();
    test_parts();
    test_waiting();
    test_random();
    test_algorithms();
    test_same();
    return done_testing();
}
