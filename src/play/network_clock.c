/* SPDX-License-Identifier: MIT */
#include "play/network_clock.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/whole.h"

struct network_clock {
    char network[NETWORK_NAME_MAX];
    struct event *events; /* the transfers that rank r received, or copied, as
                           * the network times them: first[r] .. first[r + 1] -
                           * 1, in the order of its program */
    size_t *first;
    size_t *next;     /* by rank: after the one found last, from first[rank] */
    int64_t *ends_ns; /* by rank */
    int64_t end_ns;
    struct run_info run;
    struct run_result result;
};

/* Events are made of copies and reductions alone: an APPLY is a part of a
 * transfer that has been reported, and END is none. */
static void
take(struct network_clock *c, const struct program *p,
     const struct simulation *sim)
{
    size_t n = 0;

    c->events = mem_new(p->ninstrs, sizeof *c->events);
    for (int rank = 0; rank < p->nranks; rank++) {
        c->first[rank] = n;
        c->ends_ns[rank] = whole(sim->rank_ends[rank]);
        for (size_t i = p->first[rank]; i < p->first[rank + 1]; i++) {
            const struct instr *in = &p->instrs[i];
            const struct simulated *when = &sim->instrs[i];
            int64_t wait_ns = whole(when->wait);
            if (in->op != INSTR_COPY && in->op != INSTR_REDUCE)
                continue;
            c->events[n++] = (struct event){
                .step = in->step, .src = in->peer, .src_slot = in->src_slot,
                .dst_slot = in->final_slot, .nslots = in->nslots,
                .waited_for = wait_ns > 0 ? when->waited_for : -1,
                .begin_ns = whole(when->begin), .end_ns = whole(when->end),
                .wait_ns = wait_ns};
        }
    }
    c->first[p->nranks] = n;
    c->end_ns = whole(sim->end);
}

struct network_clock *
network_clock_new(const struct schedule *s, const struct input *input,
                  const struct network *network, const int64_t *delays)
{
    struct network_clock *c = mem_new(1, sizeof *c);
    struct program *p = program_lower(s);
    struct simulation *sim = simulation_new(&(struct simulation_spec){
        .schedule = s, .program = p, .count = input->count,
        .size = (double)dtype_size(input->type), .network = network,
        .delays = delays});
    size_t n = (size_t)s->nranks;

    snprintf(c->network, sizeof c->network, "%s", network->name);
    c->first = mem_new(n + 1, sizeof *c->first);
    c->next = mem_new(n, sizeof *c->next);
    c->ends_ns = mem_new(n, sizeof *c->ends_ns);
    take(c, p, sim);
    simulation_free(sim);
    program_free(p);
    return c;
}

void
network_clock_free(struct network_clock *c)
{
    if (c == NULL)
        return;
    free(c->events);
    free(c->first);
    free(c->next);
    free(c->ends_ns);
    free(c);
}

/* Looks from the transfer found last on, since events are mostly in order. */
static const struct event *
find(struct network_clock *c, const struct event *e)
{
    size_t first = c->first[e->dst], n = c->first[e->dst + 1] - first;
    size_t from = c->next[e->dst];

    for (size_t i = 0; i < n; i++) {
        size_t at = (from + i) % n;
        const struct event *s = &c->events[first + at];
        if (s->step != e->step || s->src != e->src ||
            s->src_slot != e->src_slot || s->dst_slot != e->dst_slot ||
            s->nslots != e->nslots)
            continue;
        c->next[e->dst] = (at + 1) % n;
        return s;
    }
    return NULL;
}

static bool
set_event(struct network_clock *c, struct event *e, struct err *err)
{
    const struct event *s;

    if (e->op == EVENT_DIVIDE) {
        e->begin_ns = e->end_ns = c->ends_ns[e->dst];
        e->wait_ns = 0;
        e->waited_for = -1;
        return true;
    }
    s = find(c, e);
    if (s == NULL)
        return err_set(err, "step %d, rank %d: the run reports a transfer that "
                       "its program does not have", e->step, e->dst);
    e->begin_ns = s->begin_ns;
    e->end_ns = s->end_ns;
    e->wait_ns = e->slice == 0 ? s->wait_ns : 0;
    e->waited_for = e->slice == 0 ? s->waited_for : -1;
    return true;
}

bool
network_clock_set(struct network_clock *c, struct item *item, struct err *err)
{
    _Static_assert(sizeof c->run.network == sizeof c->network, "same names");
    if (item->type == ITEM_RUN) {
        c->run = *item->run;
        c->run.clock_ns = 0; /* there is only one clock: this */
        snprintf(c->run.network, sizeof c->run.network, "%s", c->network);
    }
    item->run = &c->run;
    if (item->type == ITEM_RESULT) {
        c->result = *item->result;
        c->result.here_ns = c->result.wall_ns;
        c->result.wall_ns = c->end_ns;
        item->result = &c->result;
    }
    return item->type != ITEM_TRANSFER || set_event(c, &item->event, err);
}
