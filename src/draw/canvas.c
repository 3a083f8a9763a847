/* SPDX-License-Identifier: MIT */
#include "draw/canvas.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#include "base/bounds.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

struct cell *
canvas_at(const struct canvas *c, int x, int y)
{
    return x >= 0 && x < c->columns && y >= 0 && y < c->rows
               ? &c->cells[(size_t)y * (size_t)c->columns + (size_t)x]
               : NULL;
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
    c->ntargets = 0;
    canvas_clear(c, (struct rect){0, 0, columns, rows});
}

void
canvas_done(struct canvas *c)
{
    free(c->cells);
    free(c->targets);
    *c = (struct canvas){0};
}

/* Faster than canvas_fill(), except where it may cut a wide character: every
 * frame clears the whole canvas first. */
void
canvas_clear(struct canvas *c, struct rect area)
{
    int left = 0, last = area.x + area.width - 1;
    int from = most(area.x + 1, 0), to = least(last, c->columns);

    for (int y = area.y; y < area.y + area.height && area.width > 0; y++) {
        canvas_put(c, area.x, y, ' ', plain);
        canvas_put(c, last, y, ' ', plain);
        for (int x = from; x < to && y >= 0 && y < c->rows; x++)
            c->cells[y * c->columns + x] = (struct cell){.code = ' '};
    }
    for (int i = 0; i < c->ntargets; i++) {
        struct rect r = c->targets[i].area;
        if (r.x < area.x || r.x + r.width > area.x + area.width ||
            r.y < area.y || r.y + r.height > area.y + area.height)
            c->targets[left++] = c->targets[i];
    }
    c->ntargets = left;
}

static void
set_cell(struct canvas *c, int x, int y, uint32_t code, struct pen pen)
{
    struct cell *cell = canvas_at(c, x, y);

    if (pen.fg == ROLE_ACCENT)
        pen.fg = c->accent;
    if (cell != NULL)
        *cell = (struct cell){code, pen};
}

/* Wide characters of which only one half is overwritten are erased. */
void
canvas_put(struct canvas *c, int x, int y, uint32_t code, struct pen pen)
{
    bool ascii = code >= ' ' && code < 0x7f;
    int width = ascii ? 1 : utf8_width(code);
    struct cell *first = canvas_at(c, x, y);
    struct cell *after = canvas_at(c, x + width, y);

    if (width == 0)
        return;
    if (!ascii && !utf8_is_shown(code)) {
        char escape[UTF8_SHOWN_MAX];
        utf8_show(escape, code);
        for (int i = 0; i < width; i++)
            canvas_put(c, x + i, y, (unsigned char)escape[i], pen);
        return;
    }
    if (first != NULL && x > 0 && first->code == 0)
        first[-1].code = ' ';
    if (after != NULL && after->code == 0)
        after->code = ' ';
    if (width == 2 && (first == NULL || canvas_at(c, x + 1, y) == NULL)) {
        set_cell(c, x, y, ' ', pen);
        set_cell(c, x + 1, y, ' ', pen);
        return;
    }
    set_cell(c, x, y, code, pen);
    if (width == 2)
        set_cell(c, x + 1, y, 0, pen);
}

void
canvas_fill(struct canvas *c, int x, int y, int count, uint32_t code,
            struct pen pen)
{
    for (int i = 0; i < count; i++)
        canvas_put(c, x + i, y, code, pen);
}

/* Draws the characters that fit into `most` columns.  Returns the number of
 * columns used. */
static int
put_characters(struct canvas *c, struct point at, int most, const char *text,
               struct pen pen)
{
    int columns = 0, width;
    uint32_t code;

    for (; (code = utf8_next(&text)) != 0; columns += width) {
        width = utf8_width(code);
        if (columns > most - width)
            break;
        canvas_put(c, at.x + columns, at.y, code, pen);
    }
    return columns;
}

int
canvas_puts(struct canvas *c, int x, int y, const char *text, struct pen pen)
{
    return put_characters(c, (struct point){x, y}, INT_MAX, text, pen);
}

int
canvas_putf(struct canvas *c, int x, int y, struct pen pen,
            const char *format, ...)
{
    OWN(buf) text = {0};
    va_list args;

    va_start(args, format);
    buf_vaddf(&text, format, args);
    va_end(args);
    return canvas_puts(c, x, y, buf_text(&text), pen);
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
    int columns;

    if (utf8_columns(text) <= width)
        return canvas_puts(c, x, y, text, pen);
    columns = put_characters(c, (struct point){x, y}, width - dots, text, pen);
    return columns + put_characters(c, (struct point){x + columns, y},
                                    width - columns, "...", pen);
}

void
canvas_target(struct canvas *c, struct rect area, enum target_kind kind,
              int number, int slot)
{
    int right = least(area.x + area.width, c->columns);
    int bottom = least(area.y + area.height, c->rows);

    area.x = most(area.x, 0);
    area.y = most(area.y, 0);
    area.width = right - area.x;
    area.height = bottom - area.y;
    if (area.width < 1 || area.height < 1)
        return;
    c->targets = mem_grow(c->targets, (size_t)c->ntargets, &c->targets_room,
                          sizeof *c->targets);
    c->targets[c->ntargets++] = (struct target){kind, number, slot, area};
}

struct target
canvas_target_at(const struct canvas *c, struct point at)
{
    for (int i = c->ntargets; i-- > 0;)
        if (rect_contains(c->targets[i].area, at))
            return c->targets[i];
    return (struct target){.slot = -1};
}

void
canvas_underline(struct canvas *c, struct rect area)
{
    for (int y = area.y; y < area.y + area.height; y++)
        for (int x = area.x; x < area.x + area.width; x++) {
            struct cell *cell = canvas_at(c, x, y);
            if (cell != NULL && cell->pen.bg == ROLE_TEXT &&
                cell->pen.fg < ROLE_HEAT)
                cell->pen.attrs |= ATTR_UNDERLINE;
        }
}

static const uint32_t glyphs[GLYPHS][GLYPH_SETS] = {
#define X(name, full, console, ascii) {full, console, ascii},
    GLYPH_TABLE(X)
#undef X
};

uint32_t
glyph(enum glyph_set set, enum glyph g)
{
    return glyphs[g][set];
}

uint32_t
glyph_alike(enum glyph_set set, uint32_t full)
{
    for (int g = GLYPHS; g-- > 0;)
        if (glyphs[g][GLYPHS_FULL] == full)
            return glyphs[g][set];
    return set == GLYPHS_FULL ? full : '+';
}

void
canvas_glyph(struct canvas *c, int x, int y, enum glyph g, struct pen pen)
{
    canvas_put(c, x, y, glyph(c->glyphs, g), pen);
}

void
glyph_frame(struct canvas *c, struct rect r, bool twice, struct pen pen)
{
    enum glyph first = twice ? GLYPH_TWICE_HORIZONTAL : GLYPH_HORIZONTAL;
    int right = r.x + r.width - 1, bottom = r.y + r.height - 1;

    for (int x = r.x + 1; x < right; x++) {
        canvas_glyph(c, x, r.y, first, pen);
        canvas_glyph(c, x, bottom, first, pen);
    }
    for (int y = r.y + 1; y < bottom; y++) {
        canvas_glyph(c, r.x, y, first + 1, pen);
        canvas_glyph(c, right, y, first + 1, pen);
    }
    for (int i = 0; i < 4; i++)
        canvas_glyph(c, i % 2 == 0 ? r.x : right, i < 2 ? r.y : bottom,
                     first + 2 + (enum glyph)i, pen);
}

void
glyph_bar(struct canvas *c, struct rect at, int64_t done, int64_t all,
          struct pen pen)
{
    int filled = done < all ? (int)(done * at.width / all)
                            : all > 0 ? at.width : 0;

    for (int i = 0; i < at.width; i++)
        canvas_glyph(c, at.x + i, at.y, i < filled ? GLYPH_FULL : GLYPH_TROUGH,
                     i < filled ? pen : quiet);
}
