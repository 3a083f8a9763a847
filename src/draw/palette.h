/* SPDX-License-Identifier: MIT */
/* Colours, named by their meaning.
 *
 * Each cell of a canvas has roles instead of colours.  Code that shows a canvas
 * looks up the colour of a role here, for a device with 24 bits, 256 colours,
 * the eight colours of ECMA-48, or none.  Without colour, letters carry all
 * information.
 *
 * Data has the colour of the rank that it comes from.  The eight hues can be
 * distinguished by colour-blind people; they are from M. Okabe and K. Ito,
 * "Color Universal Design", 2008, with a grey in place of their black.
 * tests/draw checks them (tests/colour_vision.h says how): in normal vision and
 * in simulations of protanopia, deuteranopia and tritanopia, any two hues are
 * at least 15 apart in CIELAB, with 24 bits and with 256 colours.  A medium
 * grey, #999999, would be only 7 from the purple in deuteranopia.
 *
 * The four accents are as far apart, in the shades for dark and for light.
 *
 * Rank 8 has the hue of rank 0 with another pattern.  Red is used only for
 * errors.
 *
 * The terminal's background may be dark or light.  So text has the terminal's
 * own colours, and each hue is a background with its own ink.  Some hues are
 * too near to the terminal's own background for characters on it; palette_fg()
 * has other shades of these.  tests/palette checks that the contrast is at
 * least 3:1 (WCAG 2.1) in every view, on dark and on light. */
#ifndef DRAW_PALETTE_H
#define DRAW_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

enum role {
    ROLE_TEXT,  /* the terminal's own foreground or background */
    ROLE_QUIET, /* for less important text and lines */
    ROLE_ACCENT, /* of the screen, as its canvas says (draw/canvas.h) */
    ROLE_CURRENT, /* the current step, the current phase */
    ROLE_WARNING, /* the only red; always with a `!` beside it */
    ROLE_CORRECT, /* the verdict; always with a sign beside it */
    ROLE_BLACK,   /* ink on a coloured background */
    ROLE_WHITE,
    ROLE_TREE, /* links of the first of two trees, then of the second */
    /* accents: of the home screen's four lists, in their order, and of the
     * screens that they lead to */
    ROLE_LEARN = ROLE_TREE + 2,
    ROLE_WATCH,
    ROLE_REPLAY,
    ROLE_MACHINE,
    ROLE_HEAT, /* HEATS levels of a partial sum */
    ROLE_ORIGIN = ROLE_HEAT + 8,
    ROLES = ROLE_ORIGIN + 8
};

enum { HEATS = 8, HUES = 8 };

/* The terminal's own background. */
enum ground { GROUND_DARK, GROUND_LIGHT, GROUNDS };

struct colour {
    int32_t rgb;  /* 0xrrggbb, or -1: the terminal's own */
    int16_t x256; /* in the palette of 256, or -1 */
    int8_t ansi;  /* 0 to 7, or -1 */
    bool ansi_underlined; /* distinguishes two hues with the same `ansi` */
    bool white_ink;       /* white on it is easier to read than black */
};

/* The colour of a role as a background. */
const struct colour *palette_colour(enum role role);

/* The colour of characters in the role `fg` on the role `bg`. */
const struct colour *palette_fg(enum role fg, enum role bg,
                                enum ground ground);

/* The colours of the background and of plain text in pictures, which have no
 * terminal: 0xrrggbb. */
extern const int32_t palette_ground[GROUNDS], palette_text[GROUNDS];

/* The role of data that comes from a rank, and the number of lower ranks with
 * the same hue: 0 for ranks 0 to 7, then 1, 2, ... */
enum role palette_origin(int rank);
int palette_pattern(int rank);

/* The role of a sum of `part` of `whole` contributions: of three or more, the
 * lowest for one, the highest if only one is missing.  Each level has so many
 * times the contributions of the one below it, as sums double, or begin with
 * few. */
enum role palette_heat(double part, int whole);

/* ROLE_BLACK or ROLE_WHITE, whichever has the higher contrast on that
 * background, as defined by WCAG 2.1 (checked by tests/draw). */
enum role palette_ink(enum role ground);

#endif
