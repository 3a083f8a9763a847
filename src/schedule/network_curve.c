/* SPDX-License-Identifier: MIT */
#include "schedule/network_curve.h"

#include <math.h>

static const double largest = 64.0 * (1 << 30), tolerance = 1e-3;

struct drawing {
    const struct schedule *s;
    const struct network *network;
    struct network_curve *curve;
};

/* A chunk has one element, of as many bytes as it takes. */
static struct network_point
point_at(const struct drawing *d, double bytes)
{
    int nchunks = d->s->nchunks > 0 ? d->s->nchunks : 1;

    return (struct network_point){
        bytes, simulation_time(&(struct simulation_spec){
                   .schedule = d->s, .count = nchunks, .size = bytes / nchunks,
                   .network = d->network})};
}

static double
between(struct network_point a, struct network_point b, double bytes)
{
    return a.ns + (b.ns - a.ns) / (b.bytes - a.bytes) * (bytes - a.bytes);
}

/* Whether the time is linear from a to b.  Where no message waits for a port it
 * is that of the longest of several paths, so it is convex.  If the
 * line from a to a second point beside it then leads to b, to a thousandth of
 * b's time, every time between them is as near to the line from a to b. */
static bool
is_linear(const struct drawing *d, struct network_point a,
          struct network_point b)
{
    struct network_point second =
        point_at(d, a.bytes > 0 ? a.bytes * (1 + tolerance) : 1);
    double off = fabs(between(a, second, b.bytes) - b.ns);

    return b.bytes <= second.bytes || off <= tolerance * b.ns;
}

/* So many geometric middles narrow 64 GiB to a thousandth. */
enum { DEPTH = 15 };

/* Adds the points after a, up to b.  Up to DEPTH more wait for their turn. */
static void
draw(const struct drawing *d, struct network_point a, struct network_point b,
     int depth)
{
    bool room = d->curve->n + DEPTH + 2 <= NETWORK_CURVE_MOST;

    if (depth > 0 && room && !is_linear(d, a, b)) {
        double bytes = sqrt((a.bytes > 1 ? a.bytes : 1) * b.bytes);
        struct network_point middle = point_at(d, bytes);
        draw(d, a, middle, depth - 1);
        draw(d, middle, b, depth - 1);
    } else {
        d->curve->points[d->curve->n++] = b;
    }
}

void
network_curve_of(const struct schedule *s, const struct network *network,
                 struct network_curve *curve)
{
    struct drawing d = {s, network, curve};
    struct network_point first = point_at(&d, 0);

    curve->n = 1;
    curve->points[0] = first;
    draw(&d, first, point_at(&d, largest), DEPTH);
}

double
network_curve_at(const struct network_curve *curve, double bytes)
{
    int i = 1;

    while (i < curve->n - 1 && curve->points[i].bytes < bytes)
        i++;
    return between(curve->points[i - 1], curve->points[i], bytes);
}
