/* SPDX-License-Identifier: MIT */
#include "view/table_heads.h"

#include <stdio.h>

#include "base/translate.h"
#include "base/utf8.h"

static const struct pen quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD};

static const char *
title_of(enum table_part part)
{
    switch (part) {
    case TABLE_INPUT:
        return _("input");
    case TABLE_TRANSIT:
        return _("in transit");
    default:
        return _("output");
    }
}

/* Draws the numbers of the ranks that the columns go to, or come from, as far
 * as a title in the same row leaves room. */
static void
draw_numbers(const struct table *t, enum table_part part, struct canvas *c)
{
    const struct table_columns *columns = &t->parts[part];
    int indent = columns->form == BLOCK_WHOLE ? 1 + t->pad : 0;
    int pieces = t->schedule->pieces, every = 1, least = columns->x;
    char text[16];

    if (t->heads_y == t->titles_y)
        least += utf8_columns(title_of(part)) + 1;
    while (every * columns->pitch <=
           snprintf(NULL, 0, "%d", columns->count - 1))
        every++;
    for (int i = 0; i < columns->count; i += pieces * every) {
        int x = columns->x + i * columns->pitch + indent;
        snprintf(text, sizeof text, "%d", i / pieces);
        if (x >= least)
            canvas_puts(c, x, t->heads_y, text, quiet);
    }
}

static bool
is_blank(const struct canvas *c, int x, int y, int columns)
{
    for (int i = 0; i < columns; i++) {
        const struct cell *cell = canvas_at(c, x + i, y);
        if (cell == NULL || cell->code != ' ')
            return false;
    }
    return true;
}

/* Draws "to" or "from" before the numbers, if the numbers of the part before
 * leave room. */
static void
draw_word(const struct table *t, enum table_part part, const char *word,
          struct canvas *c)
{
    const struct table_columns *columns = &t->parts[part];
    int width = 1 + utf8_columns(word), y = t->heads_y;
    int x = columns->x + (columns->form == BLOCK_WHOLE ? 1 + t->pad : 0) -
            width;

    if (columns->numbered && y != t->titles_y &&
        is_blank(c, x - 1, y, width + 1))
        canvas_puts(c, x, y, word, quiet);
}

/* Draws "input ───▶ output"; the arrows only if the row has no numbers. */
static void
draw_titles(const struct table *t, enum glyph_set set, struct canvas *c)
{
    int y = t->titles_y, end = -1;

    for (int part = 0; part < TABLE_PARTS; part++) {
        int x = t->parts[part].x;
        if (t->parts[part].count == 0)
            continue;
        if (end >= 0 && t->heads_y != y && x - 2 > end) {
            canvas_fill(c, end, y, x - 2 - end, glyph(set, GLYPH_HORIZONTAL),
                        quiet);
            canvas_put(c, x - 2, y, glyph(set, GLYPH_RIGHT), quiet);
        }
        end = x + 1 + canvas_puts(c, x, y, title_of(part), strong);
    }
}

void
table_heads_draw(const struct table *t, const struct scene *s,
                 struct canvas *c)
{
    char name[SCENE_NAME_MAX];

    for (int part = 0; part < TABLE_PARTS; part++)
        if (t->parts[part].numbered)
            draw_numbers(t, part, c);
    draw_word(t, TABLE_INPUT, _("to"), c);
    draw_word(t, TABLE_OUTPUT, _("from"), c);
    draw_titles(t, s->glyphs, c);
    for (int rank = 0; rank < t->schedule->nranks; rank++)
        canvas_puts(c, t->label_x, t->y + rank * t->pitch,
                    scene_rank_name(rank, name),
                    rank == s->selected ? strong : quiet);
}
