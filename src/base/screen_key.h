/* SPDX-License-Identifier: MIT */
/* The keys of a terminal that are not characters.  A key of collviz is a byte
 * that was typed, or one of these. */
#ifndef BASE_SCREEN_KEY_H
#define BASE_SCREEN_KEY_H

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
    SCREEN_KEY_CLICK, /* of the mouse, at screen_pointed() */
    SCREEN_KEY_WHEEL_UP,
    SCREEN_KEY_WHEEL_DOWN,
    SCREEN_KEY_UNKNOWN
};

#endif
