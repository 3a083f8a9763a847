/* SPDX-License-Identifier: MIT */
#include "run/tally.h"

#include <stdlib.h>

#include "base/mem.h"

void
tally_init(struct tally *t, int nranks)
{
    *t = (struct tally){.result = {.nranks = nranks}};
    t->result.bytes_sent =
        mem_new((size_t)nranks, sizeof *t->result.bytes_sent);
}

void
tally_done(struct tally *t)
{
    free(t->result.bytes_sent);
}

void
tally_grant(struct tally *t, int64_t now_ns)
{
    t->finished_ns = now_ns;
}

void
tally_event(struct tally *t, const struct event *e)
{
    if (e->src != e->dst)
        t->result.bytes_sent[e->src] += e->bytes;
    if (e->end_ns > t->finished_ns) {
        t->result.wall_ns += e->end_ns - t->finished_ns;
        t->finished_ns = e->end_ns;
    }
}
