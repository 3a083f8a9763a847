/* SPDX-License-Identifier: MIT */
/* Networks whose figures are found again from times.  What --network takes and
 * refuses is in tests/golden/networks.cmds, and where ranks are on hosts is
 * compared by tests/second_simulation.py. */
#include "schedule/network.h"

#include <math.h>

#include "tap.h"

static double
time_of(const struct network *n, const struct network_fit_point *p)
{
    return n->alpha * p->messages + n->beta * p->bytes + n->gamma * p->added;
}

enum { POINTS = 8 };

/* Runs of several kinds, with the times that a model gives. */
static void
measure(struct network_fit_point points[POINTS], const struct network *m)
{
    for (int i = 0; i < POINTS; i++) {
        points[i] = (struct network_fit_point){1 + i % 3 * 4, 1000 << i % 4,
                                       i % 2 ? 500 << i : 0, 0};
        points[i].ns = time_of(m, &points[i]);
    }
}

static double
squared_errors(const struct network_fit_point *points, const struct network *m)
{
    double sum = 0;

    for (int i = 0; i < POINTS; i++)
        sum += pow(time_of(m, &points[i]) / points[i].ns - 1, 2);
    return sum;
}

/* The sum of squares has one minimum, so a model that no small change makes
 * better is the best. */
static bool
is_best(const struct network_fit_point *points, struct network m)
{
    double least = squared_errors(points, &m);
    double *terms[] = {&m.alpha, &m.beta, &m.gamma};
    static const double steps[] = {1, 1e-3, 1e-3};

    if (m.alpha < 0 || m.beta < 0 || m.gamma < 0)
        return false;
    for (int i = 0; i < 3; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double before = *terms[i];
            *terms[i] = fmax(before + sign * steps[i], 0);
            if (squared_errors(points, &m) < least)
                return false;
            *terms[i] = before;
        }
    return true;
}

static void
test_fit(void)
{
    const struct network truth = {.alpha = 1500, 0.25, 0.75, .ports = 1},
                         impossible = {.alpha = 30000, 0.25, -0.1, .ports = 1};
    struct network_fit_point points[POINTS];
    struct network m = {.ports = 1};

    measure(points, &truth);
    network_fit(&m, points, POINTS);
    ok(fabs(m.alpha - truth.alpha) < 1e-3 && fabs(m.beta - truth.beta) < 1e-6 &&
           fabs(m.gamma - truth.gamma) < 1e-6,
       "a model is found again from its times: %g, %g, %g", m.alpha, m.beta,
       m.gamma);
    measure(points, &impossible);
    network_fit(&m, points, POINTS);
    ok(is_best(points, m), "else the best without negative coefficients: "
       "%g, %g, %g", m.alpha, m.beta, m.gamma);
    for (int i = 0; i < POINTS; i++)
        points[i].added = 0;
    network_fit(&m, points, POINTS);
    ok(is_best(points, m) && m.gamma == 0, "nothing was added: %g, %g, %g",
       m.alpha, m.beta, m.gamma);
}

int
main(void)
{
    test_fit();
    return done_testing();
}
