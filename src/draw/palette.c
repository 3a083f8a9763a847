/* SPDX-License-Identifier: MIT */
#include "draw/palette.h"

#include <math.h>

#include "base/bounds.h"

/* ECMA-48 has eight colours. Red is reserved for warnings, black for ink and
 * white for sums, so five colours are left for eight hues.  Three of the hues
 * are underlined, one of them white. */
static const struct colour colours[ROLES] = {
    [ROLE_TEXT] = {-1, -1, -1, false, false},
    [ROLE_QUIET] = {0x808080, 244, -1, false, false},
    [ROLE_ACCENT] = {-1, -1, -1, false, false},
    [ROLE_CURRENT] = {-1, -1, -1, false, false},
    [ROLE_WARNING] = {0xd70000, 160, 1, false, true},
    [ROLE_CORRECT] = {0x1a7f37, 28, 2, false, true},
    [ROLE_BLACK] = {0x000000, 16, 0, false, true},
    [ROLE_WHITE] = {0xffffff, 231, 7, false, false},

    [ROLE_TREE + 0] = {0xd7af87, 180, 3, false, false}, /* sand */
    [ROLE_TREE + 1] = {0x5fafd7, 74, 6, false, false},  /* steel blue */

    [ROLE_LEARN] = {0x00af00, 34, 2, false, false},
    [ROLE_WATCH] = {0x5f87ff, 69, 6, false, false},
    [ROLE_REPLAY] = {0xd75faf, 169, 5, false, false},
    [ROLE_MACHINE] = {0xffd787, 222, 3, false, false},

    /* from dark to bright in equal steps of contrast, of which 256 colours have
     * four; apart from black and from white */
    [ROLE_HEAT + 0] = {0x08234b, 24, 4, false, true},
    [ROLE_HEAT + 1] = {0x0d3c72, 24, 4, false, true},
    [ROLE_HEAT + 2] = {0x12548e, 31, 4, false, true},
    [ROLE_HEAT + 3] = {0x176da6, 31, 6, false, true},
    [ROLE_HEAT + 4] = {0x1c88be, 38, 6, false, false},
    [ROLE_HEAT + 5] = {0x26a6d5, 38, 6, false, false},
    [ROLE_HEAT + 6] = {0x57c6e1, 80, 6, false, false},
    [ROLE_HEAT + 7] = {0x9be5f1, 123, 6, false, false},

    [ROLE_ORIGIN + 0] = {0xe69f00, 214, 3, false, false}, /* orange */
    [ROLE_ORIGIN + 1] = {0x56b4e9, 75, 6, false, false},  /* sky blue */
    [ROLE_ORIGIN + 2] = {0x009e73, 35, 2, false, false},  /* bluish green */
    [ROLE_ORIGIN + 3] = {0xf0e442, 227, 3, true, false}, /* yellow */
    [ROLE_ORIGIN + 4] = {0x0072b2, 25, 4, false, true},  /* blue */
    [ROLE_ORIGIN + 5] = {0xd55e00, 166, 5, false, false}, /* vermilion */
    [ROLE_ORIGIN + 6] = {0xcc79a7, 139, 5, true, false},  /* reddish purple */
    [ROLE_ORIGIN + 7] = {0x606060, 241, 7, true, true},  /* grey */
};

/* The shades that are used for characters on the terminal's own background; 0:
 * the colour itself.  White, one of the eight colours of ECMA-48, is not
 * legible on white. */
static const struct colour shades[GROUNDS][ROLES] = {
    [GROUND_DARK] = {
        [ROLE_WARNING] = {0xe02020, 160, 1, false, true},
        [ROLE_ORIGIN + 4] = {0x2f8cc8, 32, 4, false, true},
        [ROLE_ORIGIN + 7] = {0x808080, 244, 7, true, true},
    },
    [GROUND_LIGHT] = {
        [ROLE_TREE + 0] = {0x9c7c5c, 137, 3, false, false},
        [ROLE_TREE + 1] = {0x3f83a8, 31, 6, false, false},
        [ROLE_LEARN] = {0x005f00, 22, 2, false, true},
        [ROLE_WATCH] = {0x005fff, 27, 6, false, true},
        [ROLE_REPLAY] = {0xaf00af, 127, 5, false, true},
        [ROLE_MACHINE] = {0xa07c00, 136, 3, false, false},
        [ROLE_ORIGIN + 0] = {0xb57c00, 136, 3, false, false},
        [ROLE_ORIGIN + 1] = {0x3d8ab8, 31, 6, false, false},
        [ROLE_ORIGIN + 2] = {0x009068, 29, 2, false, false},
        [ROLE_ORIGIN + 3] = {0x8a8420, 100, 3, true, false},
        [ROLE_ORIGIN + 6] = {0xb8659a, 132, 5, true, false},
        [ROLE_ORIGIN + 7] = {0x606060, 241, -1, true, true},
    },
};

/* Ink on a colour that is white among the eight of ECMA-48. */
static const struct colour ink_on_white = {0xffffff, 231, 0, false, false};

/* Ink on the levels of heat that are brighter among 256 colours, and on the one
 * that is cyan among eight. */
static const struct colour ink_on_heat[] = {{0xffffff, 16, 7, false, false},
                                            {0xffffff, 16, 0, false, false}};

const struct colour *
palette_colour(enum role role)
{
    return &colours[role];
}

const struct colour *
palette_fg(enum role fg, enum role bg, enum ground ground)
{
    const struct colour *shade = &shades[ground][fg];

    if (fg == ROLE_WHITE && colours[bg].ansi == colours[fg].ansi)
        return &ink_on_white;
    if (fg == ROLE_WHITE && (bg == ROLE_HEAT + 2 || bg == ROLE_HEAT + 3))
        return &ink_on_heat[bg - ROLE_HEAT - 2];
    return bg == ROLE_TEXT && shade->rgb != 0 ? shade : &colours[fg];
}

const int32_t palette_ground[GROUNDS] = {0x16181d, 0xffffff};
const int32_t palette_text[GROUNDS] = {0xd8dade, 0x24292f};

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

enum role
palette_ink(enum role ground)
{
    return colours[ground].white_ink ? ROLE_WHITE : ROLE_BLACK;
}

enum role
palette_heat(double part, int whole)
{
    double level = whole > 2 ? log(part) * (HEATS - 1) / log(whole - 1)
                             : part * HEATS / whole;

    level += 1e-9; /* for what was divided and is multiplied */
    return ROLE_HEAT + (level > 0 ? within((int)level, 0, HEATS - 1) : 0);
}
