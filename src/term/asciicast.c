/* SPDX-License-Identifier: MIT */
#include "term/asciicast.h"

#include "base/json.h"
#include "base/utf8.h"

/* A player needs the eight colours of the palette; no frame uses them. */
void
asciicast_begin(struct asciicast *a, int columns, int rows, enum ground ground,
                const char *title, struct buf *out)
{
    enum { PALETTE = 8 };

    *a = (struct asciicast){.ground = ground, .x = -1};
    canvas_resize(&a->shown, columns, rows);
    buf_addf(out, "{\"version\":2,\"width\":%d,\"height\":%d,\"title\":",
             columns, rows);
    json_add_string(out, title);
    buf_addf(out, ",\"theme\":{\"fg\":\"#%06x\",\"bg\":\"#%06x\","
             "\"palette\":\"", (unsigned)palette_text[ground],
             (unsigned)palette_ground[ground]);
    for (int i = 0; i < PALETTE; i++)
        buf_addf(out, "%s#%06x", i > 0 ? ":" : "",
                 (unsigned)palette_colour(palette_origin(i))->rgb);
    buf_puts(out, "\"},\"env\":{\"TERM\":\"xterm-256color\"}}\n");
}

static void
add_output_event(struct buf *out, int64_t ms, const char *data)
{
    buf_addf(out, "[%.3f,\"o\",", (double)ms / 1000);
    json_add_string(out, data);
    buf_puts(out, "]\n");
}

static void
add_colour_code(struct buf *data, int what, int32_t rgb)
{
    if (rgb >= 0)
        buf_addf(data, ";%d;2;%d;%d;%d", what, rgb >> 16, rgb >> 8 & 0xff,
                 rgb & 0xff);
}

/* Adds the SGR sequence that resets all attributes and sets the pen's. */
static void
add_pen(struct buf *data, struct pen pen, enum ground ground)
{
    buf_puts(data, "\033[0");
    if (pen.attrs & ATTR_BOLD)
        buf_puts(data, ";1");
    if (pen.attrs & ATTR_UNDERLINE)
        buf_puts(data, ";4");
    if (pen.attrs & ATTR_REVERSE)
        buf_puts(data, ";7");
    add_colour_code(data, 38, pen_colour(pen, ground)->rgb);
    add_colour_code(data, 48, palette_colour(pen.bg)->rgb);
    buf_putc(data, 'm');
}

void
asciicast_add(struct asciicast *a, const struct canvas *c, int64_t begin_ms,
              struct buf *out)
{
    OWN(buf) data = {0};
    char bytes[4];

    if (!a->begun)
        buf_puts(&data, "\033[0m\033[?25l\033[2J");
    a->begun = true;
    for (int i = 0; i < c->rows * c->columns; i++) {
        int x = i % c->columns, y = i / c->columns;
        const struct cell *cell = &c->cells[i];
        bool same = cell->code == 0 || cell_same(cell, &a->shown.cells[i]);
        a->shown.cells[i] = *cell;
        if (same)
            continue;
        if (a->x != x || a->y != y)
            buf_addf(&data, "\033[%d;%dH", y + 1, x + 1);
        if (!pen_same(a->pen, cell->pen))
            add_pen(&data, cell->pen, a->ground);
        buf_add(&data, bytes, (size_t)utf8_put(bytes, cell->code));
        a->pen = cell->pen;
        a->y = y;
        a->x = x + utf8_width(cell->code);
        if (a->x == c->columns) /* terminals differ in where it is now */
            a->x = -1;
    }
    if (data.length > 0)
        add_output_event(out, begin_ms, buf_text(&data));
}

void
asciicast_end(struct asciicast *a, int64_t end_ms, struct buf *out)
{
    OWN(buf) data = {0};

    buf_addf(&data, "\033[0m\033[%d;1H\033[?25h", a->shown.rows);
    add_output_event(out, end_ms, buf_text(&data));
    canvas_done(&a->shown);
}
