/* SPDX-License-Identifier: MIT */
/* Times by the size of the data: where curves are linear, where they have
 * corners, and which is the lowest where. */
#include "schedule/network_curve.h"

#include <math.h>

#include "coll/coll.h"
#include "tap.h"

static const struct network plain = {"test", 2000, 0.5, 0.25, 1, 0};

static bool
near(double a, double b, double by)
{
    return fabs(a - b) <= by * (1e-9 + fabs(b));
}

/* The time at some bytes, simulated. */
static double
simulate(const struct schedule *s, const struct program *p,
         const struct network *network, double bytes)
{
    struct simulation *simulation = simulation_new(&(struct simulation_spec){
        .schedule = s, .program = p, .count = s->nchunks,
        .size = bytes / s->nchunks, .network = network});
    double ns = simulation->end;

    simulation_free(simulation);
    return ns;
}

/* The number of sizes at which a curve is off by more than a thousandth. */
static int
count_wrong(const struct schedule *s, const struct network *network)
{
    struct program *p = program_lower(s);
    struct network_curve curve;
    int wrong = 0;

    network_curve_of(s, network, &curve);
    for (double bytes = 10; bytes < 6e10; bytes *= 1.37) {
        double drawn = network_curve_at(&curve, bytes);
        double simulated = simulate(s, p, network, bytes);
        if (near(drawn, simulated, 1e-3))
            continue;
        diag("%s-%s on %d ranks, %s, %g bytes: %g drawn, %g simulated",
             s->algorithm, s->collective->name, s->nranks, network->name,
             bytes, drawn, simulated);
        wrong++;
    }
    program_free(p);
    return wrong;
}

static void
test_every_algorithm(void)
{
    static const struct network networks[] = {
        {"slow to start", 1e7, 0.08, 0.5, 1, 0},
        {"slow to add", 1000, 1, 3, 1, 0},
        {"two ports", 1e7, 0.08, 0.5, 2, 0},
        {"one link", 1e7, 0.08, 0.5, 1, 1},
    };
    enum { NETWORKS = sizeof networks / sizeof networks[0] };
    const struct algorithm *a;
    int wrong = 0;

    for (int i = 0; i < NETWORKS; i++)
        for (int k = 0; (a = coll_at(k)) != NULL; k++)
            for (int n = 2; n <= 9; n++) {
                struct coll_options o = {.nranks = n, .in_place = true};
                struct err err;
                struct schedule *s = coll_build(a, &o, &err);
                if (s == NULL)
                    continue;
                wrong += count_wrong(s, &networks[i]);
                schedule_free(s);
            }
    is_int(wrong, 0, "every algorithm's curve is right to a thousandth");
}

static struct network_curve
curve_of(const char *name, struct coll_options o)
{
    const struct algorithm *a;
    struct network_curve curve;
    struct schedule *s;
    struct err err;

    o.in_place = true;
    if (!coll_find(name, &a, &err) || (s = coll_build(a, &o, &err)) == NULL)
        die("%s", err.text);
    network_curve_of(s, &plain, &curve);
    schedule_free(s);
    return curve;
}

static void
test_linear(void)
{
    static const double sizes[] = {0, 1, 8, 4096, 1e6, 3.3e9, 1e12};
    struct network_curve ring =
        curve_of("ring-allreduce", (struct coll_options){.nranks = 8});

    is_int(ring.n, 2, "a ring's time is linear");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        ok(near(network_curve_at(&ring, sizes[i]),
                14 * 2000 + sizes[i] * (14 / 8.0 * 0.5 + 7 / 8.0 * 0.25),
                1e-9),
           "%g bytes", sizes[i]);
}

/* Two messages to different ranks: the first is long, and of those that wait
 * for it the second is short. */
static void
test_corners(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "test",
        .nranks = 4, .pieces = 8, .in_place = true});
    struct network_curve curve;
    int wrong = 0;

    schedule_step(s, "test");
    schedule_add(s, (struct transfer){0, 1, 0, 0, 0, 8, TRANSFER_COPY});
    schedule_add(s, (struct transfer){2, 3, 0, 0, 0, 1, TRANSFER_COPY});
    schedule_step(s, "test");
    schedule_add(s, (struct transfer){3, 2, 0, 0, 0, 1, TRANSFER_COPY});
    network_curve_of(s, &plain, &curve);
    ok(curve.n > 2, "one message of all, or two of an eighth: %d points",
       curve.n);
    for (double bytes = 0; bytes < 1e8; bytes = bytes * 1.7 + 10) {
        double one = 2000 + 0.5 * bytes, two = 4000 + 0.125 * bytes;
        wrong += !near(network_curve_at(&curve, bytes), one > two ? one : two,
                       1e-3);
    }
    is_int(wrong, 0, "the longer one counts");
    schedule_free(s);
}

/* Closed forms on n ranks: ring against butterfly. */
static void
test_allreduce(int n, int log)
{
    struct network_curve curves[2] = {
        curve_of("ring-allreduce", (struct coll_options){.nranks = n}),
        curve_of("butterfly-allreduce", (struct coll_options){.nranks = n}),
    };
    struct network_reign reigns[NETWORK_REIGNS_MOST];
    bool others;
    double more = 0.5 * (log - 2 * (n - 1.0) / n) +
                  0.25 * (log - (n - 1.0) / n);
    double at = 2000 * (2 * (n - 1) - log) / more;

    is_int(network_reigns(curves, 2, reigns, &others), 2,
           "%d ranks: two reigns", n);
    ok(reigns[0].curve == 1 && reigns[0].bytes <= 0,
       "the butterfly for small data");
    ok(reigns[1].curve == 0 && near(reigns[1].bytes, at, 1e-6),
       "the ring from %g bytes on, by the formula %g", reigns[1].bytes, at);
}

static void
test_reigns(void)
{
    struct network_curve c[4] = {
        {3, {{0, 10}, {100, 10}, {1000, 100}}},
        {2, {{0, 5}, {1000, 105}}},   /* lower up to 50 */
        {2, {{0, 10}, {1000, 50}}},   /* lower from where the first rises */
        {2, {{0, 10}, {1000, 50}}},   /* the same again */
    };
    struct network_reign r[NETWORK_REIGNS_MOST];
    bool more;

    is_int(network_reigns(c, 1, r, &more), 1, "one curve reigns alone");
    is_int(network_reigns(c, 2, r, &more), 2, "two that cross");
    ok(r[0].curve == 1 && r[1].curve == 0 && near(r[1].bytes, 50, 1e-9),
       "at 50");
    is_int(network_reigns(c, 4, r, &more), 3, "a third one");
    ok(near(r[2].bytes, 100 + 4 / 0.06, 1e-9) && r[2].curve == 2,
       "at %g, and the first of two equal ones", r[2].bytes);
    is_int(network_reigns(c + 2, 2, r, &more), 1, "equal curves");
    is_int(r[0].curve, 0, "the first of them");
    c[1] = (struct network_curve){2, {{0, 10}, {1000, 9}}};
    is_int(network_reigns(c, 2, r, &more), 1, "equal at 0, lower afterwards");
    is_int(r[0].curve, 1, "reigns from 0 on");
}

/* A flat curve, and one that crosses it between each two of its points. */
static void
test_many_reigns(void)
{
    struct network_curve c[2] = {{2, {{0, 10}, {1e6, 10}}}, {.n = 0}};
    struct network_reign r[NETWORK_REIGNS_MOST];
    bool more;

    for (int i = 0; i < NETWORK_REIGNS_MOST; i++)
        c[1].points[c[1].n++] = (struct network_point){i, i % 2 ? 5 : 15};
    is_int(network_reigns(c, 2, r, &more), NETWORK_REIGNS_MOST,
           "as many reigns as there is room for");
    ok(!more, "are all of them");
    c[1].points[c[1].n] = (struct network_point){c[1].n, 15};
    c[1].n++;
    is_int(network_reigns(c, 2, r, &more), NETWORK_REIGNS_MOST,
           "of one more, as many as before");
    ok(more, "are not all");
}

int
main(void)
{
    test_linear();
    test_corners();
    test_every_algorithm();
    test_allreduce(4, 2);
    test_allreduce(16, 4);
    test_allreduce(64, 6);
    test_reigns();
    test_many_reigns();
    return done_testing();
}
