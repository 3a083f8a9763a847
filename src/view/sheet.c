/* SPDX-License-Identifier: MIT */
#include "view/sheet.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bounds.h"
#include "base/buf.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/prose.h"

enum {
    TOP = 2,      /* rows above the text */
    BELOW = 2,    /* rows below it */
    MARGIN = 1,   /* columns on either side */
    NUMBER = 4    /* columns of a line's number */
};

static int
indent(const struct sheet *s)
{
    return MARGIN + (s->numbered ? NUMBER : 0);
}

/* The rows of the text, on a screen with so many columns. */
static struct wrap
rows_of(const struct sheet *s, int columns)
{
    int room = columns - indent(s) - MARGIN;

    return (struct wrap){.text = s->text, .columns = room > 1 ? room : 1};
}

static int
room_on(int rows)
{
    return rows > TOP + BELOW ? rows - TOP - BELOW : 1;
}

/* The first row that shows, if the last one is at the bottom. */
static int
last_top(const struct sheet *s, int columns, int rows)
{
    struct wrap w = rows_of(s, columns);

    return most(wrap_rows(w.text, w.columns) - room_on(rows), 0);
}

void
sheet_scroll(struct sheet *s, int request, int columns, int rows)
{
    int by = keys_by(request);

    if (abs(by) == KEY_STEPS)
        by = by / KEY_STEPS * room_on(rows);
    s->top = within(s->top + by, 0, last_top(s, columns, rows));
}

/* The title, and which lines show. */
static void
draw_head(const struct sheet *s, int from, int to, int lines,
          struct canvas *c)
{
    struct buf place = {0};
    int columns;

    buf_addf(&place, _("%d-%d of %d"), from, to, lines);
    columns = utf8_columns(buf_text(&place));
    canvas_puts_within(c, MARGIN, 0, c->columns - columns - 3 * MARGIN,
                       s->title, (struct pen){.attrs = ATTR_BOLD});
    canvas_puts(c, c->columns - columns - MARGIN, 0, buf_text(&place),
                (struct pen){.fg = ROLE_QUIET});
    buf_done(&place);
}

void
sheet_draw(const struct sheet *s, enum glyph_set set, struct canvas *c)
{
    struct wrap w = rows_of(s, c->columns);
    int top = within(s->top, 0, last_top(s, c->columns, c->rows));
    int line = 0, from = 0, to = 0;
    char number[16];
    const struct key_line keys = {.on = ON_SHEET, .glyphs = set};

    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    for (int row = 0; wrap_next(&w); row++) {
        bool begins = w.line == s->text || w.line[-1] == '\n';
        line += begins;
        if (row < top || row >= top + room_on(c->rows))
            continue;
        from = from > 0 ? from : line;
        to = line;
        if (s->numbered && begins) {
            snprintf(number, sizeof number, "%3d", line);
            canvas_puts(c, MARGIN, TOP + row - top, number,
                        (struct pen){.fg = ROLE_QUIET});
        }
        wrap_put(&w, c, indent(s), TOP + row - top, (struct pen){0});
    }
    draw_head(s, from, to, line, c);
    keys_draw(&keys, c, MARGIN, c->rows - 1);
}

int
sheet_notice(const char *text, bool alarm, struct canvas *c, struct rect area)
{
    struct pen pen = alarm ? (struct pen){.fg = ROLE_WARNING}
                           : (struct pen){0};
    int sign = alarm ? 2 : 0;
    int rows = least(wrap_rows(text, area.width - sign), area.height);

    if (c == NULL)
        return rows;
    area.y += area.height - rows;
    canvas_clear(c, (struct rect){0, area.y, c->columns, rows});
    pen.attrs = ATTR_BOLD;
    if (alarm)
        canvas_puts(c, area.x, area.y, "!", pen);
    pen.attrs = 0;
    prose_draw(c, (struct rect){area.x + sign, area.y, area.width - sign, rows},
               text, pen, pen);
    return rows;
}

bool
too_small(struct canvas *c, int columns, int rows)
{
    struct buf text = {0};
    struct wrap w = {.columns = c->columns};
    int y;

    if (c->columns >= columns && c->rows >= rows)
        return false;
    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    buf_addf(&text, _("%dx%d is too small: %dx%d is needed"), c->columns,
             c->rows, columns, rows);
    w.text = buf_text(&text);
    y = (c->rows - wrap_rows(w.text, w.columns)) / 2;
    for (y = y > 0 ? y : 0; y < c->rows && wrap_next(&w); y++) {
        int width = wrap_put(&w, NULL, 0, 0, (struct pen){0});
        wrap_put(&w, c, (c->columns - width) / 2, y, (struct pen){0});
    }
    buf_done(&text);
    return true;
}
