/* SPDX-License-Identifier: MIT */
/* Fits a network's figures (network.h) to times that were measured. */
#ifndef SCHEDULE_FIT_H
#define SCHEDULE_FIT_H

#include <stddef.h>

#include "schedule/network.h"

/* A measured run: what follows one another on its critical path. */
struct fit_point {
    double messages;
    double bytes; /* in these messages */
    double added; /* those of them that were added */
    double ns;
};

/* Sets alpha, beta and gamma: of all that are not negative, those with the
 * least sum of squared relative errors of
 *
 *     alpha * messages + beta * bytes + gamma * added
 */
void fit(struct network *network, const struct fit_point *points, size_t n);

#endif
