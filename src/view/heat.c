/* SPDX-License-Identifier: MIT */
/* The heat map: a cell for each slot, a row for each rank, for runs of which no
 * other view can show every slot.  A cell is the brighter the more of its sum
 * has come, and white when that is complete, so that a ring's reduce-scatter is
 * a wave that runs diagonally.  Without colour a cell is a character instead,
 * the denser the more has come.  Two ranks share a line of characters; if there
 * are still more ranks or slots than cells, a cell is the mean of several. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "text/word.h"
#include "view/places.h"

enum { DONE = 255 }; /* beside the roles: the colour of text */

struct part {
    uint8_t role;   /* ROLE_TEXT: empty, ROLE_WARNING: something is wrong in it,
                     * DONE: all of it is complete */
    char sign;      /* of `ramp`, where colours do not say how much has come */
};

struct heat {
    const struct scene *scene;
    const struct schedule *schedule;
    bool signs;        /* say what colours or half blocks cannot say there */
    bool sums;         /* cells are sums; else they hold data or do not */
    struct rect area;  /* of the cells, in characters */
    int rows, columns; /* of cells */
    int rows_a_line;   /* 2 with half blocks */
    int width;         /* of a cell, in characters */
};

/* The signs for each level of heat, and for complete sums. */
static const char ramp[HEATS + 1] = {'.', ':', '-', '=', '+',
                                     '*', '%', '&', '#'};

static struct heat
heat_of(const struct scene *s, const struct canvas *c, struct rect area)
{
    const struct schedule *p = s->world->schedule;
    struct heat h = {.scene = s, .schedule = p,
                     .signs = c->colourless || c->glyphs == GLYPHS_ASCII,
                     .sums = p->collective->reduces};
    int label = word_rank_columns(p) + 1, height = area.height - 2, lines;

    h.rows_a_line = h.signs || p->nranks <= height ? 1 : 2;
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

/* Whether a slot of a cell is known to be wrong, or has as many contributions
 * as a sum but is none.  A full cell of a single slot is looked at in any case;
 * others, of which there may be a million, only in a run in which something is
 * wrong. */
static bool
has_wrong(const struct world *w, struct rect slots, bool full)
{
    int n = schedule_members(w->schedule), chunk;
    bool wrong = w->faulty || run_mismatched(w->run) ||
                 (w->has_result && !w->result.correct) ||
                 (full && slots.width * slots.height == 1);

    for (int rank = slots.y; wrong && rank < slots.y + slots.height; rank++)
        for (int slot = slots.x; slot < slots.x + slots.width; slot++)
            if (world_is_wrong(w, w->position, rank, slot) ||
                (w->schedule->collective->reduces &&
                 world_counts(w, rank)[slot] >= n &&
                 !world_is_sum(w, world_row(w, rank, slot), &chunk)))
                return true;
    return false;
}

/* Sets a row of cells; below the last row they are empty. */
static void
measure_row(const struct heat *h, int row, struct part *parts)
{
    const struct world *w = h->scene->world;
    int n = h->schedule->nranks, slots = h->schedule->nslots;
    int first = first_of(row, h->rows, n);
    int end = least(first_of(row + 1, h->rows, n), n);

    for (int i = 0; i < h->columns; i++) {
        int from = first_of(i, h->columns, slots);
        int to = first_of(i + 1, h->columns, slots);
        struct rect cell = {from, first, to - from, end - first};
        double each = (double)cell.height * cell.width, mean;
        int all = h->sums ? schedule_members(h->schedule) : 1;
        uint64_t count = 0; /* of contributions; integers add up quickly */
        enum role heat;
        for (int rank = first; rank < end; rank++) {
            const uint16_t *counts = world_counts(w, rank);
            for (int slot = from; slot < to; slot++)
                count += counts[slot];
        }
        parts[i] = (struct part){ROLE_TEXT, ' '};
        if (count == 0)
            continue;
        mean = (double)count / each;
        heat = palette_heat(mean, all); /* above the lowest: sums are there */
        heat += heat == ROLE_HEAT && h->sums && mean > 1;
        parts[i].role = has_wrong(w, cell, mean >= all)
                            ? ROLE_WARNING
                        : mean >= all ? DONE
                                      : (uint8_t)heat;
        if (parts[i].role == ROLE_WARNING)
            parts[i].sign = '!';
        else if (h->signs)
            parts[i].sign = ramp[mean < all ? heat - ROLE_HEAT : HEATS];
    }
}

static struct pen
heat_pen(uint8_t role)
{
    if (role == DONE)
        return (struct pen){.attrs = ATTR_REVERSE};
    return (struct pen){.fg = role == ROLE_TEXT ? ROLE_TEXT
                                                : (uint8_t)palette_ink(role),
                        .bg = role};
}

/* Draws lines of one row of cells, or of two: the half of a character that is
 * complete has the colour of text, an empty one that of the ground. */
static void
draw_cells(const struct heat *h, struct canvas *c)
{
    OWN_MEMORY struct part *upper =
        mem_new(2 * (size_t)h->columns, sizeof *upper);
    struct part *lower = upper + (h->rows_a_line - 1) * h->columns;

    for (int line = 0; line < h->area.height; line++) {
        measure_row(h, line * h->rows_a_line, upper);
        if (lower != upper)
            measure_row(h, line * h->rows_a_line + 1, lower);
        for (int i = 0; i < h->area.width; i++) {
            struct part part = upper[i / h->width];
            uint8_t above = part.role, below = lower[i / h->width].role;
            bool turned = above == ROLE_TEXT || below == DONE;
            uint8_t fg = turned ? below : above;
            uint32_t code = (unsigned char)part.sign;
            struct pen pen = heat_pen(above);
            if (above != below) {
                code = glyph(c->glyphs,
                             turned ? GLYPH_LOWER_HALF : GLYPH_UPPER_HALF);
                pen = (struct pen){.fg = fg == DONE ? ROLE_TEXT : fg,
                                   .bg = turned ? above : below,
                                   .attrs = fg == DONE ? 0 : ATTR_AREA};
            }
            canvas_put(c, h->area.x + i, h->area.y + line, code, pen);
        }
    }
}

/* A line is named after the selected rank, if that is there. */
static void
draw_heat_labels(const struct heat *h, struct canvas *c, struct rect area)
{
    const struct schedule *p = h->schedule;
    int label = word_rank_columns(p) + 1, x = h->area.x - label;
    int every = places_every(h->width, p->nslots - 1);
    int end = area.x + area.width;
    char text[16];

    for (int line = 0; line < h->area.height; line++) {
        int rank = first_of(line * h->rows_a_line, h->rows, p->nranks);
        int last = least((line + 1) * h->rows_a_line, h->rows);
        if (h->scene->selected >= rank &&
            h->scene->selected < first_of(last, h->rows, p->nranks))
            rank = h->scene->selected;
        canvas_target(c, (struct rect){area.x, h->area.y + line, area.width, 1},
                      TARGET_RANK, rank, -1);
        canvas_puts(c, x, h->area.y + line,
                    word_rank_name(h->schedule, rank).text,
                    rank == h->scene->selected ? strong : quiet);
    }
    for (int i = 0; i < h->columns; i += every) {
        snprintf(text, sizeof text, "%d", first_of(i, h->columns, p->nslots));
        if (h->area.x + i * h->width + (int)strlen(text) <= end)
            canvas_puts(c, h->area.x + i * h->width, h->area.y - 1, text,
                        quiet);
    }
}

/* Draws what the colours mean. Returns the columns that it takes. */
static int
draw_heat_legend(const struct heat *h, struct canvas *c, int x, int y)
{
    int from = x, columns = h->signs ? 1 : 2;
    int partial = schedule_members(h->schedule) - 1;
    int levels = least(partial, HEATS);

    if (h->sums && partial > 0) {
        x += canvas_puts(c, x, y, "1 ", quiet);
        for (int i = 0; i < levels; i++, x += columns) {
            double part = 1 + i * (partial - 1.0) / most(levels - 1, 1);
            enum role heat = palette_heat(part, partial + 1);
            if (h->signs)
                canvas_put(c, x, y, (unsigned char)ramp[heat - ROLE_HEAT],
                           quiet);
            else
                canvas_fill(c, x, y, columns, ' ', heat_pen((uint8_t)heat));
        }
        x += canvas_putf(c, x, y, quiet,
                         ngettext(" %d contribution  ", " %d contributions  ",
                                  (unsigned long)partial),
                         partial);
    }
    canvas_fill(c, x, y, 2, h->signs ? ramp[HEATS] : ' ', heat_pen(DONE));
    return x + 2 - from +
           canvas_puts(c, x + 2, y,
                       h->sums ? _(" complete") : _(" holds data"), quiet);
}

static void
draw_heat(const struct scene *s, struct canvas *c, struct rect area)
{
    struct heat h = heat_of(s, c, area);
    int x, y = area.y + area.height - 1;

    if (h.rows < 1 || h.columns < 1)
        return;
    draw_heat_labels(&h, c, area);
    draw_cells(&h, c);
    /* It is below the cells or, for lack of room, farther to the left, or left
     * out if there is no room at all.  Outside the canvas it is measured. */
    x = least(h.area.x, area.x + area.width -
                            draw_heat_legend(&h, c, c->columns, y));
    if (x >= area.x)
        draw_heat_legend(&h, c, x, y);
}

const struct view view_heat = {
    .name = N_("heat map"),
    .draw = draw_heat,
    .symbols = (const struct symbol[]){
        {NULL, GLYPH_UPPER_HALF,
         N_("two slots: the brighter, the more has been added")},
        {NULL, GLYPH_LOWER_HALF,
         N_("two slots, of which the upper one is empty")},
        {".:-=+*%&", 0,
         N_("without colour: the denser, the more has been added")},
        {"#", 0, N_("complete")},
        {NULL, 0, NULL}},
};
