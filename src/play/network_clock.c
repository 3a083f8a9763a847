/* SPDX-License-Identifier: MIT */
#include "play/network_clock.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/whole.h"

struct network_clock {
    char network[NETWORK_NAME_MAX];
    int host_ranks, hosts;
    struct simulation *simulation; /* its messages by step, receiver, sender;
                                    * NULL: there is none */
    struct run_info run;
    struct run_result result;
};

static int
by_step(const void *a, const void *b)
{
    const struct simulated *x = a, *y = b;

    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    if (x->dst != y->dst)
        return x->dst < y->dst ? -1 : 1;
    return (x->src > y->src) - (x->src < y->src);
}

struct network_clock *
network_clock_new(const struct schedule *s, const struct input *input,
                  const struct network *network, const int64_t *delays)
{
    struct network_clock *c = mem_new(1, sizeof *c);

    c->simulation = simulation_new(&(struct simulation_spec){
        .schedule = s, .count = input->count,
        .size = (double)dtype_size(input->type), .network = network,
        .delays = delays});
    qsort(c->simulation->messages, c->simulation->nmessages,
          sizeof *c->simulation->messages, by_step);
    snprintf(c->network, sizeof c->network, "%s", network->name);
    c->host_ranks = network->gpus;
    return c;
}

struct network_clock *
network_clock_none(const struct schedule *s, const struct network *network)
{
    struct network_clock *c = mem_new(1, sizeof *c);

    c->host_ranks = network->gpus;
    c->hosts = network->gpus > 0 ? network_host(network, s->nranks - 1) + 1 : 0;
    return c;
}

void
network_clock_free(struct network_clock *c)
{
    if (c == NULL)
        return;
    simulation_free(c->simulation);
    free(c);
}

static bool
set_event(struct network_clock *c, struct event *e, struct err *err)
{
    const struct simulation *s = c->simulation;
    const struct simulated key = {
        .step = e->step, .src = e->src, .dst = e->dst};
    struct simulated *m;

    if (e->op == EVENT_DIVIDE) {
        e->begin_ns = e->end_ns = whole(s->rank_ends[e->dst]);
        e->wait_ns = 0;
        e->waited_for = -1;
        return true;
    }
    m = bsearch(&key, s->messages, s->nmessages, sizeof *m, by_step);
    if (m == NULL)
        return err_set(err, "step %d, rank %d: the run reports a transfer that "
                       "its schedule does not have", e->step, e->dst);
    e->begin_ns = whole(m->begin);
    e->end_ns = whole(m->end);
    e->wait_ns = whole(m->wait);
    e->waited_for = e->wait_ns > 0 ? m->waited_for : -1;
    m->wait = 0; /* the other transfers of the message do not wait again */
    return true;
}

bool
network_clock_set(struct network_clock *c, struct item *item, struct err *err)
{
    _Static_assert(sizeof c->run.network == sizeof c->network, "same names");
    if (item->type == ITEM_RUN) {
        c->run = *item->run;
        c->run.host_ranks = c->host_ranks;
        if (c->hosts > 0)
            c->run.nplaces = c->hosts;
    }
    if (c->simulation == NULL) {
        item->run = &c->run;
        return true;
    }
    if (item->type == ITEM_RUN) {
        c->run.clock_ns = 0; /* there is only one clock: this */
        snprintf(c->run.network, sizeof c->run.network, "%s", c->network);
    }
    item->run = &c->run;
    if (item->type == ITEM_RESULT) {
        c->result = *item->result;
        c->result.here_ns = c->result.wall_ns;
        c->result.wall_ns = whole(c->simulation->end);
        item->result = &c->result;
    }
    return item->type != ITEM_TRANSFER || set_event(c, &item->event, err);
}
