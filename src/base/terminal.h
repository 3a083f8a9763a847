/* SPDX-License-Identifier: MIT */
/* What a terminal has: keys, and characters that it can show. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

/* The keys that are not characters.  A key of collviz is a byte that was typed,
 * one of these, or SCREEN_KEY_PASTED plus a byte that was pasted, which is text
 * where a line is typed and no key elsewhere. */
enum screen_key {
    SCREEN_KEY_ESCAPE = 0x1b,
    SCREEN_KEY_LEFT = 0x110000, /* above Unicode */
    SCREEN_KEY_RIGHT,
    SCREEN_KEY_UP,
    SCREEN_KEY_DOWN,
    SCREEN_KEY_HOME,
    SCREEN_KEY_END,
    SCREEN_KEY_PAGE_UP,
    SCREEN_KEY_PAGE_DOWN,
    SCREEN_KEY_ENTER,
    SCREEN_KEY_BACKSPACE,
    SCREEN_KEY_BACKTAB,
    SCREEN_KEY_CLICK, /* of the mouse (term/screen.h says where) */
    SCREEN_KEY_WHEEL_UP,
    SCREEN_KEY_WHEEL_DOWN,
    SCREEN_KEY_UNKNOWN,
    SCREEN_KEY_PASTED
};

/* Which characters it can show. */
enum glyph_set {
    GLYPHS_FULL,    /* a font with all of Unicode's line and block drawing */
    GLYPHS_CONSOLE, /* the Linux console: what code page 437 had */
    GLYPHS_ASCII,
    GLYPH_SETS
};

#endif
