/* SPDX-License-Identifier: MIT */
/* The clock of a network: gives a run's items the times that they would have on
 * another network (schedule/simulation.h).  What the ranks did, and the data,
 * stay those of the real run; only times change, and the run and its result say
 * so (run_times() in event/event.h).
 *
 *     session.clock = network_clock_new(schedule, &input, &network, delays);
 *     network_clock_set(session.clock, &item, &err);        each item, in order
 *
 * Events are found by what they move, so their order does not matter.  All
 * slices of a transfer have its times. */
#ifndef PLAY_NETWORK_CLOCK_H
#define PLAY_NETWORK_CLOCK_H

#include "event/event.h"
#include "run/rank_memory.h"
#include "schedule/simulation.h"

struct network_clock;

/* Simulates the run; delays as in simulation.h.  What the pointers point to
 * need not outlive the call. */
struct network_clock *network_clock_new(const struct schedule *s,
                                        const struct input *input,
                                        const struct network *network,
                                        const int64_t *delays);

/* One that says on which hosts of the network the ranks are, and leaves the
 * times as they are: SimGrid's. */
struct network_clock *network_clock_none(const struct schedule *s,
                                         const struct network *network);
void network_clock_free(struct network_clock *c);

/* Replaces the item's times.  What it then points to is valid until the next
 * call.  Returns false, with the reason in *err, for a transfer that the
 * schedule does not have. */
bool network_clock_set(struct network_clock *c, struct item *item,
                       struct err *err);

#endif
