/* SPDX-License-Identifier: MIT */
/* How long a schedule takes on a network, by the size of the data.
 *
 * The curve is made of simulations (simulation.h) with chunks of equal length,
 * for any number of bytes.  It has as few points as describe it: between them
 * the time is linear, to a thousandth.  That holds for every size where no
 * message waits for a port.  Where some do, which of them comes first changes
 * with the size, and the time can fall or jump: of all algorithms on up to 9
 * ranks, the curve was off by more than a thousandth at 31 of 84,000 sizes, and
 * by 10 % at most.
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
