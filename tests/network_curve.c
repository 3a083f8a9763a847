/* SPDX-License-Identifier: MIT */
/* Times by the size of the data: curves beside simulations of each size. */
#include "schedule/network_curve.h"

#include <math.h>

#include "schedules.h"
#include "tap.h"

static bool
near(double a, double b, double by)
{
    return fabs(a - b) <= by * (1e-9 + fabs(b));
}

/* The time at some bytes, simulated. */
static double
simulate(const struct schedule *s, const struct network *network, double bytes)
{
    return simulation_time(&(struct simulation_spec){
        .schedule = s, .count = s->nchunks, .size = bytes / s->nchunks,
        .network = network});
}

struct counts {
    int sizes, off, wrong; /* by more than a thousandth, by more than a tenth */
};

static void
count_wrong(const struct schedule *s, const struct network *network,
            struct counts *counts)
{
    struct network_curve curve;

    network_curve_of(s, network, &curve);
    for (double bytes = 10; bytes < 6e10; bytes *= 1.37) {
        double drawn = network_curve_at(&curve, bytes);
        double simulated = simulate(s, network, bytes);
        counts->sizes++;
        counts->off += !near(drawn, simulated, 1e-3);
        if (near(drawn, simulated, 0.1))
            continue;
        diag("%s-%s on %d ranks, %s, %g bytes: %g drawn, %g simulated",
             s->algorithm, s->collective->name, s->nranks, network->name,
             bytes, drawn, simulated);
        counts->wrong++;
    }
}

static void
test_every_algorithm(void)
{
    static const struct network networks[] = {
        {.name = "slow to start", 1e7, 0.08, 0.5, .ports = 1},
        {.name = "slow to add", 1000, 1, 3, .ports = 1},
        {.name = "two ports", 1e7, 0.08, 0.5, .ports = 2},
        {.name = "one link", 1e7, 0.08, 0.5, .ports = 1, .links = 1},
    };
    enum { NETWORKS = sizeof networks / sizeof networks[0] };
    const struct algorithm *a;
    struct counts counts = {0};

    for (int i = 0; i < NETWORKS; i++)
        for (int k = 0; (a = coll_at(k)) != NULL; k++)
            for (int n = 2; n <= 9; n++) {
                struct coll_options o = {.nranks = n, .in_place = true};
                struct err err;
                OWNS(schedule) *s = coll_build(a, &o, &err);
                if (s == NULL)
                    continue;
                count_wrong(s, &networks[i], &counts);
            }
    ok(counts.wrong == 0 && counts.off * 1000 < counts.sizes,
       "every curve is right to a thousandth, but at %d of %d sizes",
       counts.off, counts.sizes);
}

int
main(void)
{
    test_every_algorithm();
    return done_testing();
}
