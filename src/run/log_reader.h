/* SPDX-License-Identifier: MIT */
/* Takes events out of ranks' logs while ranks append to them.  The events of
 * one rank come in order.  The reader stays with a rank until its log is empty,
 * then goes on to the next one, so that every rank has its turn. */
#ifndef RUN_LOG_READER_H
#define RUN_LOG_READER_H

#include "run/rank_call.h"

struct log_reader {
    const struct rank_log *logs; /* by rank; borrowed */
    int nranks;
    int rank;        /* the rank whose events are taken now */
    uint64_t *taken; /* events, by rank */
};

void log_reader_init(struct log_reader *r, const struct rank_log *logs,
                     int nranks);
void log_reader_done(struct log_reader *r);

/* Starts again with logs that were emptied, after every event was taken. */
void log_reader_restart(struct log_reader *r);

/* Takes an event that has been published, if there is one. */
bool log_reader_next(struct log_reader *r, struct event *event);

#endif
