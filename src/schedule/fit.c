/* SPDX-License-Identifier: MIT */
#include "schedule/fit.h"

#include <math.h>

enum { TERMS = 3, ROUNDS = 100000 };

/* Moves one term after the other to where the sum of squares is least, which
 * leads to the least of all since the sum is convex (Gauss-Seidel on the normal
 * equations, without what is negative).  Terms are scaled to a similar size:
 * that takes fewer rounds. */
void
fit(struct network *network, const struct fit_point *points, size_t n)
{
    double a[TERMS][TERMS] = {{0}}, b[TERMS] = {0}, x[TERMS] = {0};
    double scale[TERMS] = {0};

    for (size_t i = 0; i < n; i++) {
        scale[0] = fmax(scale[0], points[i].messages / points[i].ns);
        scale[1] = fmax(scale[1], points[i].bytes / points[i].ns);
        scale[2] = fmax(scale[2], points[i].added / points[i].ns);
    }
    for (size_t i = 0; i < n; i++) {
        double row[TERMS] = {points[i].messages, points[i].bytes,
                             points[i].added};
        for (int j = 0; j < TERMS; j++)
            row[j] = scale[j] > 0 ? row[j] / points[i].ns / scale[j] : 0;
        for (int j = 0; j < TERMS; j++) {
            b[j] += row[j];
            for (int k = 0; k < TERMS; k++)
                a[j][k] += row[j] * row[k];
        }
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int j = 0; j < TERMS; j++) {
            double rest = b[j];
            for (int k = 0; k < TERMS; k++)
                rest -= k == j ? 0 : a[j][k] * x[k];
            x[j] = a[j][j] > 0 ? fmax(rest / a[j][j], 0) : 0;
        }
    network->alpha = scale[0] > 0 ? x[0] / scale[0] : 0;
    network->beta = scale[1] > 0 ? x[1] / scale[1] : 0;
    network->gamma = scale[2] > 0 ? x[2] / scale[2] : 0;
}
