/* SPDX-License-Identifier: MIT */
/* Which characters a terminal can show. */
#ifndef BASE_GLYPH_SET_H
#define BASE_GLYPH_SET_H

enum glyph_set {
    GLYPHS_FULL,    /* a font with all of Unicode's line and block drawing */
    GLYPHS_CONSOLE, /* the Linux console: what code page 437 had */
    GLYPHS_ASCII,
    GLYPH_SETS
};

#endif
