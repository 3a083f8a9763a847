/* SPDX-License-Identifier: MIT */
/* What a schedule should take: the alpha-beta-gamma model.
 *
 *     T = alpha * messages + beta * bytes + gamma * added
 *
 * R. Hockney's alpha and beta ("The communication challenge for MPP", Parallel
 * Computing 20, 1994) with a gamma for the reduction, as in R. Thakur, R.
 * Rabenseifner, W. Gropp, "Optimization of collective communication operations
 * in MPICH", IJHPCA 19 (2005).  There each rank has a processor; here `lanes`
 * ranks act at once, and a step takes as long as its busiest rank, or all of
 * its work shared out to the lanes, whichever is more. */
#ifndef SCHEDULE_COST_H
#define SCHEDULE_COST_H

#include "schedule/schedule.h"

/* Along the critical path: sums over steps. */
struct load {
    double messages;
    double bytes;  /* moved */
    double added;  /* of these, added to what was there */
};

/* Nanoseconds: a message, a byte moved, a byte added. */
struct cost_model {
    double alpha, beta, gamma;
};

/* Of a run with inputs of `count` elements of `size` bytes. */
struct load cost_load(const struct schedule *s, int64_t count, size_t size,
                      int lanes);

/* Nanoseconds. */
double cost_time(const struct cost_model *m, const struct load *l);

/* A run that was measured. */
struct cost_point {
    struct load load;
    double ns;
};

/* The model, with no negative coefficient, whose relative errors over the
 * points have the least sum of squares. */
struct cost_model cost_fit(const struct cost_point *points, size_t n);

#endif
