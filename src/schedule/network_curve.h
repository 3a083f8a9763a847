/* SPDX-License-Identifier: MIT */
/* How long a schedule takes on a network, by the size of the data.
 *
 * The curve is made of simulations (simulation.h) with chunks of equal length,
 * for any number of bytes.  It has as few points as describe it: between them
 * the time is linear, to a thousandth.  That holds for every size where links
 * carry any number of messages.  Where messages wait for links, the time can
 * also fall or jump as the size grows, and there the curve was off by 3 % at
 * most, of all algorithms on up to 17 ranks.
 *
 * The time is linear everywhere if every rank always waits for the same ranks,
 * as on a ring, and has few corners if not.
 *
 *     struct network_curve curve;
 *     network_curve_of(schedule, network, &curve);
 *     ns = network_curve_at(&curve, 1048576);
 */
#ifndef SCHEDULE_NETWORK_CURVE_H
#define SCHEDULE_NETWORK_CURVE_H

#include "schedule/simulation.h"

enum { NETWORK_CURVE_MOST = 128 };

struct network_curve {
    int n;
    struct network_point {
        double bytes; /* of a rank's input; the first point has 0 */
        double ns;
    } points[NETWORK_CURVE_MOST];
};

void network_curve_of(const struct schedule *s, const struct network *network,
                      struct network_curve *curve);

/* The time in ns.  Beyond the last point, at 64 GiB, it goes on as before. */
double network_curve_at(const struct network_curve *curve, double bytes);

#endif
