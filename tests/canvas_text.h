/* SPDX-License-Identifier: MIT */
/* The characters of a canvas as text: one line for each row, without the
 * blanks at its end. */
#ifndef TESTS_CANVAS_TEXT_H
#define TESTS_CANVAS_TEXT_H

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "draw/canvas.h"

static int
used_columns(const struct canvas *c, int y)
{
    int used = c->columns;

    while (used > 0 && canvas_at(c, used - 1, y)->code == ' ')
        used--;
    return used;
}

static void
canvas_text(const struct canvas *c, struct buf *out)
{
    char bytes[4];

    for (int y = 0; y < c->rows; y++) {
        int used = used_columns(c, y);
        for (int x = 0; x < used; x++) {
            uint32_t code = canvas_at(c, x, y)->code;
            if (code != 0)
                buf_add(out, bytes, (size_t)utf8_put(bytes, code));
        }
        buf_putc(out, '\n');
    }
}

/* The key that a click stands for; 0: none. */
__attribute__((unused)) static int
key_at(const struct canvas *c, int x, int y)
{
    struct target target = canvas_target_at(c, (struct point){x, y});

    return target.kind == TARGET_KEY ? target.number : 0;
}

/* The cell at which a text, of ASCII and in one row, begins; NULL: none. */
__attribute__((unused)) static const struct cell *
canvas_find(const struct canvas *c, const char *text)
{
    int length = (int)strlen(text), same;

    for (int y = 0; y < c->rows; y++)
        for (int x = 0; x + length <= c->columns; x++) {
            const struct cell *at = canvas_at(c, x, y);
            for (same = 0; same < length; same++)
                if (at[same].code != (unsigned char)text[same])
                    break;
            if (same == length)
                return at;
        }
    return NULL;
}

#endif
