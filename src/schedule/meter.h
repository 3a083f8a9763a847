/* SPDX-License-Identifier: MIT */
/* Counts steps, peers and elements, transfer by transfer; for check.c.
 *
 *     meter_init(&m, nranks);
 *     meter_transfer(&m, transfer, step, elements);  in the schedule's order
 *     ... m.counts ...
 *     meter_done(&m);
 */
#ifndef SCHEDULE_METER_H
#define SCHEDULE_METER_H

#include "schedule/check.h"

struct meter {
    struct check_counts counts;
    int nranks;
    int step;                 /* the last one with traffic between ranks */
    int *sends, *receives;    /* by rank: its peers in that step */
    int *met;                 /* [src * nranks + dst]: the last step with
                               * traffic on this link */
    int64_t *sent, *received, *reduced; /* elements, by rank */
    int64_t *links;           /* [src * nranks + dst]: elements */
};

void meter_init(struct meter *m, int nranks);
void meter_done(struct meter *m);

/* Counts a transfer of `length` elements. Steps must not decrease. */
void meter_transfer(struct meter *m, const struct transfer *t, int step,
                    int64_t length);

#endif
