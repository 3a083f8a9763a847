/* SPDX-License-Identifier: MIT */
/* How long a schedule should take: the alpha-beta-gamma model.
 *
 *     T = alpha * messages + beta * bytes + gamma * added
 *
 * R. Hockney's alpha and beta ("The communication challenge for MPP", Parallel
 * Computing 20, 1994) with a gamma for the reduction, as in R. Thakur, R.
 * Rabenseifner, W. Gropp, "Optimization of collective communication operations
 * in MPICH", IJHPCA 19 (2005).  There each rank has a processor of its own.
 * Here only `lanes` ranks act at once: a step takes as long as its busiest
 * rank, or as all of its work shared out to the lanes, whichever is longer. */
#ifndef SCHEDULE_COST_H
#define SCHEDULE_COST_H

#include "schedule/schedule.h"

/* Along the critical path: sums over steps. */
struct load {
    double messages;
    double bytes;  /* moved */
    double added;  /* the part of these bytes that was reduced */
};

/* Nanoseconds for a message, for a byte moved, and for a byte reduced. */
struct cost_model {
    double alpha, beta, gamma;
};

/* The load of a run with inputs of `count` elements of `size` bytes. */
struct load cost_load(const struct schedule *s, int64_t count, size_t size,
                      int lanes);

/* The modelled time in nanoseconds. */
double cost_time(const struct cost_model *m, const struct load *l);

/* A measured run. */
struct cost_point {
    struct load load;
    double ns;
};

/* Fits the model: of those without a negative coefficient, the one that
 * minimizes the sum of squared relative errors over the points. */
struct cost_model cost_fit(const struct cost_point *points, size_t n);

#endif
