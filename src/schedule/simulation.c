/* SPDX-License-Identifier: MIT */
#include "schedule/simulation.h"

#include <limits.h>
#include <stdlib.h>

#include "base/mem.h"

/* What a message goes through, in this order: its sender's way out, that of the
 * sender's node or the NIC that several ranks share, the link between the two
 * ranks, the ways in.  Each begins to serve it as soon as it is free and the
 * one before it has begun. */
enum stage { OUT, NODE_OUT, BETWEEN, NODE_IN, IN, STAGES, NO_STAGE = STAGES };

enum { NOBODY = -1, NOTHING = 0 };

/* Sums of the same times in another order differ by less than this factor. */
#define SAME (1 + 1e-11)

/* A message's place in the order of times, or of turns in a queue. */
struct entry {
    double at; /* ns, or its turn */
    uint32_t message;
    enum stage stage; /* that has served it; NO_STAGE: it is over */
};

/* The soonest entry first. */
struct heap {
    struct entry *entries;
    size_t count, capacity;
};

/* A port, a link, or the cores. */
struct station {
    int busy; /* messages that it serves */
    struct heap asking;
};

/* Goes with a `struct simulated`.  Most of these are messages.  One without a
 * receiver is the delay of a rank.  One with neither sender nor receiver is a
 * joint, which is over when several messages are. */
struct message {
    int64_t elements, added; /* moved; those of them that are added */
    uint32_t waits;   /* for so many messages */
    uint32_t waiters; /* a list: those that wait for it */
    int32_t cause;    /* the rank that kept it waiting last */
    double ready;     /* when it had nothing to wait for */
};

/* Lists of messages.  NOTHING is the end of one. */
struct item {
    uint32_t message, next;
};

struct sim {
    const struct simulation_spec *spec;
    const struct schedule *s;
    int links;       /* 0: any number */
    bool in_turn;    /* ranks go through their steps one after the other */
    struct hosts hosts;
    int64_t *chunks; /* their elements */
    struct simulation *result;
    struct message *messages; /* as in the result */
    size_t capacity, result_capacity;

    struct item *items; /* from 1 on */
    size_t nitems, items_capacity;
    struct cell {
        uint32_t written; /* 1 + what has written it; or NOTHING */
        uint32_t readers; /* of what is there; a list */
    } *cells;
    struct write {
        size_t cell;
        uint32_t message;
    } *writes; /* of the step that is taken */
    size_t nwrites, writes_capacity;
    int step;
    uint32_t *latest;   /* by sender and receiver: their last message, or any */
    struct end {
        uint32_t received; /* messages; a list */
        uint32_t gate;     /* its last delay, or any message */
        int step;          /* the last one in which it has messages, */
        uint32_t moved;    /* which are these; a list */
        uint32_t before;   /* 1 + what is over when those of earlier steps are;
                            * or NOTHING */
        int receiving;     /* messages */
        double idle;       /* since when there are none */
    } *ends;               /* by rank */

    struct station *stations[STAGES];
    struct touched {
        enum stage stage;
        struct station *station;
    } *touched; /* they may have become free, or have more to serve */
    size_t ntouched, touched_capacity;
    struct heap ahead;
    double now;
};

static bool
is_sooner(struct entry a, struct entry b)
{
    return a.at < b.at || (a.at <= b.at && a.message < b.message);
}

static void
heap_add(struct heap *heap, struct entry entry)
{
    size_t i = heap->count++;

    heap->entries = mem_grow(heap->entries, i, &heap->capacity,
                             sizeof *heap->entries);
    for (; i > 0 && is_sooner(entry, heap->entries[(i - 1) / 2]);
         i = (i - 1) / 2)
        heap->entries[i] = heap->entries[(i - 1) / 2];
    heap->entries[i] = entry;
}

static struct entry
heap_take(struct heap *heap)
{
    struct entry soonest = heap->entries[0];
    struct entry last = heap->entries[--heap->count];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < heap->count) {
        child += child + 1 < heap->count &&
                 is_sooner(heap->entries[child + 1], heap->entries[child]);
        if (!is_sooner(heap->entries[child], last))
            break;
        heap->entries[i] = heap->entries[child];
        i = child;
    }
    heap->entries[i] = last;
    return soonest;
}

static uint32_t
list_add(struct sim *sim, uint32_t list, uint32_t message)
{
    if (sim->nitems == 0)
        sim->nitems = 1; /* NOTHING is no item */
    sim->items = mem_grow(sim->items, sim->nitems, &sim->items_capacity,
                          sizeof *sim->items);
    sim->items[sim->nitems] = (struct item){message, list};
    return (uint32_t)sim->nitems++;
}

static void
wait_for_message(struct sim *sim, uint32_t message, uint32_t other)
{
    struct message *o = &sim->messages[other];

    if (o->waiters != NOTHING && sim->items[o->waiters].message == message)
        return;
    sim->messages[message].waits++;
    o->waiters = list_add(sim, o->waiters, message);
}

static void
wait_for_messages(struct sim *sim, uint32_t message, uint32_t list)
{
    for (; list != NOTHING; list = sim->items[list].next)
        wait_for_message(sim, message, sim->items[list].message);
}

/* Whether `message` is that of the open step from src to dst. */
static bool
is_of_open_step(const struct sim *sim, uint32_t message, int src, int dst)
{
    const struct simulated *m;

    if (message >= sim->result->nmessages)
        return false;
    m = &sim->result->messages[message];
    return m->step == sim->step && m->src == src && m->dst == dst;
}

static uint32_t
new_message(struct sim *sim, int src, int dst)
{
    struct simulation *r = sim->result;
    uint32_t message = (uint32_t)r->nmessages++;

    r->messages = mem_grow(r->messages, message, &sim->result_capacity,
                           sizeof *r->messages);
    sim->messages = mem_grow(sim->messages, message, &sim->capacity,
                             sizeof *sim->messages);
    r->messages[message] = (struct simulated){
        .step = sim->step, .src = src, .dst = dst, .waited_for = NOBODY};
    sim->messages[message] = (struct message){.cause = NOBODY};
    return message;
}

/* A delayed rank's wait before the open step.  It begins when the rank has
 * received all messages of earlier steps. */
static uint32_t
gate_of(struct sim *sim, int rank)
{
    uint32_t before = sim->ends[rank].gate, new;

    if (is_of_open_step(sim, before, rank, NOBODY))
        return before;
    new = new_message(sim, rank, NOBODY);
    wait_for_messages(sim, new, sim->ends[rank].received);
    sim->ends[rank].received = list_add(sim, NOTHING, new);
    return sim->ends[rank].gate = new;
}

/* A rank's delay in ns. */
static double
delay_of(const struct sim *sim, int rank)
{
    return rank == NOBODY || sim->spec->delays == NULL
               ? 0
               : (double)sim->spec->delays[rank];
}

/* The message, or joint, that is over when all messages of a list are. */
static uint32_t
join_messages(struct sim *sim, uint32_t list)
{
    uint32_t message;

    if (sim->items[list].next == NOTHING)
        return sim->items[list].message;
    message = new_message(sim, NOBODY, NOBODY);
    wait_for_messages(sim, message, list);
    return message;
}

/* A message of the open step waits for what its rank has to do in earlier
 * ones. */
static void
follow_steps(struct sim *sim, uint32_t message, int rank)
{
    struct end *end = &sim->ends[rank];

    if (end->step != sim->step && end->moved != NOTHING) {
        end->before = join_messages(sim, end->moved) + 1;
        end->moved = NOTHING;
    }
    end->step = sim->step;
    end->moved = list_add(sim, end->moved, message);
    if (end->before != NOTHING)
        wait_for_message(sim, message, end->before - 1);
}

/* The message of the open step from one rank to another. */
static uint32_t
message_of(struct sim *sim, int src, int dst)
{
    uint32_t *latest = &sim->latest[src * sim->s->nranks + dst], message;
    const int ends[] = {src, dst};

    if (is_of_open_step(sim, *latest, src, dst))
        return *latest;
    message = *latest = new_message(sim, src, dst);
    for (int i = 0; i < 2; i++) {
        if (sim->in_turn && (i == 0 || src != dst))
            follow_steps(sim, message, ends[i]);
        if (delay_of(sim, ends[i]) > 0)
            wait_for_message(sim, message, gate_of(sim, ends[i]));
    }
    if (sim->spec->network->cores > 0 && sim->ends[dst].received != NOTHING)
        wait_for_message(sim, message,
                         sim->items[sim->ends[dst].received].message);
    if (sim->spec->network->cores > 0 || delay_of(sim, dst) > 0)
        sim->ends[dst].received =
            list_add(sim, sim->ends[dst].received, message);
    return message;
}

/* The messages of the open step that have read a cell, which are the first of
 * its list.  *before gets the others. */
static uint32_t
split_readers(struct sim *sim, uint32_t list, uint32_t *before)
{
    uint32_t *end = &list;

    while (*end != NOTHING &&
           sim->result->messages[sim->items[*end].message].step == sim->step)
        end = &sim->items[*end].next;
    *before = *end;
    *end = NOTHING;
    return list;
}

static int
by_cell(const void *a, const void *b)
{
    const struct write *x = a, *y = b;

    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return (x->message > y->message) - (x->message < y->message);
}

/* Ends the open step, so that later steps see what it has written.  Many
 * messages wait for many others through a joint, so that there are no more
 * waits than slots that are moved. */
static void
close_step(struct sim *sim)
{
    const struct write *w = sim->writes, *end, *next;

    if (sim->nwrites == 0)
        return;
    qsort(sim->writes, sim->nwrites, sizeof *w, by_cell);
    for (end = w + sim->nwrites; w < end; w = next) {
        uint32_t before, earlier = 0, writers = NOTHING;
        struct cell *cell = &sim->cells[w->cell];
        cell->readers = split_readers(sim, cell->readers, &before);
        if (cell->written != NOTHING)
            before = list_add(sim, before, cell->written - 1);
        if (before != NOTHING)
            earlier = join_messages(sim, before);
        for (next = w; next < end && next->cell == w->cell; next++) {
            if (before != NOTHING)
                wait_for_message(sim, next->message, earlier);
            writers = list_add(sim, writers, next->message);
        }
        cell->written = join_messages(sim, writers) + 1;
    }
    sim->nwrites = 0;
}

static void
read_cell(struct sim *sim, uint32_t message, size_t cell)
{
    if (sim->cells[cell].written != NOTHING)
        wait_for_message(sim, message, sim->cells[cell].written - 1);
    sim->cells[cell].readers = list_add(sim, sim->cells[cell].readers, message);
}

/* A walk_fn: slot k of a transfer. */
static void
take_slot(void *state, int step, const struct transfer *t, int k, int chunk)
{
    struct sim *sim = state;
    uint32_t message;

    if (step != sim->step)
        close_step(sim);
    sim->step = step;
    message = message_of(sim, t->src, t->dst);
    sim->messages[message].elements += sim->chunks[chunk];
    read_cell(sim, message, schedule_cell(sim->s, t->src, t->src_slot + k));
    if (t->op == TRANSFER_REDUCE) {
        sim->messages[message].added += sim->chunks[chunk];
        read_cell(sim, message, schedule_cell(sim->s, t->dst, t->add_slot + k));
    }
    sim->writes = mem_grow(sim->writes, sim->nwrites, &sim->writes_capacity,
                           sizeof *sim->writes);
    sim->writes[sim->nwrites++] = (struct write){
        schedule_cell(sim->s, t->dst, t->dst_slot + k), message};
}

/* A switch belongs to its node; one that joins nodes is a node of its own. */
static int
node_of(const struct schedule *s, int rank)
{
    const struct topology *t = &s->topology;
    int members = schedule_members(s);

    return rank < members              ? rank / t->dims[1]
           : t->switches == t->dims[0] ? rank - members
                                       : t->dims[0];
}

static bool
crosses_hosts(const struct sim *sim, const struct simulated *m)
{
    return schedule_host(sim->s, &sim->hosts, m->src) !=
           schedule_host(sim->s, &sim->hosts, m->dst);
}

/* The station of a stage that a message comes to; NULL: it comes to none.  A
 * rank has ports inside its host, and one into the network between hosts. */
static struct station *
station_of(const struct sim *sim, const struct simulated *m, enum stage stage)
{
    const struct topology *t = &sim->s->topology;
    const struct network *n = sim->spec->network;
    int level = crosses_hosts(sim, m) ? sim->s->nranks : 0;
    int rank = stage == NODE_IN ? m->dst : m->src;
    bool cores = n->cores > 0, leaves = m->src != m->dst;

    if (stage == IN)
        return &sim->stations[IN][cores ? 0 : level + m->dst];
    if (!leaves || cores)
        return NULL;
    if (stage == OUT)
        return &sim->stations[OUT][level + m->src];
    if (level > 0 && stage != BETWEEN && n->nics < n->gpus)
        return rank < schedule_members(sim->s)
                   ? &sim->stations[stage][network_nic(n, rank)] : NULL;
    if (sim->links == 0)
        return NULL;
    if (stage == BETWEEN)
        return &sim->stations[BETWEEN][m->src * sim->s->nranks + m->dst];
    if (t->kind != TOPOLOGY_NODES ||
        node_of(sim->s, m->src) == node_of(sim->s, m->dst))
        return NULL;
    return &sim->stations[stage][node_of(sim->s, rank)];
}

static void
touch_station(struct sim *sim, enum stage stage, struct station *station)
{
    sim->touched = mem_grow(sim->touched, sim->ntouched,
                            &sim->touched_capacity, sizeof *sim->touched);
    sim->touched[sim->ntouched++] = (struct touched){stage, station};
}

/* A message's turn in a queue, of those that have the same one the first in the
 * schedule's order.  What ranks send to other hosts in a step goes round these,
 * and the places there, each beginning after its own. */
static double
turn_of(const struct sim *sim, const struct simulated *m)
{
    const struct network *n = sim->spec->network;
    int members = schedule_members(sim->s);
    int hosts = network_host_count(n, members), src, dst;

    if (m->src >= members || m->dst >= members || !crosses_hosts(sim, m))
        return 0;
    src = network_place(n, m->src);
    dst = network_place(n, m->dst);
    return ((double)m->step * hosts +
            (dst / n->gpus - src / n->gpus + hosts) % hosts) * n->gpus +
           (dst % n->gpus - src % n->gpus + n->gpus) % n->gpus;
}

/* Takes a message to the first station of this stage or a later one. */
static void
queue_message(struct sim *sim, uint32_t message, enum stage stage)
{
    const struct simulated *m = &sim->result->messages[message];
    struct station *station;

    while ((station = station_of(sim, m, stage)) == NULL)
        stage++;
    heap_add(&station->asking, (struct entry){turn_of(sim, m), message, stage});
    touch_station(sim, stage, station);
}

static void
plan_event(struct sim *sim, double at, uint32_t message, enum stage stage)
{
    heap_add(&sim->ahead, (struct entry){at, message, stage});
}

/* The receiver begins to receive a message. */
static void
begin_receiving(struct sim *sim, uint32_t message)
{
    struct simulated *m = &sim->result->messages[message];
    const struct message *part = &sim->messages[message];
    struct end *end = &sim->ends[m->dst];
    double idle = end->idle;

    m->begin = sim->now;
    if (end->receiving++ > 0 || sim->now <= idle)
        return;
    m->waited_for = part->ready > idle && part->cause != m->dst ? part->cause
                    : m->src != m->dst                          ? m->src
                                                                : NOBODY;
    m->wait = m->waited_for == NOBODY ? 0 : sim->now - idle;
}

/* A message waits for no other one. */
static void
make_ready(struct sim *sim, uint32_t message)
{
    const struct simulated *m = &sim->result->messages[message];
    struct message *part = &sim->messages[message];
    bool leaves = m->src != m->dst;

    part->ready = sim->now;
    if (m->dst == NOBODY)
        plan_event(sim, sim->now + delay_of(sim, m->src), message, NO_STAGE);
    else if (leaves ? part->elements > 0 : part->added > 0)
        queue_message(sim, message, leaves ? OUT : IN);
    else
        plan_event(sim, sim->now, message, NO_STAGE);
}

/* Begins to serve as many messages as the station can. */
static void
serve_station(struct sim *sim, enum stage stage, struct station *station)
{
    const struct network *n = sim->spec->network;
    int members = schedule_members(sim->s);

    while (station->asking.count > 0) {
        uint32_t message = station->asking.entries[0].message;
        const struct simulated *m = &sim->result->messages[message];
        const struct message *part = &sim->messages[message];
        bool crosses = crosses_hosts(sim, m);
        bool adds = m->dst < members; /* a switch does so at once */
        bool of_switch = (stage == OUT && m->src >= members) ||
                         (stage == IN && !adds);
        int servers = n->cores > 0                  ? n->cores
                      : of_switch                   ? INT_MAX
                      : crosses                     ? 1
                      : stage != OUT && stage != IN ? sim->links
                                                    : n->ports;
        double takes = 0;

        if (station->busy >= servers)
            return;
        heap_take(&station->asking);
        station->busy++;
        if (m->src != m->dst)
            takes += (crosses ? n->between_alpha : n->alpha) +
                     (crosses ? n->between_beta : n->beta) *
                         (double)part->elements * sim->spec->size;
        if (stage == IN) {
            takes += adds * n->gamma * (double)part->added * sim->spec->size;
            begin_receiving(sim, message);
        } else {
            queue_message(sim, message, stage + 1);
        }
        plan_event(sim, sim->now + takes, message, stage);
    }
}

/* The rank has nothing to receive, or its delay is over. */
static void
note_idle(struct sim *sim, int rank)
{
    struct end *end = &sim->ends[rank];

    if (end->receiving == 0)
        end->idle = sim->now;
}

static void
end_at(struct sim *sim, int rank)
{
    sim->result->rank_ends[rank] = sim->result->end = sim->now;
}

static void
end_message(struct sim *sim, uint32_t message)
{
    struct simulated *m = &sim->result->messages[message];
    uint32_t at = sim->messages[message].waiters;
    int32_t cause = m->dst != NOBODY   ? m->dst
                    : m->src != NOBODY ? m->src
                                       : sim->messages[message].cause;

    m->end = sim->now;
    if (m->dst == NOBODY) {
        if (m->src != NOBODY)
            note_idle(sim, m->src);
    } else {
        sim->ends[m->dst].receiving--;
        note_idle(sim, m->dst);
        end_at(sim, m->src);
        end_at(sim, m->dst);
    }
    for (; at != NOTHING; at = sim->items[at].next) {
        struct message *waiter = &sim->messages[sim->items[at].message];
        waiter->cause = cause;
        if (--waiter->waits == 0)
            make_ready(sim, sim->items[at].message);
    }
}

static void
handle_entry(struct sim *sim, struct entry e)
{
    const struct simulated *m = &sim->result->messages[e.message];

    if (e.stage == NO_STAGE && m->dst != NOBODY)
        begin_receiving(sim, e.message);
    if (e.stage != NO_STAGE) {
        struct station *station = station_of(sim, m, e.stage);
        station->busy--;
        touch_station(sim, e.stage, station);
    }
    if (e.stage == NO_STAGE || e.stage == IN)
        end_message(sim, e.message);
}

/* Whatever happens at the same time happens before any station serves, so that
 * it does not matter what happens first.  Sums of the same times in another
 * order are the same time, though they may not be rounded to the same number.
 */
static void
run_messages(struct sim *sim)
{
    for (uint32_t m = 0; m < sim->result->nmessages; m++)
        if (sim->messages[m].waits == 0)
            make_ready(sim, m);
    for (;;) {
        while (sim->ahead.count > 0 &&
               sim->ahead.entries[0].at <= sim->now * SAME)
            handle_entry(sim, heap_take(&sim->ahead));
        for (enum stage stage = OUT; stage < STAGES; stage++)
            for (size_t i = 0; i < sim->ntouched; i++)
                if (sim->touched[i].stage == stage)
                    serve_station(sim, stage, sim->touched[i].station);
        sim->ntouched = 0;
        if (sim->ahead.count == 0)
            return;
        sim->now = sim->ahead.entries[0].at;
    }
}

/* NICs of the hosts of so many ranks. */
static size_t
nics_of(const struct network *n, int nranks)
{
    return (size_t)network_host_count(n, nranks) * (size_t)n->nics;
}

/* How many stations a stage has. */
static size_t
stations_of(const struct sim *sim, enum stage stage)
{
    size_t n = (size_t)sim->s->nranks;
    bool hosts = sim->spec->network->gpus > 0;

    if (stage == OUT || stage == IN)
        return hosts ? 2 * n : n;
    if (hosts)
        return stage == BETWEEN
                   ? 0
                   : nics_of(sim->spec->network, (int)n);
    return sim->links == 0 ? 0 : stage == BETWEEN ? n * n : n;
}

static void
sim_init(struct sim *sim, const struct simulation_spec *spec)
{
    const struct schedule *s = spec->schedule;
    size_t n = (size_t)s->nranks, cells = n * (size_t)s->nslots;

    *sim = (struct sim){.spec = spec, .s = s,
                        .hosts = network_hosts(spec->network)};
    sim->links = s->topology.kind == TOPOLOGY_ANY ? 0 : spec->network->links;
    sim->in_turn = spec->network->ports == 1 && spec->network->cores == 0 &&
                   schedule_is_one_ported(s);
    sim->chunks = schedule_chunk_lengths(s, spec->count);
    sim->result = mem_new(1, sizeof *sim->result);
    sim->result->rank_ends = mem_new(n, sizeof *sim->result->rank_ends);
    sim->cells = mem_new(cells, sizeof *sim->cells);
    sim->latest = mem_new(n * n, sizeof *sim->latest);
    sim->ends = mem_new(n, sizeof *sim->ends);
    for (enum stage stage = OUT; stage < STAGES; stage++)
        sim->stations[stage] = mem_new(stations_of(sim, stage),
                                       sizeof *sim->stations[stage]);
}

static void
sim_done(struct sim *sim)
{
    for (enum stage stage = OUT; stage < STAGES; stage++) {
        for (size_t i = 0; i < stations_of(sim, stage); i++)
            free(sim->stations[stage][i].asking.entries);
        free(sim->stations[stage]);
    }
    free(sim->chunks);
    free(sim->messages);
    free(sim->items);
    free(sim->cells);
    free(sim->writes);
    free(sim->latest);
    free(sim->ends);
    free(sim->touched);
    free(sim->ahead.entries);
}

bool
simulation_holds(const struct schedule *s, const struct network *network,
                 struct err *err)
{
    int members = schedule_members(s);

    if (!network_holds(network, members, err))
        return false;
    if ((network->cyclic || network->listed > 0) && s->topology.switches > 0)
        return err_set(err, "--network: %s-%s has switches, so that its ranks "
                       "must fill one host after the other: leave the order "
                       "out", s->algorithm, s->collective->name);
    return network->gpus == 0 || s->topology.switches == 0 ||
           s->topology.kind == TOPOLOGY_NODES || members <= network->gpus ||
           err_set(err, "--network: the switch of %s-%s is in one host, which "
                   "has %d GPU%s, not %d", s->algorithm, s->collective->name,
                   network->gpus, err_plural(network->gpus), members);
}

struct simulation *
simulation_new(const struct simulation_spec *spec)
{
    struct sim sim;
    size_t n = 0;

    sim_init(&sim, spec);
    schedule_walk(spec->schedule, take_slot, &sim);
    close_step(&sim);
    run_messages(&sim);
    sim_done(&sim);
    for (size_t i = 0; i < sim.result->nmessages; i++)
        if (sim.result->messages[i].dst != NOBODY)
            sim.result->messages[n++] = sim.result->messages[i];
    sim.result->nmessages = n;
    return sim.result;
}

struct nic_sums {
    const struct schedule *s;
    const struct network *network;
    struct hosts hosts; /* of it */
    int64_t *chunks;
    int64_t *out, *in; /* elements, by NIC */
};

/* A walk_fn. */
static void
count_crossing(void *state, int step, const struct transfer *t, int k,
               int chunk)
{
    struct nic_sums *sums = state;
    int members = schedule_members(sums->s);

    (void)step, (void)k;
    if (schedule_host(sums->s, &sums->hosts, t->src) ==
        schedule_host(sums->s, &sums->hosts, t->dst))
        return;
    if (t->src < members)
        sums->out[network_nic(sums->network, t->src)] += sums->chunks[chunk];
    if (t->dst < members)
        sums->in[network_nic(sums->network, t->dst)] += sums->chunks[chunk];
}

int64_t
simulation_busiest_nic(const struct schedule *s, int64_t count,
                       const struct network *network, int64_t *in)
{
    size_t nics = nics_of(network, schedule_members(s));
    struct nic_sums sums = {s, network, network_hosts(network),
                            schedule_chunk_lengths(s, count),
                            mem_new(nics, sizeof(int64_t)),
                            mem_new(nics, sizeof(int64_t))};
    int64_t out = *in = 0;

    schedule_walk(s, count_crossing, &sums);
    for (size_t i = 0; i < nics; i++) {
        out = sums.out[i] > out ? sums.out[i] : out;
        *in = sums.in[i] > *in ? sums.in[i] : *in;
    }
    free(sums.chunks);
    free(sums.out);
    free(sums.in);
    return out;
}

double
simulation_time(const struct simulation_spec *spec)
{
    struct simulation *simulation = simulation_new(spec);
    double ns = simulation->end;

    simulation_free(simulation);
    return ns;
}

void
simulation_free(struct simulation *simulation)
{
    if (simulation == NULL)
        return;
    free(simulation->messages);
    free(simulation->rank_ends);
    free(simulation);
}
