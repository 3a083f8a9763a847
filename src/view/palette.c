/* SPDX-License-Identifier: MIT */
#include "view/palette.h"

#include <math.h>

/* Red stays free for warnings among the eight of ECMA-48, which leaves six
 * for eight hues: two are told apart by an underline. */
static const struct colour colours[ROLES] = {
    [ROLE_TEXT] = {-1, -1, -1, false},
    [ROLE_QUIET] = {0x808080, 244, -1, false},
    [ROLE_TITLE] = {-1, -1, -1, false},
    [ROLE_CURRENT] = {-1, -1, -1, false},
    [ROLE_WARNING] = {0xd70000, 160, 1, false},
    [ROLE_BLACK] = {0x000000, 16, 0, false},
    [ROLE_WHITE] = {0xffffff, 231, 7, false},

    [ROLE_WARM + 0] = {0x808080, 244, 7, false},
    [ROLE_WARM + 1] = {0x87875f, 101, 7, false},
    [ROLE_WARM + 2] = {0xaf875f, 137, 7, false},
    [ROLE_WARM + 3] = {0xd7875f, 173, 7, false},

    [ROLE_ORIGIN + 0] = {0xe69f00, 214, 3, false}, /* orange */
    [ROLE_ORIGIN + 1] = {0x56b4e9, 75, 6, false},  /* sky blue */
    [ROLE_ORIGIN + 2] = {0x009e73, 35, 2, false},  /* bluish green */
    [ROLE_ORIGIN + 3] = {0xf0e442, 227, 7, false}, /* yellow */
    [ROLE_ORIGIN + 4] = {0x0072b2, 25, 4, false},  /* blue */
    [ROLE_ORIGIN + 5] = {0xd55e00, 166, 5, false}, /* vermilion */
    [ROLE_ORIGIN + 6] = {0xcc79a7, 139, 5, true},  /* reddish purple */
    [ROLE_ORIGIN + 7] = {0x606060, 241, 7, true},  /* grey */
};

const struct colour *
palette_colour(enum role role)
{
    return &colours[role];
}

enum role
palette_origin(int rank)
{
    return ROLE_ORIGIN + rank % HUES;
}

int
palette_pattern(int rank)
{
    return rank / HUES;
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

/* The contrast of two luminances is (lighter + 0.05) / (darker + 0.05). */
enum role
palette_ink(enum role ground)
{
    double l = luminance(colours[ground].rgb) + 0.05;

    return l / 0.05 >= 1.05 / l ? ROLE_BLACK : ROLE_WHITE;
}
