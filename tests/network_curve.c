/* SPDX-License-Identifier: MIT */
/* Times by the size of the data: where curves are linear, and where they have
 * corners. */
#include "schedule/network_curve.h"

#include <math.h>

#include "schedules.h"
#include "made.h"
#include "tap.h"

static const struct network plain = {
    .name = "test", 2000, 0.5, 0.25, .ports = 1};

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

static void
test_linear(void)
{
    static const double sizes[] = {0, 1, 8, 4096, 1e6, 3.3e9, 1e12};
    OWNS(schedule) *s = ring(8);
    struct network_curve curve;

    network_curve_of(s, &plain, &curve);
    is_int(curve.n, 2, "a ring's time is linear");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        ok(near(network_curve_at(&curve, sizes[i]),
                14 * 2000 + sizes[i] * (14 / 8.0 * 0.5 + 7 / 8.0 * 0.25),
                1e-9),
           "%g bytes", sizes[i]);
}

/* Two messages to different ranks: the first is long, and of those that wait
 * for it the second is short. */
static void
test_corners(void)
{
    OWNS(schedule) *s = made_in_place(4, 8, 0, "0.0>1.0*8 2.0>3.0; 3.0>2.0");
    struct network_curve curve;
    int wrong = 0;

    network_curve_of(s, &plain, &curve);
    ok(curve.n > 2, "one message of all, or two of an eighth: %d points",
       curve.n);
    for (double bytes = 0; bytes < 1e8; bytes = bytes * 1.7 + 10) {
        double one = 2000 + 0.5 * bytes, two = 4000 + 0.125 * bytes;
        wrong += !near(network_curve_at(&curve, bytes), one > two ? one : two,
                       1e-3);
    }
    is_int(wrong, 0, "the longer one counts");
}

int
main(void)
{
    test_linear();
    test_corners();
    test_every_algorithm();
    return done_testing();
}
