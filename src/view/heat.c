/* SPDX-License-Identifier: MIT */
/* The heat map: a cell for each slot, a row for each rank, for runs of which no
 * other view can show every slot.  A cell is the brighter the more of its sum
 * has come, and white when that is complete, so that a ring's reduce-scatter is
 * a wave that runs diagonally.  Two ranks share a line of characters; where
 * there are still more ranks or slots than cells, a cell is the mean of
 * several. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"
#include "view/places.h"
#include "view/view.h"

enum { DONE = 255 }; /* beside the roles: the colour of text */

struct heat {
    const struct scene *scene;
    struct rect area;    /* of the cells, in characters */
    int rows, columns;   /* of cells */
    int rows_a_line;     /* 2 with half blocks */
    int width;           /* of a cell, in characters */
};

static const struct pen quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD};

/* Whether digits say what colours or half blocks cannot say there. */
static bool
shows_digits(const struct heat *h)
{
    return h->scene->colourless || h->scene->glyphs == GLYPHS_ASCII;
}

static struct heat
heat_of(const struct scene *s, struct rect area)
{
    const struct schedule *p = s->world->schedule;
    struct heat h = {.scene = s};
    int label = places_names(p) + 1, height = area.height - 2, lines;

    h.rows_a_line = shows_digits(&h) || p->nranks <= height ? 1 : 2;
    h.rows = least(p->nranks, height * h.rows_a_line);
    h.columns = least(p->nslots, area.width - label);
    h.width = h.columns > 0 ? (area.width - label) / h.columns : 0;
    h.width = least(h.width, h.rows_a_line == 2 ? 2 : 4);
    lines = (h.rows + h.rows_a_line - 1) / h.rows_a_line;
    h.area = (struct rect){
        area.x + label + (area.width - label - h.columns * h.width) / 2,
        area.y + 1 + (height - lines) / 2, h.columns * h.width, lines};
    return h;
}

/* The first rank of a row of cells, the first slot of a column: they divide the
 * ranks and slots evenly. */
static int
first_of(int cell, int cells, int things)
{
    return (int)((int64_t)cell * things / cells);
}

/* Adds a rank's counts to the sums. Compilers vectorize the inner loop of
 * eight. */
static void
add_counts(uint32_t *sums, const uint16_t *counts, int slots)
{
    int slot = 0;

    for (; slot + 8 <= slots; slot += 8)
        for (int k = 0; k < 8; k++)
            sums[slot + k] += counts[slot + k];
    for (; slot < slots; slot++)
        sums[slot] += counts[slot];
}

/* Whether something is known to be wrong in a slot, or it has as many
 * contributions as a sum and is none. */
static bool
is_wrong(const struct world *w, int rank, int slot)
{
    int n = w->schedule->nranks, chunk;
    int count = world_counts(w, rank)[slot];

    if (world_is_wrong(w, w->position, rank, slot))
        return true;
    return w->schedule->collective->reduces && count >= n &&
           !world_is_sum(w, world_row(w, rank, slot), &chunk);
}

/* Whether a slot of a cell is wrong.  A full cell of a single slot is looked at
 * in any case; others, of which there may be a million, only in a run in which
 * something is wrong. */
static bool
has_wrong(const struct world *w, struct rect slots, bool full)
{
    bool single = slots.width * slots.height == 1;

    if (!(full && single) && !w->faulty && w->run->mismatch[0] == '\0' &&
        !(w->has_result && !w->result.correct))
        return false;
    for (int rank = slots.y; rank < slots.y + slots.height; rank++)
        for (int slot = slots.x; slot < slots.x + slots.width; slot++)
            if (is_wrong(w, rank, slot))
                return true;
    return false;
}

/* Sets the roles of a row of cells, ROLE_TEXT for empty ones, ROLE_WARNING for
 * those in which something is wrong and DONE for those in which all is
 * complete, and how many tenths have come.  Reads memory in order, because
 * there may be a million slots. */
static void
measure_row(const struct heat *h, int row, uint32_t *sums, uint8_t *roles,
            uint8_t *tenths)
{
    const struct world *w = h->scene->world;
    int n = w->schedule->nranks, slots = w->schedule->nslots;
    int whole = w->schedule->collective->reduces ? n : 1;
    int first = first_of(row, h->rows, n), end = first_of(row + 1, h->rows, n);

    memset(sums, 0, (size_t)slots * sizeof *sums);
    for (int rank = first; rank < end; rank++)
        add_counts(sums, world_counts(w, rank), slots);
    for (int i = 0; i < h->columns; i++) {
        int from = first_of(i, h->columns, slots);
        int to = first_of(i + 1, h->columns, slots);
        double all = (double)(end - first) * (to - from) * whole;
        int64_t sum = 0;
        for (int slot = from; slot < to; slot++)
            sum += sums[slot];
        bool full = (double)sum >= all;
        struct rect cell = {from, first, to - from, end - first};
        tenths[i] = (uint8_t)(10 * (double)sum / all);
        roles[i] = (uint8_t)(sum == 0                      ? ROLE_TEXT
                             : has_wrong(w, cell, full) ? ROLE_WARNING
                             : full                     ? DONE
                                        : palette_heat((double)sum, all));
    }
}

static struct pen
pen_of(uint8_t role)
{
    if (role == DONE)
        return (struct pen){.attrs = ATTR_REVERSE};
    return (struct pen){.fg = role == ROLE_TEXT ? ROLE_TEXT
                                                : (uint8_t)palette_ink(role),
                        .bg = role};
}

/* Draws a line of one row of cells. Without colour, a digit says how many
 * tenths have come. */
static void
draw_row(const struct heat *h, struct canvas *c, int y, const uint8_t *roles,
         const uint8_t *tenths)
{
    for (int i = 0; i < h->columns * h->width; i++) {
        uint8_t role = roles[i / h->width];
        bool names = shows_digits(h) && i % h->width == 0 && role != ROLE_TEXT;
        canvas_put(c, h->area.x + i, y,
                   role == ROLE_WARNING ? '!'
                   : !names             ? ' '
                   : role == DONE       ? 'S'
                                  : (uint32_t)('0' + tenths[i / h->width]),
                   pen_of(role));
    }
}

/* Draws a line of two rows of cells.  The half of a character that is a
 * complete sum has the colour of text, an empty one that of the ground. */
static void
draw_rows(const struct heat *h, struct canvas *c, int y, const uint8_t *upper,
          const uint8_t *lower)
{
    for (int i = 0; i < h->columns * h->width; i++) {
        uint8_t above = upper[i / h->width], below = lower[i / h->width];
        bool turned = above == ROLE_TEXT || below == DONE;
        uint8_t fg = turned ? below : above;
        if (above == below)
            canvas_put(c, h->area.x + i, y, ' ', pen_of(above));
        else
            canvas_put(c, h->area.x + i, y,
                       glyph(h->scene->glyphs,
                             turned ? GLYPH_LOWER_HALF : GLYPH_UPPER_HALF),
                       (struct pen){.fg = fg == DONE ? ROLE_TEXT : fg,
                                    .bg = turned ? above : below,
                                    .attrs = fg == DONE ? 0 : ATTR_AREA});
    }
}

static void
draw_cells(const struct heat *h, struct canvas *c)
{
    size_t columns = (size_t)h->columns + 1;
    uint32_t *sums = mem_new((size_t)h->scene->world->schedule->nslots + 1,
                             sizeof *sums);
    uint8_t *cells = mem_new(3 * columns, sizeof *cells);

    for (int line = 0; line < h->area.height; line++) {
        int row = line * h->rows_a_line;
        measure_row(h, row, sums, cells, cells + 2 * columns);
        memset(cells + columns, ROLE_TEXT, columns);
        if (h->rows_a_line == 1) {
            draw_row(h, c, h->area.y + line, cells, cells + 2 * columns);
            continue;
        }
        if (row + 1 < h->rows)
            measure_row(h, row + 1, sums, cells + columns,
                        cells + 2 * columns);
        draw_rows(h, c, h->area.y + line, cells, cells + columns);
    }
    free(sums);
    free(cells);
}

static int
rank_of_line(const struct heat *h, int line)
{
    return first_of(least(line * h->rows_a_line, h->rows - 1), h->rows,
                    h->scene->world->schedule->nranks);
}

/* The rank that a line is named after: the selected one, if it is there. */
static int
name_of_line(const struct heat *h, int line)
{
    int rank = rank_of_line(h, line), selected = h->scene->selected;
    bool last = line == h->area.height - 1;

    return selected >= rank && (last || selected < rank_of_line(h, line + 1))
               ? selected
               : rank;
}

static void
draw_labels(const struct heat *h, struct canvas *c, struct rect area)
{
    const struct schedule *p = h->scene->world->schedule;
    int label = places_names(p) + 1, x = h->area.x - label;
    int every = places_every(h->width, p->nslots - 1);
    int end = area.x + area.width;
    char text[SCENE_NAME_MAX];

    for (int line = 0; line < h->area.height; line++) {
        int rank = name_of_line(h, line);
        canvas_puts(c, x, h->area.y + line, scene_rank_name(rank, text),
                    rank == h->scene->selected ? strong : quiet);
    }
    for (int i = 0; i < h->columns; i += every) {
        snprintf(text, sizeof text, "%d", first_of(i, h->columns, p->nslots));
        if (h->area.x + i * h->width + (int)strlen(text) <= end)
            canvas_puts(c, h->area.x + i * h->width, h->area.y - 1, text,
                        quiet);
    }
}

/* What the colours mean, below the cells, farther to the left if there is not
 * enough room.  It is left out if the area is too narrow for it. */
static void
draw_legend(const struct heat *h, struct canvas *c, struct rect area)
{
    int nranks = h->scene->world->schedule->nranks;
    int width, x, y = area.y + area.height - 1;
    char text[64];

    if (shows_digits(h)) {
        snprintf(text, sizeof text, _("0-9: tenths of %d, S: complete"),
                 nranks);
        width = utf8_columns(text);
    } else {
        snprintf(text, sizeof text, _(" %d contributions  "), nranks - 1);
        width = 2 + 2 * HEATS + utf8_columns(text) + 2 +
                utf8_columns(_(" complete"));
    }
    x = least(h->area.x, area.x + area.width - width);
    if (x < area.x)
        return;
    if (shows_digits(h)) {
        canvas_puts(c, x, y, text, quiet);
        return;
    }
    x += canvas_puts(c, x, y, "1 ", quiet);
    for (int i = 0; i < 2 * HEATS; i++, x++)
        canvas_put(c, x, y, ' ', (struct pen){.bg = (uint8_t)(ROLE_HEAT +
                                                              i / 2)});
    x += canvas_puts(c, x, y, text, quiet);
    canvas_fill(c, x, y, 2, ' ', pen_of(DONE));
    canvas_puts(c, x + 2, y, _(" complete"), quiet);
}

static void
draw(const struct scene *s, struct canvas *c, struct rect area)
{
    struct heat h = heat_of(s, area);

    if (h.rows < 1 || h.columns < 1)
        return;
    draw_labels(&h, c, area);
    draw_cells(&h, c);
    draw_legend(&h, c, area);
}

static int
rank_at(const struct scene *s, struct rect area, struct point at)
{
    struct heat h = heat_of(s, area);

    return at.y >= h.area.y && at.y < h.area.y + h.area.height
               ? name_of_line(&h, at.y - h.area.y)
               : -1;
}

static const struct symbol symbols[] = {
    {NULL, GLYPH_UPPER_HALF,
     N_("two slots: the brighter, the more has been added")},
    {NULL, GLYPH_LOWER_HALF, N_("two slots, of which the upper one is empty")},
    {"0-9", 0, N_("without colour: how many tenths")},
    {"S", 0, N_("complete: the sum over all GPUs")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};

const struct view view_heat = {
    .name = N_("heat map"),
    .draw = draw,
    .rank_at = rank_at,
    .symbols = symbols,
    .moves = true,
};
