/* SPDX-License-Identifier: MIT */
/* Rungs: the transfers of one step as vertical lines between rows of ranks.
 *
 *     0 ───┬──────┬──▶      GPU 0 sends to GPU 1; GPUs 0 and 2 exchange
 *     1 ───┴──────│──▶
 *     2 ──────────┴──▶
 *
 * Two ranks that exchange data share a rung.  If one rank sends to several, or
 * receives from several, they share one too, where that takes fewer rungs.
 * Rungs that would touch stand side by side. */
#ifndef DRAW_RUNGS_H
#define DRAW_RUNGS_H

#include <stdint.h>

#include "schedule/schedule.h"

enum { RUNGS_RANKS_MOST = 16, RUNGS_MOST = 256 };

struct rung {
    uint16_t senders, receivers; /* bit r: rank r */
    int first, last;             /* of these ranks */
    int column;                  /* from 0 */
};

struct rungs {
    int count;
    int columns; /* that they take, side by side */
    struct rung rungs[RUNGS_MOST];
};

/* Sets *r for a step of a schedule of at most RUNGS_RANKS_MOST ranks. Transfers
 * within a rank have no rung. */
void rungs_of(const struct schedule *s, int step, struct rungs *r);

/* The rung from one rank to another; NULL if there is none. */
const struct rung *rungs_find(const struct rungs *r, int src, int dst);

/* The distance between sender and receiver round the ring of ranks, if it is
 * the same for all transfers of the step; else 0. */
int rungs_distance(const struct schedule *s, int step);

#endif
