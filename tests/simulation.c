/* SPDX-License-Identifier: MIT */
/* Simulated times of small schedules, worked out by hand: ports, links, cores,
 * hosts, and who waits for whom.  tests/second_simulation.py compares those of
 * algorithms and of random scripts with a simulation of its own, and
 * tests/prediction.c those of algorithms with closed forms. */
#include "schedule/simulation.h"

#include <math.h>

#include "schedules.h"
#include "made.h"
#include "tap.h"

OWN_FREE(simulation)

/* No two sums of these are equal by chance. */
static const struct network plain = {
    .name = "test", 1009, 0.731, 0.217, .ports = 1};

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

/* In one step, rank 0 sends to all others and receives from all others. */
#define BOTH_WAYS \
    "0.0>1.1 1.0>0.2 0.0>2.1 2.0>0.3 0.0>3.1 3.0>0.4 0.0>4.1 4.0>0.5"
#define TO_EIGHT \
    "0.0>1.1 0.0>2.1 0.0>3.1 0.0>4.1 0.0>5.1 0.0>6.1 0.0>7.1 0.0>8.1"
/* Rank 1 receives from 0 and 2 in each step, each time other slots. */
#define IN_TURN "0.0>1.0 2.1>1.1; 0.2>1.2 2.3>1.3; 0.4>1.4 2.5>1.5"
/* Of two nodes each rank sends to its counterpart; to the next of its node. */
#define ACROSS "0.0>3.1 1.0>4.2 2.0>5.3 3.0>0.4 4.0>1.5 5.0>2.6"
#define WITHIN "0.0>1.1 1.0>2.2 2.0>0.3 3.0>4.4 4.0>5.5 5.0>3.6"
/* Two ranks send four messages to the switch; it sends them four. */
#define UP "0.0>2.0 1.1>2.1; 0.2>2.2 1.3>2.3"
#define DOWN "2.0>0.0 2.1>1.1; 2.2>0.2 2.3>1.3"
#define ANY {TOPOLOGY_ANY, {0}, 0}
#define SWITCH {TOPOLOGY_ANY, {0}, 1}
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
    {"messages of three steps",
     "3.0>1.4 0.0>2.1 0.0>3.1; 1.4>0.4; 1.0>2.2", 4, 0, ANY,
     1, 0, 0, 2},
    /* Where ranks have one message at most, they take one step after another:
     * rank 1 receives, then sends, then sends again. */
    {"one step after the other", "3.0>1.4; 1.4>0.4; 1.0>2.2", 4, 0, ANY,
     1, 0, 0, 3},
    {"a receiver ends the step before, too", "0.0>1.1; 2.0>0.3", 3, 0, ANY,
     1, 0, 0, 2},
    {"where a rank receives two, none waits for steps",
     "0.0>1.1 2.0>1.3; 1.0>3.2", 4, 0, ANY, 1, 0, 0, 2},
    {"steps of two that do not meet", "0.0>1.1; 2.0>3.3; 0.0>2.2", 4, 0, ANY,
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
     1, 1, 0, 4},
    {"without links none do", ACROSS ";" WITHIN, 6, 0, TWO_NODES, 1, 0, 0, 2},
    {"a switch has ports for all", UP, 3, 4, SWITCH, 2, 0, 0, 1},
    {"both ways", DOWN, 3, 4, SWITCH, 2, 0, 0, 1},
    {"which ranks have not", UP, 3, 4, SWITCH, 1, 0, 0, 2},
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

/* Nor does any rank wait for itself elsewhere: with ports, links and cores, and
 * with delays. */
static void
test_no_own_waits(void)
{
    static const char *const names[] = {
        "naive-allreduce", "server-allreduce", "ring-allreduce",
        "tree-allreduce", "direct-alltoall", "butterfly-allreduce"};
    static const int64_t late[] = {3000, 0, 70000, 0, 20000};
    int wrong = 0, waits = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int more = 0; more < 12; more++) {
            OWNS(schedule) *s = build_in_place(names[i], 2 + more % 4);
            struct network n = plain;
            OWNS(simulation) *sim = NULL;
            n.ports = 1 + more / 4;
            n.cores = more % 3;
            sim = simulate(s, 64, &n, more % 2 ? late : NULL);
            for (size_t k = 0; k < sim->nmessages; k++) {
                const struct simulated *m = &sim->messages[k];
                wrong += m->dst >= 0 && m->waited_for == m->dst;
                waits += m->waited_for >= 0;
            }
        }
    is_int(wrong, 0, "nor does one elsewhere");
    ok(waits > 500, "though many wait: %d", waits);
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
        {"ranks that send to the same ones do not meet",
         "0.0>4.1 0.0>5.1 1.0>4.2 1.0>5.2", 4, 4, 0, 2},
        {"nor on two hosts", "0.0>4.1 0.0>8.1 4.0>8.5 4.0>0.5", 4, 4, 0, 2},
        {"the nearest host comes first, not its nearest place",
         "0.0>8.1 0.0>5.1; 5.1>6.1 5.1>7.1", 4, 4, 0, 2},
    };

    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        struct network n = on_hosts(hosts[i].gpus, hosts[i].nics);
        struct network more = n;
        struct schedule *s = made(
            (struct schedule_spec){.collective = collective_find("allgather"),
                                   .nranks = 9, .pieces = 1},
            hosts[i].steps);
        double expected = hosts[i].inside * (n.alpha + n.beta * 40) +
                          hosts[i].between *
                              (n.between_alpha + n.between_beta * 40);
        ok(near(takes(s, 10, &n), expected), "hosts: %s", hosts[i].name);
        more.ports = 3;
        ok(near(takes(s, 10, &more), expected), "  with more ports as well");
        schedule_free(s);
    }
}

int
main(void)
{
    test_rows();
    test_own_waits();
    test_no_own_waits();
    test_parts();
    test_waiting();
    test_host_rows();
    return done_testing();
}
