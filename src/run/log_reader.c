/* SPDX-License-Identifier: MIT */
#include "run/log_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
log_reader_init(struct log_reader *r, const struct rank_log *logs, int nranks)
{
    *r = (struct log_reader){
        .logs = logs, .nranks = nranks,
        .taken = mem_new((size_t)nranks, sizeof *r->taken)};
}

void
log_reader_done(struct log_reader *r)
{
    free(r->taken);
}

void
log_reader_restart(struct log_reader *r)
{
    memset(r->taken, 0, (size_t)r->nranks * sizeof *r->taken);
    r->rank = 0;
}

bool
log_reader_next(struct log_reader *r, struct event *event)
{
    for (int i = 0; i < r->nranks; i++) {
        const struct rank_log *log = &r->logs[r->rank];
        uint64_t *taken = &r->taken[r->rank];

        if (__atomic_load_n(log->published, __ATOMIC_ACQUIRE) > *taken) {
            *event = log->events[(*taken)++];
            return true;
        }
        r->rank = (r->rank + 1) % r->nranks;
    }
    return false;
}
