/* SPDX-License-Identifier: MIT */
/* Colours by what they mean.
 *
 * A cell of the canvas has roles, not colours; whoever shows the canvas looks
 * here for what a role is worth on its device: 24 bits, 256 colours, the
 * eight of ECMA-48, or nothing.  Without colour letters carry everything.
 *
 * Data has the colour of the rank it comes from: eight hues that colour-blind
 * people tell apart, from M. Okabe and K. Ito, "Color Universal Design", 2008,
 * with a grey in place of their black.  Checked by tests/view (how:
 * tests/colour_vision.h): for normal vision and in a simulation of protanopia,
 * deuteranopia and tritanopia every two hues are at least 15 apart in CIELAB,
 * in 24 bits and in 256 colours.  A medium grey, #999999, would be 7 from the
 * purple in deuteranopia.
 *
 * Rank 8 begins again with another pattern.  Red is for what went wrong.
 *
 * Nothing takes the terminal's background for dark: text is the terminal's
 * own, hues are grounds with ink of their own. */
#ifndef DRAW_PALETTE_H
#define DRAW_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

enum role {
    ROLE_TEXT,  /* the terminal's own foreground or background */
    ROLE_QUIET, /* what is there but not in question now */
    ROLE_TITLE,
    ROLE_CURRENT, /* where we are: the step, the phase */
    ROLE_WARNING, /* the only red; a sign, `!`, stands beside it */
    ROLE_BLACK,   /* ink on a coloured ground */
    ROLE_WHITE,
    ROLE_TREE, /* links of one of two trees, and of the other */
    ROLE_WARM = ROLE_TREE + 2, /* WARMTHS of them: several contributions, few to all */
    ROLE_ORIGIN = ROLE_WARM + 4,
    ROLES = ROLE_ORIGIN + 8
};

enum { WARMTHS = 4, HUES = 8 };

struct colour {
    int32_t rgb;  /* 0xrrggbb, or -1: the terminal's own */
    int16_t x256; /* in the palette of 256, or -1 */
    int8_t ansi;  /* 0 to 7, or -1 */
    bool ansi_underlined; /* eight colours are too few for eight hues */
    bool white_ink;       /* reads better on it than black does */
};

const struct colour *palette_colour(enum role role);

/* The role of data that comes from a rank, and how often its hue was given
 * out before: 0 for ranks 0 to 7, then 1, 2, ... */
enum role palette_origin(int rank);
int palette_pattern(int rank);

/* ROLE_BLACK or ROLE_WHITE: what is easier to read on that ground, by the
 * contrast of WCAG 2.1 (tests/view). */
enum role palette_ink(enum role ground);

#endif
