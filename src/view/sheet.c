/* SPDX-License-Identifier: MIT */
#include "view/sheet.h"

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
    int top = wrap_rows(w.text, w.columns) - room_on(rows);

    return top > 0 ? top : 0;
}

static int
clamp(int top, int last)
{
    return top < 0 ? 0 : top > last ? last : top;
}

void
sheet_scroll(struct sheet *s, enum sheet_request request, int columns,
             int rows)
{
    int last = last_top(s, columns, rows), page = room_on(rows);

    switch (request) {
    case SHEET_UP:
        s->top--;
        break;
    case SHEET_DOWN:
        s->top++;
        break;
    case SHEET_PAGE_UP:
        s->top -= page;
        break;
    case SHEET_PAGE_DOWN:
        s->top += page;
        break;
    case SHEET_FIRST:
        s->top = 0;
        break;
    case SHEET_LAST:
        s->top = last;
        break;
    default:
        break;
    }
    s->top = clamp(s->top, last);
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

/* Draws a row of the text; `number` is its line's if it is the first row of
 * one, else 0. */
static void
draw_row(const struct sheet *s, const struct wrap *w, int number,
         struct canvas *c, int y)
{
    struct buf text = {0};

    if (s->numbered && number > 0) {
        buf_addf(&text, "%3d", number);
        canvas_puts(c, MARGIN, y, buf_text(&text),
                    (struct pen){.fg = ROLE_QUIET});
        buf_clear(&text);
    }
    buf_add(&text, w->line, w->length);
    canvas_puts(c, indent(s), y, buf_text(&text), (struct pen){0});
    buf_done(&text);
}

void
sheet_draw(const struct sheet *s, enum glyph_set set, struct canvas *c)
{
    struct wrap w = rows_of(s, c->columns);
    int top = clamp(s->top, last_top(s, c->columns, c->rows));
    int line = 0, from = 0, to = 0;
    const struct key_line keys = {.keys = sheet_keys, .glyphs = set};

    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    for (int row = 0; wrap_next(&w); row++) {
        bool begins = w.line == s->text || w.line[-1] == '\n';
        line += begins;
        if (row < top || row >= top + room_on(c->rows))
            continue;
        from = from > 0 ? from : line;
        to = line;
        draw_row(s, &w, begins ? line : 0, c, TOP + row - top);
    }
    draw_head(s, from, to, line, c);
    keys_draw(&keys, c, MARGIN, c->rows - 1);
}
