/* SPDX-License-Identifier: MIT */
#include "view/matrix_content.h"

#include <stdio.h>

#include "base/utf8.h"
#include "schedule/label.h"

enum { TEXT_MAX = 16 };

static const struct pen quiet = {.fg = ROLE_QUIET};

/* Sets the text before the fill: the only contributor's letter, the number of
 * contributions, or S for all. "" if a number would leave too little room for
 * the fill. */
static void
cell_text(const struct matrix *m, const uint64_t *row, int room,
          char text[TEXT_MAX])
{
    const struct world *w = m->scene->world;
    struct contribution parts[LEDGER_RANKS];
    int64_t total = ledger_count(row, w->schedule->nranks);
    int chunk;

    text[0] = '\0';
    if (world_is_sum(w, row, &chunk))
        snprintf(text, TEXT_MAX, "S");
    else if (total == 1 && scene_contributions(w, row, parts) == 1)
        label_rank(parts[0].rank, text);
    else if (room >= m->text_width + 2)
        snprintf(text, TEXT_MAX, "%*d", m->text_width, (int)total);
    if (utf8_columns(text) >= room)
        text[0] = '\0';
}

static struct pen
cell_pen(const struct matrix *m, const uint64_t *row, bool changed)
{
    const struct world *w = m->scene->world;
    struct contribution parts[LEDGER_RANKS];
    int n = w->schedule->nranks;
    int64_t total = ledger_count(row, n);
    struct pen pen = {.fg = palette_warmth((double)total, n),
                      .attrs = changed ? ATTR_BOLD : 0};

    if (total == 1 && scene_contributions(w, row, parts) == 1)
        pen.fg = palette_origin(parts[0].rank);
    if (total > n)
        pen.fg = ROLE_WARNING;
    return pen;
}

/* A letter is drawn on its rank's colour, so that it can be read on any
 * screen. */
static struct pen
letter_pen(struct pen fill, int rank)
{
    return (struct pen){
        .fg = palette_ink(fill.fg),
        .bg = fill.fg,
        .attrs = fill.attrs |
                 (palette_pattern(rank) % 2 ? ATTR_UNDERLINE : 0)};
}

/* Draws a row of a fill; the rows above it show more contributions. */
static void
draw_fill(const struct matrix *m, struct point at, int columns, int above,
          int64_t total, struct pen pen)
{
    int n = m->scene->world->schedule->nranks;
    double part = (double)total * m->height / n - above;

    if (total > n)
        canvas_fill(m->canvas, at.x, at.y, columns, '!', pen);
    else if (part > 0)
        canvas_fill(m->canvas, at.x, at.y, columns,
                    glyph_level(m->scene->glyphs, part < 1 ? part : 1, 1),
                    pen);
}

/* Draws the text, then what is left of its row and the rows below it. */
static void
draw_level(const struct matrix *m, struct point at, const uint64_t *row,
           bool changed)
{
    const struct world *w = m->scene->world;
    struct contribution parts[LEDGER_RANKS];
    int64_t total = ledger_count(row, w->schedule->nranks);
    struct pen pen = cell_pen(m, row, changed);
    char text[TEXT_MAX];
    int columns;

    cell_text(m, row, m->width, text);
    columns = canvas_puts(m->canvas, at.x, at.y, text,
                          total == 1 && scene_contributions(w, row, parts) == 1
                              ? letter_pen(pen, parts[0].rank)
                              : pen);
    if (m->width >= m->text_width + 2)
        columns = m->text_width;
    for (int i = 0; i < m->height; i++, at.y++, columns = 0)
        draw_fill(m, (struct point){at.x + columns, at.y}, m->width - columns,
                  m->height - 1 - i, total, pen);
}

static struct block
block_of(const struct matrix *m, int step, int rank, int slot,
         const uint64_t *row, bool changed)
{
    return (struct block){
        .world = m->scene->world,
        .row = row,
        .glyphs = m->scene->glyphs,
        .form = m->form,
        .width = m->width,
        .pad = m->pad,
        .sums = scene_names_sums(m->scene, step),
        .changed = changed,
        .lost = scene_lost(m->scene, step, rank, slot, row),
    };
}

void
matrix_content_draw(const struct matrix *m, int step, int rank, int slot,
                    const uint64_t *row, bool changed)
{
    struct point at = matrix_cell(m, rank, slot);
    struct block block = block_of(m, step, rank, slot, row, changed);

    if (!matrix_shows(m, rank, slot))
        return;
    for (int i = 0; i < m->height; i++)
        canvas_fill(m->canvas, at.x, at.y + i, m->width, ' ', (struct pen){0});
    if (m->blocks) {
        block_draw(&block, m->canvas, at.x, at.y);
        if (m->height > 1)
            block_draw_lower(&block, m->canvas, at.x, at.y + 1);
    } else if (ledger_count(row, m->scene->world->schedule->nranks) > 0) {
        draw_level(m, at, row, changed);
    } else {
        canvas_put(m->canvas, at.x, at.y,
                   glyph(m->scene->glyphs, GLYPH_EMPTY), quiet);
    }
    if (m->values)
        block_draw_values(&block, m->canvas, at.x, at.y + m->height);
}
