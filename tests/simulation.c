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

OWN_FREE(simulation)

/* No two sums of these are equal by chance. */
static const struct network plain = {
    .name = "test", 1009, 0.731, 0.217, .ports = 1};

/* Times that far apart are one, but for rounding. */
#define SAME (1 + 1e-11)

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
    OWNS(simulation) *sim = simulate(s, count, n, NULL);
    double end = sim->end;

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
        OWNS(schedule) *s = NULL;

        if (f->powers && 1 << log2_of(n) != n)
            continue;
        s = build_in_place(f->name, n);
        expected = value_of(f->alpha, n) * plain.alpha +
                   value_of(f->beta, n) * plain.beta * bytes +
                   value_of(f->gamma, n) * plain.gamma * bytes;
        got = takes(s, units, &plain);
        ok(near(got, expected), "%s on %d: %.9g ns, by its formula %.9g",
           f->name, n, got, expected);
    }
}

/* A second simulation, without queues and lists: it looks through all messages
 * whenever something has ended, and through all slots for what waits for what.
 * It takes the messages, but no times, from the first. */
struct plain_message {
    const struct simulated *m;
    double bytes, added;
    enum { WAITING, READY, RECEIVING, OVER } state;
    enum { SENDS, LEAVES, ENTERS, RECEIVES, PORTS } next; /* if READY */
    double until[PORTS]; /* the ports are busy with it */
    double end;
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
            if (m->state == RECEIVING && m->end <= p->now * SAME)
                m->state = OVER;
            if (m->state == WAITING && is_ready(p, i))
                m->state = READY;
            if (m->state == READY &&
                (m->m->src == m->m->dst ? m->added : m->bytes) <= 0) {
                m->state = OVER;
                m->end = p->now;
            }
            changed |= m->state != was;
        }
    }
}

static bool
crosses(const struct network *n, const struct simulated *m)
{
    return n->gpus > 0 && m->src / n->gpus != m->dst / n->gpus;
}

/* The number of a message's port, -1 if it goes through none: a rank's port in
 * its host has the rank's number; that to the other hosts the next thousand;
 * NICs that are shared have those from 10,000 on. */
static int
port_of(const struct network *n, const struct simulated *m, int port)
{
    int rank = port < ENTERS ? m->src : m->dst;

    if (port == RECEIVES || (port == SENDS && m->src != m->dst))
        return rank + (crosses(n, m) ? 1000 : 0);
    return !crosses(n, m) || n->nics == n->gpus
               ? -1
               : 10000 + rank / n->gpus * n->nics +
                     rank % n->gpus * n->nics / n->gpus;
}

/* A switch has ports for all, and adds at once. */
static bool
is_switch(const struct plain_sim *p, int rank)
{
    return rank >= schedule_members(p->s);
}

/* Whether as many messages as it can take are in a message's next port. */
static bool
is_full(const struct plain_sim *p, const struct plain_message *m, int port)
{
    int count = 0, at = port_of(p->network, m->m, port);

    if (is_switch(p, port < ENTERS ? m->m->src : m->m->dst))
        return false;
    for (size_t i = 0; i < p->n; i++)
        count += p->messages[i].until[port] > p->now * SAME &&
                 port_of(p->network, p->messages[i].m, port) == at;
    return count >= (crosses(p->network, m->m) ? 1 : p->network->ports);
}

static void
serve(struct plain_sim *p)
{
    const struct network *n = p->network;

    for (int port = SENDS; port < PORTS; port++)
        for (size_t i = 0; i < p->n; i++) {
            struct plain_message *m = &p->messages[i];
            bool between = crosses(n, m->m), none = port_of(n, m->m, port) < 0;
            double takes = (between ? n->between_alpha : n->alpha) +
                           (between ? n->between_beta : n->beta) * m->bytes;
            if (m->state != READY || m->next != (unsigned)port ||
                (!none && is_full(p, m, port)))
                continue;
            m->next++;
            if (port == RECEIVES) {
                m->state = RECEIVING;
                takes = (m->m->src == m->m->dst ? 0 : takes) +
                        (is_switch(p, m->m->dst) ? 0 : n->gamma) * m->added;
                m->end = p->now + takes;
            }
            if (!none)
                m->until[port] = p->now + takes;
        }
}

static double
next_time(const struct plain_sim *p)
{
    double at = INFINITY;

    for (size_t i = 0; i < p->n; i++) {
        const struct plain_message *m = &p->messages[i];
        for (int port = SENDS; port < PORTS; port++)
            if (m->until[port] > p->now * SAME)
                at = fmin(at, m->until[port]);
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
    OWNS(simulation) *sim = simulate(s, count, network, delays);
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
    return wrong;
}

static void
test_random(void)
{
    static const int64_t delays[8] = {0, 300, 7000, 0, 1, 0, 90000, 12};
    struct network two = plain, hosts = plain, own;
    int wrong = 0, delayed = 0, empty = 0, more = 0, shared = 0, alone = 0;

    two.ports = 2;
    hosts.gpus = 3;
    hosts.nics = 2;
    hosts.between_alpha = 2503;
    hosts.between_beta = 1.311;
    own = hosts;
    own.nics = 3;
    own.ports = 2;
    for (uint32_t seed = 1; seed <= 2000; seed++) {
        OWNS(schedule) *s = random_schedule(seed);
        wrong += compare(s, 1000, &plain, NULL) > 0;
        more += compare(s, 1000, &two, NULL) > 0;
        delayed += compare(s, 1000, &plain, delays) > 0;
        empty += compare(s, 3, &plain, NULL) > 0;
        shared += compare(s, 1000, &hosts, NULL) > 0;
        alone += compare(s, 1000, &own, delays) > 0;
    }
    is_int(wrong, 0, "random schedules: as by the second simulation");
    is_int(more, 0, "with two ports");
    is_int(delayed, 0, "with ranks that are delayed");
    is_int(empty, 0, "with messages of no bytes");
    is_int(shared, 0, "on hosts whose ranks share NICs");
    is_int(alone, 0, "on hosts whose ranks have NICs of their own");
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
            OWNS(schedule) *s = coll_build(a, &o, &err);
            if (s == NULL)
                continue;
            wrong += compare(s, 100, &plain, NULL);
            runs++;
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
#define ANY {TOPOLOGY_ANY, {0}, 0}
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
    {"any number of links", IN_TURN, 3, 6, {TOPOLOGY_RING, {0}, 0}, 6, 0, 0, 1},
    {"three messages each over a link", IN_TURN, 3, 6, {TOPOLOGY_RING, {0}, 0},
     6, 1, 0, 3},
    {"over two links", IN_TURN, 3, 6, {TOPOLOGY_RING, {0}, 0}, 6, 2, 0, 2},
    {"over three links", IN_TURN, 3, 6, {TOPOLOGY_RING, {0}, 0}, 6, 3, 0, 1},
    {"one port is less than links", IN_TURN, 3, 6, {TOPOLOGY_RING, {0}, 0},
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
        OWNS(schedule) *s = made(
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
    }
}

/* Threads on cores: the ranks of a ring take turns; what rank 0 adds it adds
 * alone, one after the other. */
static void
test_cores(void)
{
    OWNS(schedule) *ring = build_in_place("ring-allreduce", 8);
    OWNS(schedule) *reduce = build_in_place("flat-reduce", 9);
    double one = plain.alpha + plain.beta * 40, added = plain.gamma * 40;
    struct network n = plain;

    for (n.cores = 1; n.cores <= 8; n.cores *= 2) {
        ok(near(takes(ring, 80, &n), 8 / n.cores * (14 * one + 7 * added)),
           "%d cores: a ring's ranks take turns", n.cores);
        ok(near(takes(reduce, 10, &n), 8 * (one + added)),
           "%d cores: one rank adds alone", n.cores);
    }
}

/* What a rank adds in its own memory may wait for a core, but for no rank. */
static void
test_own_waits(void)
{
    OWNS(schedule) *s = build_in_place("naive-allreduce", 4);
    struct network n = plain;
    OWNS(simulation) *sim = NULL;
    int wrong = 0;

    n.cores = 1;
    sim = simulate(s, 64, &n, NULL);
    for (size_t i = 0; i < sim->nmessages; i++)
        wrong += sim->messages[i].waited_for == sim->messages[i].dst;
    is_int(wrong, 0, "no rank waits for itself");
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
        OWNS(schedule) *s = made_in_place(3, 5, 0, steps[more]);
        n.ports = 1;
        ok(near(takes(s, 50, &n), parts + more * one),
           "three parts of a message%s",
           more ? ", and one in the next step" : "");
        n.ports = 3;
        ok(more || near(takes(s, 50, &n), parts),
           "which more ports do not send faster");
    }
}

/* Rank 0 sends to 1, then to 2; 1 waits for 3, which is late. */
static void
test_waiting(void)
{
    static const int64_t delays[4] = {0, 0, 0, 5000};
    OWNS(schedule) *s = made(
        (struct schedule_spec){.collective = collective_find("allgather"),
                               .nranks = 4, .pieces = 1},
        "3.0>1.4 0.0>1.1 0.0>2.1");
    double one = plain.alpha + plain.beta * 40;
    OWNS(simulation) *sim = NULL;
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
}

/* A port of a double tree's busiest rank carries twice the data.  With the best
 * number of chunks the ports are busy nearly all the time. */
static void
test_double_tree(void)
{
    static const struct network ethernet = {
        .name = "ethernet", 20000, 0.08, 0.0009, .ports = 1};
    const int64_t count = 64 << 20; /* of 4 bytes */
    double ports = 2 * ethernet.beta * 4.0 * (double)count;

    for (int n = 8; n <= 16; n++) {
        double best = INFINITY;
        for (int chunks = 4; chunks <= 64; chunks *= 2) {
            struct coll_options o = {
                .nranks = n, .in_place = true, .chunks = chunks};
            OWNS(schedule) *s = build("double-tree-allreduce", &o);
            best = fmin(best, takes(s, count, &ethernet));
        }
        ok(best <= 1.15 * ports, "a double tree on %d: %.3f of its ports' time",
           n, best / ports);
    }
}

/* Hosts of so many GPUs and NICs, between which messages take longer. */
static struct network
on_hosts(int gpus, int nics)
{
    struct network n = plain;

    n.gpus = gpus;
    n.nics = nics;
    n.between_alpha = 5003;
    n.between_beta = 3.307;
    return n;
}

/* Of 10 elements: how many times as long as a message in a host, and as one
 * between hosts. */
static void
test_host_rows(void)
{
    static const struct {
        const char *name, *steps;
        int gpus, nics, inside, between;
    } hosts[] = {
        {"a message in a host", "0.0>1.1", 2, 1, 1, 0},
        {"and one between hosts", "1.0>2.1", 2, 1, 0, 1},
        {"two GPUs share a NIC out", "0.0>4.1 1.0>5.2", 4, 1, 0, 2},
        {"and in", "0.0>4.1 8.0>5.2", 4, 1, 0, 2},
        {"but a NIC sends and receives at once", "0.0>4.1 4.0>0.2", 4, 1, 0, 1},
        {"each has its own", "0.0>4.1 1.0>5.2", 4, 4, 0, 1},
        {"of two NICs the first is that of GPUs 0 and 1", "0.0>4.1 1.0>5.2", 4,
         2, 0, 2},
        {"and 1 and 2 have different ones", "1.0>4.1 2.0>6.2", 4, 2, 0, 1},
        {"of three, that of 1 is also 0's", "0.0>4.1 1.0>6.2", 4, 3, 0, 2},
        {"a rank's own NIC takes one message at a time", "0.0>4.1 0.0>5.2", 4,
         4, 0, 2},
        {"ports inside are others", "0.0>4.1 0.0>1.2 0.0>2.2 0.0>3.2", 4, 4, 0,
         1},
        {"one step after the other", "0.0>1.1; 1.1>4.1", 4, 1, 1, 1},
        {"the last host is not full", "0.0>8.1", 4, 3, 0, 1},
    };

    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        struct network n = on_hosts(hosts[i].gpus, hosts[i].nics);
        struct schedule *s = made(
            (struct schedule_spec){.collective = collective_find("allgather"),
                                   .nranks = 9, .pieces = 1},
            hosts[i].steps);
        double expected = hosts[i].inside * (n.alpha + n.beta * 40) +
                          hosts[i].between *
                              (n.between_alpha + n.between_beta * 40);
        ok(near(takes(s, 10, &n), expected), "hosts: %s", hosts[i].name);
        schedule_free(s);
    }
}

/* On hosts of one GPU all messages are on the network between them, on one host
 * none is. */
static void
test_host_limits(void)
{
    struct network between = on_hosts(1, 1), flat = plain, one;
    int wrong = 0, runs = 0;

    flat.alpha = between.between_alpha;
    flat.beta = between.between_beta;
    for (int i = 0; coll_at(i) != NULL; i++)
        for (int n = 2; n <= 9; n++) {
            struct coll_options o = {.nranks = n};
            struct err err;
            struct schedule *s = coll_build(coll_at(i), &o, &err);
            if (s == NULL)
                continue;
            if (s->topology.switches > 0) { /* they are in a host, or in none */
                schedule_free(s);
                continue;
            }
            one = on_hosts(n, 1);
            wrong += !near(takes(s, 100, &between), takes(s, 100, &flat)) ||
                     !near(takes(s, 100, &one), takes(s, 100, &plain));
            runs++;
            schedule_free(s);
        }
    ok(wrong == 0 && runs > 200, "one GPU a host, one host: %d runs", runs);
}

/* All-reduces on 4 hosts of 8 GPUs. */
static void
test_host_forms(void)
{
    enum { HOSTS = 4, GPUS = 8, N = HOSTS * GPUS, COUNT = N * 1000 };
    struct network own = on_hosts(GPUS, GPUS), shared = on_hosts(GPUS, 1);
    struct coll_options o = {.nranks = N, .host = GPUS, .in_place = true};
    struct schedule *nodes = build("hierarchical-allreduce", &o);
    struct schedule *ring = build("ring-allreduce", &o);
    double bytes = 4.0 * COUNT, part = bytes / GPUS, share = bytes / N;
    double inside = own.alpha + own.beta * part;
    double between = own.between_alpha + own.between_beta * share;
    double got, expected;
    int64_t in, out;

    /* reduce-scatter inside, all-reduce between, all-gather inside */
    expected = 2 * (GPUS - 1) * inside + (GPUS - 1) * own.gamma * part +
               2 * (HOSTS - 1) * between + (HOSTS - 1) * own.gamma * share;
    got = takes(nodes, COUNT, &own);
    ok(near(got, expected), "hierarchical: %.9g ns, by its formula %.9g", got,
       expected);
    /* eight shares, one after the other, over a NIC */
    expected += (GPUS - 1) * 2 * (HOSTS - 1) * between;
    got = takes(nodes, COUNT, &shared);
    ok(fabs(got - expected) < 0.01 * expected,
       "over one NIC a host: %.9g ns, about %.9g", got, expected);
    /* every step goes over a NIC */
    expected = 2 * (N - 1) * between + (N - 1) * own.gamma * share;
    got = takes(ring, COUNT, &own);
    ok(near(got, expected), "a ring is as fast as its NICs: %.9g ns, %.9g", got,
       expected);
    ok(near(takes(ring, COUNT, &shared), got), "one a host is enough for it");
    out = simulation_busiest_nic(nodes, COUNT, &own, &in);
    ok(out == 2 * (HOSTS - 1) * (COUNT / N) && in == out,
       "a NIC sends 2(X-1)/N of the data");
    out = simulation_busiest_nic(nodes, COUNT, &shared, &in);
    ok(out == GPUS * 2 * (HOSTS - 1) * (COUNT / N) && in == out,
       "one for all of a host 2(X-1)/X");
    out = simulation_busiest_nic(ring, COUNT, &shared, &in);
    ok(out == 2 * (N - 1) * (COUNT / N) && in == out,
       "on a ring 2(N-1)/N");
    schedule_free(nodes);
    schedule_free(ring);
}

static void
test_same(void)
{
    struct network n = {
        .name = "test", 1009, 0.731, 0.217, .ports = 2, .links = 1};
    OWNS(schedule) *s = build_in_place("hierarchical-allreduce", 24);
    OWNS(simulation) *a = simulate(s, 1000, &n, NULL),
                     *b = simulate(s, 1000, &n, NULL);
    int others = 0;

    for (size_t i = 0; i < a->nmessages; i++)
        others += !near(a->messages[i].end, b->messages[i].end);
    ok(others == 0 && a->nmessages == b->nmessages && near(a->end, b->end),
       "the same times again");
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
    test_host_rows();
    test_host_limits();
    test_host_forms();
    test_random();
    test_algorithms();
    test_same();
    return done_testing();
}
