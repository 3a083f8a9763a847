/* SPDX-License-Identifier: MIT */
#include "schedule/meter.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
meter_init(struct meter *m, int nranks)
{
    size_t n = (size_t)nranks;

    *m = (struct meter){.nranks = nranks,
                        .sends = mem_new(n, sizeof *m->sends),
                        .receives = mem_new(n, sizeof *m->receives),
                        .met = mem_new(n * n, sizeof *m->met),
                        .sent = mem_new(n, sizeof *m->sent),
                        .received = mem_new(n, sizeof *m->received),
                        .reduced = mem_new(n, sizeof *m->reduced),
                        .links = mem_new(n * n, sizeof *m->links)};
}

void
meter_done(struct meter *m)
{
    free(m->sends);
    free(m->receives);
    free(m->met);
    free(m->sent);
    free(m->received);
    free(m->reduced);
    free(m->links);
}

static void
raise(int64_t *most, int64_t value)
{
    if (value > *most)
        *most = value;
}

static void
begin_step(struct meter *m, int step)
{
    m->step = step;
    m->counts.steps++;
    memset(m->sends, 0, (size_t)m->nranks * sizeof *m->sends);
    memset(m->receives, 0, (size_t)m->nranks * sizeof *m->receives);
}

/* All transfers from one rank to another in one step count as one message. */
static void
count_ports(struct meter *m, const struct transfer *t, int *met)
{
    int sends, receives;

    if (*met == m->step)
        return;
    *met = m->step;
    sends = ++m->sends[t->src];
    receives = ++m->receives[t->dst];
    if (sends > m->counts.ports)
        m->counts.ports = sends;
    if (receives > m->counts.ports)
        m->counts.ports = receives;
}

void
meter_transfer(struct meter *m, const struct transfer *t, int step,
               int64_t length)
{
    size_t link = (size_t)t->src * (size_t)m->nranks + (size_t)t->dst;

    if (t->op == TRANSFER_REDUCE) {
        m->counts.reduced += length;
        raise(&m->counts.most_reduced, m->reduced[t->dst] += length);
    }
    if (t->src == t->dst)
        return;
    if (step != m->step)
        begin_step(m, step);
    m->counts.total += length;
    raise(&m->counts.most_sent, m->sent[t->src] += length);
    raise(&m->counts.most_received, m->received[t->dst] += length);
    raise(&m->counts.busiest_link, m->links[link] += length);
    count_ports(m, t, &m->met[link]);
}
