/* SPDX-License-Identifier: MIT */
/* What a run adds up to while its events are told: bytes by rank, and the time
 * in which something granted was not yet finished. */
#ifndef RUN_TALLY_H
#define RUN_TALLY_H

#include "event/event.h"

struct tally {
    struct run_result result;
    int64_t finished_ns; /* end of the last event since the last grant */
};

void tally_init(struct tally *t, int nranks);
void tally_done(struct tally *t);

/* Steps are granted, at `now_ns` from the begin of the run. */
void tally_grant(struct tally *t, int64_t now_ns);
void tally_event(struct tally *t, const struct event *e);

#endif
