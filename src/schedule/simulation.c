/* SPDX-License-Identifier: MIT */
#include "schedule/simulation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { NOBODY = -1 };

/* What will happen, soonest first: a heap.  Of what happens at the same time,
 * what was added first comes first. */
struct happening {
    double at;
    uint64_t number; /* by happenings_add() */
    size_t instr;
    int32_t rank;
    enum {
        SENT,     /* a message has arrived; its sender's port is free */
        FINISHED, /* an instruction is over */
        AWAKE     /* the delay of a rank's next instruction is over */
    } kind;
};

struct happenings {
    struct happening *heap;
    size_t count, capacity;
    uint64_t added;
};

/* Ranks in a queue, each at most once: whose next instruction is to be tried,
 * or who ask for a node's link. */
struct queue {
    int32_t *ranks; /* a ring of nranks */
    bool *in;       /* by rank */
    int first, count;
};

/* A node's links to the other nodes, in one direction; or the machine's cores.
 * Each carries one message. */
struct uplink {
    int busy;
    struct queue asking;
};

struct rank_sim {
    uint32_t next;     /* its next instruction, in its list */
    uint32_t done;     /* all before this one are finished */
    size_t next_send;  /* the program's index */
    int receiving, sending; /* busy ports */
    bool works;        /* its last instruction is local and not over yet */
    int step;          /* that it is in */
    double step_since;
    int32_t waiting_for; /* who keeps its next instruction waiting; NOBODY */
    double waiting_since;
    int32_t waiters;     /* the first rank that waits for this one's count */
    int32_t next_waiter; /* the next one that waits for the same rank */
    bool waits;          /* it is in such a list */
};

struct sim {
    const struct simulation_spec *spec;
    const struct program *p;
    struct simulation *result;
    int64_t *elements; /* [k]: of chunks 0 .. k - 1 */
    struct rank_sim *ranks;
    bool *finished; /* by instruction */
    struct queue agenda;
    struct uplink *uplinks; /* [2 * node]: out, in; NULL: any number */
    int nuplinks;
    struct uplink cores;
    double now;
    struct happenings ahead;
};

static bool
sooner(const struct happening *a, const struct happening *b)
{
    return a->at < b->at || (a->at <= b->at && a->number < b->number);
}

static void
happenings_add(struct happenings *all, struct happening h)
{
    size_t i = all->count++;

    h.number = all->added++;
    all->heap = mem_grow(all->heap, i, &all->capacity, sizeof *all->heap);
    for (; i > 0 && sooner(&h, &all->heap[(i - 1) / 2]); i = (i - 1) / 2)
        all->heap[i] = all->heap[(i - 1) / 2];
    all->heap[i] = h;
}

/* Takes the soonest, heap[0]. */
static struct happening
happenings_take(struct happenings *all)
{
    struct happening soonest = all->heap[0];
    struct happening last = all->heap[--all->count];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < all->count) {
        child += child + 1 < all->count &&
                 sooner(&all->heap[child + 1], &all->heap[child]);
        if (!sooner(&all->heap[child], &last))
            break;
        all->heap[i] = all->heap[child];
        i = child;
    }
    all->heap[i] = last;
    return soonest;
}

static void
queue_init(struct queue *q, int nranks)
{
    q->ranks = mem_new((size_t)nranks, sizeof *q->ranks);
    q->in = mem_new((size_t)nranks, sizeof *q->in);
}

static void
queue_done(struct queue *q)
{
    free(q->ranks);
    free(q->in);
}

static void
queue_add(struct queue *q, int nranks, int32_t rank)
{
    if (q->in[rank])
        return;
    q->in[rank] = true;
    q->ranks[(q->first + q->count++) % nranks] = rank;
}

static int32_t
queue_take(struct queue *q, int nranks)
{
    int32_t rank = q->ranks[q->first];

    q->first = (q->first + 1) % nranks;
    q->count--;
    q->in[rank] = false;
    return rank;
}

static void
plan(struct sim *sim, double at, int kind, int32_t rank, size_t instr)
{
    happenings_add(&sim->ahead, (struct happening){
        .at = at, .instr = instr, .rank = rank, .kind = kind});
}

static void
try(struct sim *sim, int32_t rank)
{
    queue_add(&sim->agenda, sim->p->nranks, rank);
}

/* Tries the receiver of the next message that `rank` sends. */
static void
try_receiver(struct sim *sim, int32_t rank)
{
    size_t send = sim->ranks[rank].next_send;

    if (send < sim->p->first_send[rank + 1])
        try(sim, sim->p->sends[send].peer);
}

/* The elements that an instruction moves. */
static int64_t
elements_of(const struct sim *sim, const struct instr *in)
{
    int first = in->first_chunk, n = in->nslots;

    return in->chunk_stride == 0
               ? n * (sim->elements[first + 1] - sim->elements[first])
               : sim->elements[first + n] - sim->elements[first];
}

static double
bytes_of(const struct sim *sim, const struct instr *in)
{
    return (double)elements_of(sim, in) * sim->spec->size;
}

/* Whether an instruction is a message: not one of no bytes, nor local. */
static bool
is_message(const struct sim *sim, int rank, const struct instr *in)
{
    return in->peer != rank && elements_of(sim, in) > 0;
}

/* The links to, or from, the other nodes that a message takes; NULL: none. */
static struct uplink *
uplink_of(const struct sim *sim, int from, int to, bool into)
{
    int size = sim->spec->schedule->topology.dims[1]; /* ranks of a node */

    if (sim->uplinks == NULL || from / size == to / size)
        return NULL;
    return &sim->uplinks[2 * (into ? to / size : from / size) + into];
}

/* Whether a pull goes on with the message of the rank's pull before it. */
static bool
goes_on(const struct sim *sim, int rank, size_t at)
{
    const struct instr *in = &sim->p->instrs[at];

    return at > sim->p->first[rank] && in[-1].peer == in->peer &&
           in[-1].step == in->step && is_message(sim, rank, in - 1);
}

static double
transit(const struct sim *sim, int rank, size_t at)
{
    const struct network *n = sim->spec->network;
    double alpha = goes_on(sim, rank, at) ? 0 : n->alpha;

    return alpha + n->beta * bytes_of(sim, &sim->p->instrs[at]);
}

/* How many messages are on their way from a peer to a rank. */
static int
under_way(const struct sim *sim, int rank, int peer)
{
    const struct rank_sim *r = &sim->ranks[rank];
    int count = 0;

    for (uint32_t i = r->done; i < r->next; i++) {
        size_t at = sim->p->first[rank] + i;
        const struct instr *in = &sim->p->instrs[at];
        count += in->peer == peer && is_message(sim, rank, in) &&
                 sim->result->instrs[at].begin + transit(sim, rank, at) >
                     sim->now;
    }
    return count;
}

/* Whether there is a link for the rank's next message, from `peer`. */
static bool
find_link(struct sim *sim, int rank, int peer)
{
    int links = sim->spec->network->links;

    if (links == 0 || sim->spec->schedule->topology.kind == TOPOLOGY_ANY)
        return true;
    if (under_way(sim, rank, peer) >= links)
        return false;
    for (int into = 0; into <= 1; into++) {
        struct uplink *link = uplink_of(sim, peer, rank, into);
        if (link != NULL && link->busy >= links) {
            queue_add(&link->asking, sim->p->nranks, rank);
            return false;
        }
    }
    return true;
}

/* Whether the delays of a rank's next instruction are over: its own, and that
 * of its peer (run/rank.h).  Plans when to try again. */
static bool
is_awake(struct sim *sim, int rank, const struct instr *in, int *blocker)
{
    const int64_t *delays = sim->spec->delays;
    double until;

    if (delays == NULL || in->op == INSTR_END)
        return true;
    until = (double)delays[rank];
    if (in->op != INSTR_APPLY && delays[in->peer] > delays[rank]) {
        until = (double)delays[in->peer];
        *blocker = in->peer;
    }
    until += sim->ranks[rank].step_since;
    if (sim->now >= until)
        return true;
    plan(sim, until, AWAKE, rank, 0);
    return false;
}

/* Whether the ranks that an instruction waits for have come far enough.  If
 * not, enters the rank with one that has not. */
static bool
is_ready(struct sim *sim, int rank, const struct instr *in, int *blocker)
{
    struct rank_sim *r = &sim->ranks[rank];

    for (int i = 0; i < in->nwaits; i++) {
        const struct wait *w = &sim->p->waits[in->first_wait + (uint32_t)i];
        struct rank_sim *other = &sim->ranks[w->rank];
        if (other->done >= w->count)
            continue;
        *blocker = w->rank;
        if (!r->waits) {
            r->waits = true;
            r->next_waiter = other->waiters;
            other->waiters = rank;
        }
        return false;
    }
    return true;
}

/* Whether a core is free for the rank's next message. */
static bool
find_core(struct sim *sim, int rank)
{
    if (sim->cores.busy < sim->spec->network->cores)
        return true;
    queue_add(&sim->cores.asking, sim->p->nranks, rank);
    return false;
}

/* Whether a pull's message comes next at its sender, and finds free ports and
 * links; on cores it needs one of them, and its sender does nothing. */
static bool
finds_ports(struct sim *sim, int rank, const struct instr *in, int *blocker)
{
    const struct rank_sim *sender = &sim->ranks[in->peer];
    int ports = sim->spec->network->ports;

    if (sim->ranks[rank].receiving >= ports)
        return false;
    if (sim->spec->network->cores > 0)
        return !is_message(sim, rank, in) || find_core(sim, rank);
    *blocker = in->peer;
    return sim->p->sends[sender->next_send].peer == rank &&
           (!is_message(sim, rank, in) ||
            (sender->sending < ports && find_link(sim, rank, in->peer)));
}

/* Whether a rank comes to its next instruction although others are not over:
 * only messages of one step, but no part of a message before the part before
 * it. */
static bool
comes_to(const struct sim *sim, int rank, size_t at)
{
    const struct rank_sim *r = &sim->ranks[rank];
    const struct instr *in = &sim->p->instrs[at];

    return r->done == r->next ||
           (in->step == r->step && in->peer != rank && !r->works &&
            (sim->finished[at - 1] || !goes_on(sim, rank, at)));
}

static bool
may_begin(struct sim *sim, int rank, size_t at, int *blocker)
{
    struct rank_sim *r = &sim->ranks[rank];
    const struct instr *in = &sim->p->instrs[at];

    if (!comes_to(sim, rank, at))
        return false;
    if (in->step != r->step) {
        r->step = in->step;
        r->step_since = sim->now;
    }
    return is_awake(sim, rank, in, blocker) &&
           is_ready(sim, rank, in, blocker) &&
           (in->peer == rank || finds_ports(sim, rank, in, blocker));
}

/* What an instruction takes beside its message. */
static double
adding(const struct sim *sim, const struct instr *in)
{
    return in->op == INSTR_REDUCE
               ? sim->spec->network->gamma * bytes_of(sim, in)
               : 0;
}

static void
send(struct sim *sim, int rank, size_t at, const struct instr *in)
{
    sim->ranks[in->peer].sending++;
    sim->ranks[rank].receiving++;
    sim->cores.busy++;
    for (int into = 0; into <= 1; into++) {
        struct uplink *link = uplink_of(sim, in->peer, rank, into);
        if (link != NULL)
            link->busy++;
    }
    plan(sim, sim->now + transit(sim, rank, at), SENT, rank, at);
}

static void
begin(struct sim *sim, int rank, size_t at)
{
    struct rank_sim *r = &sim->ranks[rank];
    const struct instr *in = &sim->p->instrs[at];
    struct simulated *one = &sim->result->instrs[at];

    one->begin = sim->now;
    one->waited_for = r->waiting_for;
    one->wait = r->waiting_for >= 0 ? sim->now - r->waiting_since : 0;
    r->waiting_for = NOBODY;
    r->next++;
    if (in->peer != rank) {
        sim->ranks[in->peer].next_send++;
        try_receiver(sim, in->peer);
    }
    r->works = in->peer == rank;
    if (is_message(sim, rank, in))
        send(sim, rank, at, in);
    else
        plan(sim, sim->now + adding(sim, in), FINISHED, rank, at);
}

/* Begins as many of a rank's instructions as can begin now. */
static void
begin_all(struct sim *sim, int rank)
{
    struct rank_sim *r = &sim->ranks[rank];
    uint32_t length = program_length(sim->p, rank);

    while (r->next < length) {
        size_t at = sim->p->first[rank] + r->next;
        int blocker = NOBODY;
        if (!may_begin(sim, rank, at, &blocker)) {
            if (r->waiting_for == NOBODY && blocker != NOBODY) {
                r->waiting_for = blocker;
                r->waiting_since = sim->now;
            }
            return;
        }
        begin(sim, rank, at);
    }
}

/* Frees a link or a core. */
static void
release(struct sim *sim, struct uplink *link)
{
    link->busy--;
    while (link->asking.count > 0)
        try(sim, queue_take(&link->asking, sim->p->nranks));
}

static void
finish(struct sim *sim, int rank, size_t at)
{
    struct rank_sim *r = &sim->ranks[rank];
    size_t first = sim->p->first[rank];

    sim->result->instrs[at].end = sim->now;
    sim->result->end = sim->now;
    if (sim->p->instrs[at].op == INSTR_END)
        sim->result->rank_ends[rank] = sim->now;
    r->works = false;
    if (is_message(sim, rank, &sim->p->instrs[at])) {
        r->receiving--;
        release(sim, &sim->cores);
    }
    sim->finished[at] = true;
    while (r->done < r->next && sim->finished[first + r->done])
        r->done++;
    try(sim, rank);
    for (int32_t waiter = r->waiters; waiter != NOBODY;) {
        struct rank_sim *w = &sim->ranks[waiter];
        try(sim, waiter);
        w->waits = false;
        waiter = w->next_waiter;
    }
    r->waiters = NOBODY;
}

/* Frees the sender's port and the links. */
static void
arrive(struct sim *sim, int rank, size_t at)
{
    const struct instr *in = &sim->p->instrs[at];

    sim->ranks[in->peer].sending--;
    try_receiver(sim, in->peer);
    for (int into = 0; into <= 1; into++) {
        struct uplink *link = uplink_of(sim, in->peer, rank, into);
        if (link != NULL)
            release(sim, link);
    }
    if (in->op == INSTR_REDUCE)
        plan(sim, sim->now + adding(sim, in), FINISHED, rank, at);
    else
        finish(sim, rank, at);
}

static void
happen(struct sim *sim, const struct happening *h)
{
    sim->now = h->at;
    if (h->kind == SENT)
        arrive(sim, h->rank, h->instr);
    else if (h->kind == FINISHED)
        finish(sim, h->rank, h->instr);
    else
        try(sim, h->rank);
}

/* Whatever happens at the same time happens before anything is tried, so that
 * it does not matter what happens first. */
static void
run(struct sim *sim)
{
    struct happenings *ahead = &sim->ahead;

    for (int rank = 0; rank < sim->p->nranks; rank++)
        try(sim, rank);
    while (sim->agenda.count > 0 || ahead->count > 0) {
        while (ahead->count > 0 && (sim->agenda.count == 0 ||
                                    ahead->heap[0].at <= sim->now)) {
            struct happening soonest = happenings_take(ahead);
            happen(sim, &soonest);
        }
        while (sim->agenda.count > 0)
            begin_all(sim, queue_take(&sim->agenda, sim->p->nranks));
    }
}

static void
make_uplinks(struct sim *sim)
{
    const struct topology *t = &sim->spec->schedule->topology;
    int count = 2 * t->dims[0];

    if (sim->spec->network->links == 0 || t->kind != TOPOLOGY_NODES)
        return;
    sim->uplinks = mem_new((size_t)count, sizeof *sim->uplinks);
    sim->nuplinks = count;
    for (int i = 0; i < count; i++)
        queue_init(&sim->uplinks[i].asking, sim->p->nranks);
}

static void
sim_init(struct sim *sim, const struct simulation_spec *spec)
{
    const struct program *p = spec->program;
    size_t n = (size_t)p->nranks;

    *sim = (struct sim){.spec = spec, .p = p};
    sim->result = mem_new(1, sizeof *sim->result);
    sim->result->instrs = mem_new(p->ninstrs, sizeof *sim->result->instrs);
    sim->result->rank_ends = mem_new(n, sizeof *sim->result->rank_ends);
    sim->elements = schedule_chunk_starts(spec->schedule, spec->count);
    sim->finished = mem_new(p->ninstrs, sizeof *sim->finished);
    sim->ranks = mem_new(n, sizeof *sim->ranks);
    for (int rank = 0; rank < p->nranks; rank++)
        sim->ranks[rank] = (struct rank_sim){
            .next_send = p->first_send[rank], .waiting_for = NOBODY,
            .waiters = NOBODY};
    queue_init(&sim->agenda, p->nranks);
    queue_init(&sim->cores.asking, p->nranks);
    make_uplinks(sim);
}

static void
sim_done(struct sim *sim)
{
    for (int i = 0; i < sim->nuplinks; i++)
        queue_done(&sim->uplinks[i].asking);
    queue_done(&sim->agenda);
    queue_done(&sim->cores.asking);
    free(sim->uplinks);
    free(sim->elements);
    free(sim->finished);
    free(sim->ranks);
    free(sim->ahead.heap);
}

struct simulation *
simulation_new(const struct simulation_spec *spec)
{
    struct sim sim;

    sim_init(&sim, spec);
    run(&sim);
    for (int rank = 0; rank < sim.p->nranks; rank++)
        assert(sim.ranks[rank].done == program_length(sim.p, rank));
    sim_done(&sim);
    return sim.result;
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
    free(simulation->instrs);
    free(simulation->rank_ends);
    free(simulation);
}
