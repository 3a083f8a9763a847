/* SPDX-License-Identifier: MIT */
/* The difference between two colours, as seen with normal vision and by people
 * who lack one kind of cone.
 *
 * Dichromacy is simulated with the matrices for severity 1.0 of G. M. Machado,
 * M. M. Oliveira and L. A. F. Fernandes, "A Physiologically-based Model for
 * Simulation of Color Vision Deficiency", IEEE Transactions on Visualization
 * and Computer Graphics 15 (6), 2009, applied to linear RGB.  The difference
 * is the distance in CIELAB (CIE 1976, D65), in which about 2.3 is just
 * noticeable for large fields side by side. */
#ifndef TESTS_COLOUR_VISION_H
#define TESTS_COLOUR_VISION_H

#include <math.h>
#include <stdint.h>

#include "tap.h"

enum vision { VISION_NORMAL, PROTANOPIA, DEUTERANOPIA, TRITANOPIA, VISIONS };

static const char *const vision_names[VISIONS] = {
    "normal vision", "protanopia", "deuteranopia", "tritanopia"};

static const double vision_matrices[VISIONS][3][3] = {
    [VISION_NORMAL] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    [PROTANOPIA] = {{0.152286, 1.052583, -0.204868},
                    {0.114503, 0.786281, 0.099216},
                    {-0.003882, -0.048116, 1.051998}},
    [DEUTERANOPIA] = {{0.367322, 0.860646, -0.227968},
                      {0.280085, 0.672501, 0.047413},
                      {-0.011820, 0.042940, 0.968881}},
    [TRITANOPIA] = {{1.255528, -0.076749, -0.178779},
                    {-0.078411, 0.930809, 0.147602},
                    {0.004733, 0.691367, 0.303900}},
};

static double
lab_f(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static void
colour_lab(int32_t rgb, enum vision vision, double lab[3])
{
    /* sRGB to XYZ, each row divided by D65's white */
    static const double xyz[3][3] = {
        {0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047},
        {0.2126729, 0.7151522, 0.0721750},
        {0.0193339 / 1.08883, 0.1191920 / 1.08883, 0.9503041 / 1.08883}};
    double linear[3], seen[3], f[3];

    for (int i = 0; i < 3; i++) {
        double c = (rgb >> (16 - 8 * i) & 0xff) / 255.0;
        linear[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
    for (int i = 0; i < 3; i++) {
        seen[i] = 0;
        for (int k = 0; k < 3; k++)
            seen[i] += vision_matrices[vision][i][k] * linear[k];
        seen[i] = fmin(1, fmax(0, seen[i]));
    }
    for (int i = 0; i < 3; i++)
        f[i] = lab_f(xyz[i][0] * seen[0] + xyz[i][1] * seen[1] +
                     xyz[i][2] * seen[2]);
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

TAP_UNUSED static double
colour_difference(int32_t a, int32_t b, enum vision vision)
{
    double x[3], y[3];

    colour_lab(a, vision, x);
    colour_lab(b, vision, y);
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                (x[2] - y[2]) * (x[2] - y[2]));
}

/* WCAG 2.1, relative luminance. */
static double
luminance(int32_t rgb)
{
    static const double weight[] = {0.0722, 0.7152, 0.2126}; /* b, g, r */
    double sum = 0;

    for (int i = 0; i < 3; i++) {
        double c = (rgb >> 8 * i & 0xff) / 255.0;
        sum += weight[i] * (c <= 0.04045 ? c / 12.92
                                         : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

/* Colours 16 to 255 of xterm: a cube of 6 levels, then greys. */
static int32_t
colour_of_256(int index)
{
    static const int32_t levels[] = {0, 95, 135, 175, 215, 255};
    int cube = index - 16, grey = 8 + 10 * (index - 232);

    return index >= 232 ? grey << 16 | grey << 8 | grey
                        : levels[cube / 36] << 16 |
                              levels[cube / 6 % 6] << 8 | levels[cube % 6];
}

#endif
