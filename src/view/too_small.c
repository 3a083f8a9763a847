/* SPDX-License-Identifier: MIT */
#include "view/too_small.h"

#include "base/buf.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/prose.h"

/* Draws the lines in the middle of the canvas. */
static void
draw_centred(struct canvas *c, const char *text)
{
    struct wrap w = {.text = text, .columns = c->columns};
    int y = (c->rows - wrap_rows(text, c->columns)) / 2;

    for (y = y > 0 ? y : 0; y < c->rows && wrap_next(&w); y++) {
        struct buf line = {0};
        buf_add(&line, w.line, w.length);
        canvas_puts(c, (c->columns - utf8_columns(buf_text(&line))) / 2, y,
                    buf_text(&line), (struct pen){0});
        buf_done(&line);
    }
}

bool
too_small(struct canvas *c, int columns, int rows)
{
    struct buf text = {0};

    if (c->columns >= columns && c->rows >= rows)
        return false;
    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    buf_addf(&text, _("%dx%d is too small: %dx%d is needed"), c->columns,
             c->rows, columns, rows);
    draw_centred(c, buf_text(&text));
    buf_done(&text);
    return true;
}
