/* SPDX-License-Identifier: MIT */
/* Simulated times: against the closed forms of alpha-beta-gamma, against a
 * second simulation that looks through all messages each time, and on small
 * schedules worked out by hand: ports, links, delays, empty messages. */
#include "schedule/simulation.h"

#include <math.h>
#include <stdlib.h>

#include "schedules.h"
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
simulate(const struct schedule *s, int64_t count, const struct network *n,
         const int64_t *delays)
{
    return simulation_new(&(struct simulation_spec){
        .schedule = s, .count = count, .size = 4, .network = n,
        .delays = delays});
}

/* How long a schedule takes. */
static double
takes(const struct schedule *s, int64_t count, const struct network *n)
{
    struct simulation *sim = simulate(s, count, n, NULL);
    double end = sim->end;

    simulation_free(sim);
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
        s = build_in_place(f->name, n);
        expected = value_of(f->alpha, n) * plain.alpha +
                   value_of(f->beta, n) * plain.beta * bytes +
                   value_of(f->gamma, n) * plain.gamma * bytes;
        got = takes(s, units, &plain);
        ok(near(got, expected), "%s on %d: %.9g ns, by its formula %.9g",
           f->name, n, got, expected);
        schedule_free(s);
    }
}

/* A second simulation, without queues and lists: it looks through all messages
 * whenever something has ended, and through all slots for what waits for what.
 * It takes the messages, but no times, from the first. */
struct plain_message {
    const struct simulated *m;
    double bytes, added;
    enum { WAITING, READY, SENT, RECEIVING, OVER } state;
    double sent, end; /* from the sender's port; at the receiver */
};

struct plain_sim {
    const struct schedule *s;
    const struct network *network;
    const int64_t *delays;
    int64_t *lengths; /* of chunks */
    struct plain_message *messages;
    size_t n;
    bool *waits; /* [i * n + k]: i for k */
    double now;
};

static bool
overlap(int rank, int slot, int n, int other_rank, int other_slot, int other_n)
{
    return rank == other_rank && slot < other_slot + other_n &&
           other_slot < slot + n;
}

/* Whether transfer t must wait for transfer u of an earlier step. */
static bool
conflict(const struct transfer *t, const struct transfer *u)
{
    bool adds = t->op == TRANSFER_REDUCE, u_adds = u->op == TRANSFER_REDUCE;

    return overlap(t->src, t->src_slot, t->nslots, u->dst, u->dst_slot,
                   u->nslots) ||
           (adds && overlap(t->dst, t->add_slot, t->nslots, u->dst,
                            u->dst_slot, u->nslots)) ||
           overlap(t->dst, t->dst_slot, t->nslots, u->dst, u->dst_slot,
                   u->nslots) ||
           overlap(t->dst, t->dst_slot, t->nslots, u->src, u->src_slot,
                   u->nslots) ||
           (u_adds && overlap(t->dst, t->dst_slot, t->nslots, u->dst,
                              u->add_slot, u->nslots));
}

static size_t
message_at(const struct plain_sim *p, int step, const struct transfer *t)
{
    size_t i = 0;

    while (i < p->n && (p->messages[i].m->step != step ||
                        p->messages[i].m->src != t->src ||
                        p->messages[i].m->dst != t->dst))
        i++;
    if (i == p->n)
        die("step %d: no message from %d to %d", step, t->src, t->dst);
    return i;
}

static void
add_slot(void *state, int step, const struct transfer *t, int k, int chunk)
{
    struct plain_sim *p = state;
    struct plain_message *m = &p->messages[message_at(p, step, t)];
    double bytes = 4.0 * (double)p->lengths[chunk];

    (void)k;
    m->bytes += bytes;
    m->added += t->op == TRANSFER_REDUCE ? bytes : 0;
}

static bool
touches(const struct simulated *m, int rank)
{
    return m->src == rank || m->dst == rank;
}

/* When a delayed rank goes on to a step: its delay after all that it has
 * received in the steps before, and after the delay before.  Never, while one
 * of them is not over. */
static double
opens(const struct plain_sim *p, int rank, int step)
{
    double at = 0;
    int before = 0;

    for (size_t i = 0; i < p->n; i++) {
        const struct plain_message *m = &p->messages[i];
        if (m->m->step >= step || !touches(m->m, rank))
            continue;
        before = m->m->step > before ? m->m->step : before;
        if (m->m->dst == rank)
            at = fmax(at, m->state == OVER ? m->end : INFINITY);
    }
    if (before > 0)
        at = fmax(at, opens(p, rank, before));
    return at + (double)p->delays[rank];
}

static bool
is_ready(const struct plain_sim *p, size_t i)
{
    const struct simulated *m = p->messages[i].m;

    for (size_t k = 0; k < p->n; k++)
        if (p->waits[i * p->n + k] && p->messages[k].state != OVER)
            return false;
    return p->delays == NULL ||
           ((p->delays[m->src] == 0 || opens(p, m->src, m->step) <= p->now) &&
            (p->delays[m->dst] == 0 || opens(p, m->dst, m->step) <= p->now));
}

/* Ends what is over now, and finds what has become ready by it. */
static void
settle(struct plain_sim *p)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t i = 0; i < p->n; i++) {
            struct plain_message *m = &p->messages[i];
            unsigned was = m->state;
            if (m->state == RECEIVING && m->end <= p->now)
                m->state = OVER;
            if (m->state == WAITING && is_ready(p, i))
                m->state = m->m->src == m->m->dst ? SENT : READY;
            if ((m->state == READY && m->bytes <= 0) ||
                (m->state == SENT && m->m->src == m->m->dst &&
                 m->added <= 0)) {
                m->state = OVER;
                m->end = p->now;
            }
            changed |= m->state != was;
        }
    }
}

static int
busy(const struct plain_sim *p, int rank, bool sends)
{
    int count = 0;

    for (size_t i = 0; i < p->n; i++) {
        const struct plain_message *m = &p->messages[i];
        count += sends ? m->m->src == rank && m->sent > p->now
                       : m->m->dst == rank && m->state == RECEIVING;
    }
    return count;
}

/* A switch has ports for all, and adds at once. */
static bool
is_switch(const struct plain_sim *p, int rank)
{
    return rank >= schedule_members(p->s);
}

/* What ends at the same time must do so in both simulations: the sums are made
 * in the same order. */
static void
serve(struct plain_sim *p)
{
    const struct network *n = p->network;

    for (size_t i = 0; i < p->n; i++) {
        struct plain_message *m = &p->messages[i];
        if (m->state != READY || (busy(p, m->m->src, true) >= n->ports &&
                                  !is_switch(p, m->m->src)))
            continue;
        m->state = SENT;
        m->sent = p->now + (n->alpha + n->beta * m->bytes);
    }
    for (size_t i = 0; i < p->n; i++) {
        struct plain_message *m = &p->messages[i];
        if (m->state != SENT || (busy(p, m->m->dst, false) >= n->ports &&
                                 !is_switch(p, m->m->dst)))
            continue;
        m->state = RECEIVING;
        m->end = m->m->src == m->m->dst ? 0 : n->alpha + n->beta * m->bytes;
        m->end = p->now + (m->end + (is_switch(p, m->m->dst) ? 0 : n->gamma) *
                                        m->added);
    }
}

static double
next_time(const struct plain_sim *p)
{
    double at = INFINITY;

    for (size_t i = 0; i < p->n; i++) {
        const struct plain_message *m = &p->messages[i];
        if (m->sent > p->now)
            at = fmin(at, m->sent);
        if (m->state == RECEIVING)
            at = fmin(at, m->end);
        for (int end = 0;
             p->delays != NULL && end < 2 && m->state == WAITING; end++) {
            int rank = end ? m->m->dst : m->m->src;
            double open = p->delays[rank] > 0 ? opens(p, rank, m->m->step) : 0;
            if (open > p->now)
                at = fmin(at, open);
        }
    }
    return at;
}

/* The number of messages whose times are others, and of ranks. */
static int
compare(const struct schedule *s, int64_t count, const struct network *network,
        const int64_t *delays)
{
    struct simulation *sim = simulate(s, count, network, delays);
    struct plain_sim p = {.s = s, .network = network, .delays = delays,
                          .lengths = schedule_chunk_lengths(s, count),
                          .n = sim->nmessages};
    int wrong = 0;

    p.messages = mem_new(p.n, sizeof *p.messages);
    p.waits = mem_new(p.n * p.n, sizeof *p.waits);
    for (size_t i = 0; i < p.n; i++)
        p.messages[i].m = &sim->messages[i];
    schedule_walk(s, add_slot, &p);
    for (int step = 1; step <= s->nsteps; step++)
        for (size_t i = 0; i < s->steps[step - 1].count; i++)
            for (int before = 1; before < step; before++)
                for (size_t k = 0; k < s->steps[before - 1].count; k++) {
                    const struct transfer *t =
                        &s->transfers[s->steps[step - 1].first + i];
                    const struct transfer *u =
                        &s->transfers[s->steps[before - 1].first + k];
                    if (conflict(t, u))
                        p.waits[message_at(&p, step, t) * p.n +
                                message_at(&p, before, u)] = true;
                }
    for (p.now = 0; p.now < INFINITY; p.now = next_time(&p)) {
        settle(&p);
        serve(&p);
    }
    for (size_t i = 0; i < p.n; i++)
        wrong += p.messages[i].state != OVER ||
                 !near(p.messages[i].end, sim->messages[i].end);
    for (int rank = 0; rank < s->nranks; rank++) {
        double end = 0;
        for (size_t i = 0; i < p.n; i++)
            if (touches(p.messages[i].m, rank))
                end = fmax(end, p.messages[i].end);
        wrong += !near(sim->rank_ends[rank], end);
    }
    free(p.lengths);
    free(p.messages);
    free(p.waits);
    simulation_free(sim);
    return wrong;
}

static void
test_random(void)
{
    static const int64_t delays[8] = {0, 300, 7000, 0, 1, 0, 90000, 12};
    struct network two = plain;
    int wrong = 0, delayed = 0, empty = 0, more = 0;

    two.ports = 2;
    for (uint32_t seed = 1; seed <= 2000; seed++) {
        struct state end;
        struct schedule *s = random_schedule(seed, &end);
        wrong += compare(s, 1000, &plain, NULL) > 0;
        more += compare(s, 1000, &two, NULL) > 0;
        delayed += compare(s, 1000, &plain, delays) > 0;
        empty += compare(s, 3, &plain, NULL) > 0;
        schedule_free(s);
        state_free(&end);
    }
    is_int(wrong, 0, "random schedules: as by the second simulation");
    is_int(more, 0, "with two ports");
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
            wrong += compare(s, 100, &plain, NULL);
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
#define IN_TURN "0.0>1.0; 2.1>1.1; 0.2>1.2; 2.3>1.3; 0.4>1.4; 2.5>1.5"
/* Of two nodes each rank sends to its counterpart; to the next of its node. */
#define ACROSS "0.0>3.1 1.0>4.2 2.0>5.3 3.0>0.4 4.0>1.5 5.0>2.6"
#define WITHIN "0.0>1.1 1.0>2.2 2.0>0.3 3.0>4.4 4.0>5.5 5.0>3.6"
#define ANY {TOPOLOGY_ANY, {0}}
#define TWO_NODES {TOPOLOGY_NODES, {2, 3, 1}, 0}

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
    /* A port serves what is ready, whatever its step: rank 1's message of step
     * 1 waits for rank 3, that of step 2 does not. */
    {"messages of three steps", "3.0>1.4; 1.4>0.4; 1.0>2.2", 4, 0, ANY,
     1, 0, 0, 2},
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
     1, 1, 0, 3},
    {"without links none do", ACROSS ";" WITHIN, 6, 0, TWO_NODES, 1, 0, 0, 2},
    {"two nodes share the link into a third", "2.0>0.3 5.0>1.6", 6, 0,
     {TOPOLOGY_NODES, {3, 2, 1}, 0}, 1, 1, 0, 2},
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
    struct schedule *ring = build_in_place("ring-allreduce", 8);
    struct schedule *reduce = build_in_place("flat-reduce", 9);
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

/* What a rank adds in its own memory may wait for a core, but for no rank. */
static void
test_own_waits(void)
{
    struct schedule *s = build_in_place("naive-allreduce", 4);
    struct network n = plain;
    struct simulation *sim;
    int wrong = 0;

    n.cores = 1;
    sim = simulate(s, 64, &n, NULL);
    for (size_t i = 0; i < sim->nmessages; i++)
        wrong += sim->messages[i].waited_for == sim->messages[i].dst;
    is_int(wrong, 0, "no rank waits for itself");
    simulation_free(sim);
    schedule_free(s);
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
        n.ports = 1;
        ok(near(takes(s, 50, &n), parts + more * one),
           "three parts of a message%s",
           more ? ", and one in the next step" : "");
        n.ports = 3;
        ok(more || near(takes(s, 50, &n), parts),
           "which more ports do not send faster");
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
    struct simulation *sim;
    const struct simulated *m;

    sim = simulate(s, 10, &plain, delays);
    m = sim->messages;
    is_int((int)sim->nmessages, 3, "three messages");
    ok(near(m[0].begin, 5000) && m[0].waited_for == 3 &&
           near(m[0].wait, 5000 - one),
       "rank 1 waits for 3, as soon as it has what 0 sends");
    ok(near(m[1].begin, 0) && m[1].waited_for == -1 && m[1].wait <= 0,
       "which does not wait");
    ok(near(m[2].begin, one) && m[2].waited_for == 0 && near(m[2].wait, one),
       "rank 2 waits for 0, which sends one message after the other");
    ok(near(sim->rank_ends[3], 5000 + one),
       "rank 3 ends when its message has been taken");
    simulation_free(sim);
    schedule_free(s);
}

/* A port of a double tree's busiest rank carries twice the data.  With the best
 * number of chunks the ports are busy nearly all the time. */
static void
test_double_tree(void)
{
    static const struct network ethernet = {
        "ethernet", 20000, 0.08, 0.0009, 1, 0, 0};
    const int64_t count = 64 << 20; /* of 4 bytes */
    double ports = 2 * ethernet.beta * 4.0 * (double)count;

    for (int n = 8; n <= 16; n++) {
        double best = INFINITY;
        for (int chunks = 4; chunks <= 64; chunks *= 2) {
            struct coll_options o = {
                .nranks = n, .in_place = true, .chunks = chunks};
            struct schedule *s = build("double-tree-allreduce", &o);
            best = fmin(best, takes(s, count, &ethernet));
            schedule_free(s);
        }
        ok(best <= 1.15 * ports, "a double tree on %d: %.3f of its ports' time",
           n, best / ports);
    }
}

static void
test_same(void)
{
    struct network n = {"test", 1009, 0.731, 0.217, 2, 1, 0};
    struct schedule *s = build_in_place("hierarchical-allreduce", 24);
    struct simulation *a = simulate(s, 1000, &n, NULL),
                      *b = simulate(s, 1000, &n, NULL);
    int others = 0;

    for (size_t i = 0; i < a->nmessages; i++)
        others += !near(a->messages[i].end, b->messages[i].end);
    ok(others == 0 && a->nmessages == b->nmessages && near(a->end, b->end),
       "the same times again");
    simulation_free(a);
    simulation_free(b);
    schedule_free(s);
}

int
main(void)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        test_form(&forms[i]);
    test_rows();
    test_cores();
    test_own_waits();
    test_parts();
    test_waiting();
    test_double_tree();
    test_random();
    test_algorithms();
    test_same();
    return done_testing();
}
