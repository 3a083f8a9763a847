/* SPDX-License-Identifier: MIT */
#include "draw/canvas.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

static bool
inside(const struct canvas *c, int x, int y)
{
    return x >= 0 && x < c->columns && y >= 0 && y < c->rows;
}

static struct cell *
cell_at(struct canvas *c, int x, int y)
{
    return &c->cells[(size_t)y * (size_t)c->columns + (size_t)x];
}

void
canvas_resize(struct canvas *c, int columns, int rows)
{
    assert(columns >= 0 && rows >= 0);
    free(c->cells);
    c->cells =
        mem_new((size_t)columns * (size_t)rows, sizeof *c->cells);
    c->columns = columns;
    c->rows = rows;
    c->nbuttons = 0;
    canvas_clear(c, (struct rect){0, 0, columns, rows});
}

void
canvas_done(struct canvas *c)
{
    free(c->cells);
    *c = (struct canvas){0};
}

/* Faster than canvas_fill(): every frame clears the whole canvas first. */
static void
clear_all(struct canvas *c)
{
    const struct cell blank = {.code = ' '};
    size_t cells = (size_t)c->columns * (size_t)c->rows;

    for (size_t i = 0; i < cells; i++)
        c->cells[i] = blank;
    c->nbuttons = 0;
}

static void
remove_buttons(struct canvas *c, struct rect area)
{
    int left = 0;

    for (int i = 0; i < c->nbuttons; i++)
        if (!rect_overlaps(c->buttons[i].area, area))
            c->buttons[left++] = c->buttons[i];
    c->nbuttons = left;
}

void
canvas_clear(struct canvas *c, struct rect area)
{
    if (area.x <= 0 && area.y <= 0 && area.x + area.width >= c->columns &&
        area.y + area.height >= c->rows) {
        clear_all(c);
        return;
    }
    for (int y = area.y; y < area.y + area.height; y++)
        canvas_fill(c, area.x, y, area.width, ' ', (struct pen){0});
    remove_buttons(c, area);
}

const struct cell *
canvas_at(const struct canvas *c, int x, int y)
{
    return inside(c, x, y)
               ? &c->cells[(size_t)y * (size_t)c->columns + (size_t)x]
               : NULL;
}

static void
set(struct canvas *c, int x, int y, uint32_t code, struct pen pen)
{
    if (pen.fg == ROLE_ACCENT)
        pen.fg = c->accent;
    if (inside(c, x, y))
        *cell_at(c, x, y) = (struct cell){code, pen};
}

/* Erases wide characters of which only one half will be overwritten. */
static void
blank_partners(struct canvas *c, int x, int y, int width)
{
    if (inside(c, x, y) && x > 0 && cell_at(c, x, y)->code == 0)
        cell_at(c, x - 1, y)->code = ' ';
    if (inside(c, x + width, y) && cell_at(c, x + width, y)->code == 0)
        cell_at(c, x + width, y)->code = ' ';
}

static void
put_escape(struct canvas *c, int x, int y, uint32_t code, struct pen pen)
{
    char escape[UTF8_SHOWN_MAX];
    int length = utf8_show(escape, code);

    for (int i = 0; i < length; i++)
        canvas_put(c, x + i, y, (unsigned char)escape[i], pen);
}

void
canvas_put(struct canvas *c, int x, int y, uint32_t code, struct pen pen)
{
    int width = code >= ' ' && code < 0x7f ? 1 : utf8_width(code);

    if (width == 0)
        return;
    if (!utf8_is_shown(code)) {
        put_escape(c, x, y, code, pen);
        return;
    }
    blank_partners(c, x, y, width);
    if (width == 2 && !(inside(c, x, y) && inside(c, x + 1, y))) {
        set(c, x, y, ' ', pen);
        set(c, x + 1, y, ' ', pen);
        return;
    }
    set(c, x, y, code, pen);
    if (width == 2)
        set(c, x + 1, y, 0, pen);
}

void
canvas_fill(struct canvas *c, int x, int y, int count, uint32_t code,
            struct pen pen)
{
    for (int i = 0; i < count; i++)
        canvas_put(c, x + i, y, code, pen);
}

int
canvas_puts(struct canvas *c, int x, int y, const char *text, struct pen pen)
{
    int columns = 0;
    uint32_t code;

    while ((code = utf8_next(&text)) != 0) {
        canvas_put(c, x + columns, y, code, pen);
        columns += utf8_width(code);
    }
    return columns;
}

int
canvas_putf(struct canvas *c, int x, int y, struct pen pen,
            const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    int columns;

    va_start(args, format);
    buf_vaddf(&text, format, args);
    va_end(args);
    columns = canvas_puts(c, x, y, buf_text(&text), pen);
    buf_done(&text);
    return columns;
}

int
canvas_puts_before(struct canvas *c, int end, int y, const char *text,
                   struct pen pen)
{
    return canvas_puts(c, end - utf8_columns(text), y, text, pen);
}

int
canvas_puts_within(struct canvas *c, int x, int y, int width,
                   const char *text, struct pen pen)
{
    const int dots = 3;
    int columns = 0;
    uint32_t code;

    if (utf8_columns(text) <= width)
        return canvas_puts(c, x, y, text, pen);
    while ((code = utf8_next(&text)) != 0 &&
           columns + utf8_width(code) <= width - dots) {
        canvas_put(c, x + columns, y, code, pen);
        columns += utf8_width(code);
    }
    for (int i = 0; i < dots && columns < width; i++)
        canvas_put(c, x + columns++, y, '.', pen);
    return columns;
}

void
canvas_button(struct canvas *c, struct rect area, int key)
{
    if (c->nbuttons < CANVAS_BUTTONS)
        c->buttons[c->nbuttons++] = (struct button){area, key};
}

int
canvas_key(const struct canvas *c, struct point at)
{
    for (int i = 0; i < c->nbuttons; i++)
        if (rect_contains(c->buttons[i].area, at))
            return c->buttons[i].key;
    return 0;
}

void
canvas_turn(struct canvas *c, struct rect area)
{
    for (int y = area.y; y < area.y + area.height; y++)
        for (int x = area.x; x < area.x + area.width; x++)
            if (canvas_at(c, x, y) != NULL)
                c->cells[y * c->columns + x].pen.attrs ^= ATTR_REVERSE;
}

static bool
is_block(struct pen pen)
{
    return pen.bg != ROLE_TEXT || pen.fg >= ROLE_HEAT;
}

void
canvas_underline(struct canvas *c, struct rect area)
{
    for (int y = area.y; y < area.y + area.height; y++)
        for (int x = area.x; x < area.x + area.width; x++)
            if (canvas_at(c, x, y) != NULL &&
                !is_block(canvas_at(c, x, y)->pen))
                c->cells[y * c->columns + x].pen.attrs |= ATTR_UNDERLINE;
}
