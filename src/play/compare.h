/* SPDX-License-Identifier: MIT */
/* Comparing algorithms of one collective on the same input: what each costs by
 * count, by the clock, and by the model (schedule/cost.h), fitted here. */
#ifndef PLAY_COMPARE_H
#define PLAY_COMPARE_H

#include "play/job.h"
#include "schedule/check.h"
#include "schedule/cost.h"

enum { COMPARE_MAX = 8 };

struct entrant {
    struct job *job;
    struct check_counts counts;
    double measured_ns, modelled_ns;
    bool right;
};

/* From `bytes` of a rank's input on, the model has this entrant as the
 * fastest, up to the next such line. */
struct winner {
    int entrant;
    int64_t bytes;
};

struct comparison {
    struct entrant entrants[COMPARE_MAX];
    int nentrants;
    double bytes; /* of memory, for all of them */
    struct cost_model model;
    int64_t fitted_from, fitted_to; /* bytes of a rank's input */
    struct winner winners[COMPARE_MAX];
    int nwinners;
};

/* Builds, proves, runs and measures what the operands of `o` name. False with
 * the reason and the exit status that goes with it; to be done with in either
 * case. */
bool compare(struct comparison *c, const struct options *o, int *status,
             struct err *err);
void compare_done(struct comparison *c);

#endif
