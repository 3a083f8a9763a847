/* SPDX-License-Identifier: MIT */
/* A canvas as text, for tests that look at what was drawn. */
#ifndef TESTS_CANVAS_TEXT_H
#define TESTS_CANVAS_TEXT_H

#include "base/buf.h"
#include "base/utf8.h"
#include "draw/canvas.h"

/* Appends the characters, a line for each row, without trailing blanks. */
static inline void
canvas_text(const struct canvas *c, struct buf *out)
{
    char bytes[4];

    for (int y = 0; y < c->rows; y++) {
        int used = c->columns;
        while (used > 0 && canvas_at(c, used - 1, y)->code == ' ')
            used--;
        for (int x = 0; x < used; x++) {
            uint32_t code = canvas_at(c, x, y)->code;
            if (code != 0)
                buf_add(out, bytes, (size_t)utf8_put(bytes, code));
        }
        buf_putc(out, '\n');
    }
}

#endif
