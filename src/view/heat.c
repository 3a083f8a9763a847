/* SPDX-License-Identifier: MIT */
/* The heat map: a cell for each slot, a row for each rank, for many ranks, or
 * for runs of which no other view can show every slot.  A cell is the brighter
 * the more of its sum has come, and white when that is complete, so that a
 * ring's reduce-scatter is a wave that runs diagonally.  Without colour a cell
 * is a character instead, the denser the more has come.
 *
 * In a small world a cell has room for its count, and a sign says what the step
 * did to it.  Else two ranks share a line of characters, and a cell that the
 * step changed ends in a mark; if there are still more ranks or slots than
 * cells, a cell is the mean of several. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "text/word.h"
#include "view/places.h"

enum {
    DONE = 255, /* beside the roles: the colour of text */
    CELL_COLUMNS = 6, CELL_ROWS = 3, /* at most */
    FEW_COLUMNS = 32, /* of all cells, if they could be wider */
    LEGEND_ROWS = 1,
    LARGE = 17, /* ranks from which on it is shown by default */
};

struct part {
    uint8_t role;   /* ROLE_TEXT: empty, ROLE_WARNING: something is wrong in it,
                     * DONE: all of it is complete */
    char sign;      /* of `ramp`, where colours do not say how much has come */
    char did;       /* '+', '=': what the step did to it; 0: nothing */
    uint16_t count; /* of a single slot, not complete; else 0 */
};

struct heat {
    const struct scene *scene;
    const struct schedule *schedule;
    bool signs;        /* say what colours or half blocks cannot say there */
    bool sums;         /* cells are sums; else they hold data or do not */
    struct rect area;  /* of the cells, in characters */
    int rows, columns; /* of cells */
    int rows_a_line;   /* 2 with half blocks */
    int width, height; /* of a cell, in characters */
    int head;          /* rows for the numbers of slots */
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
    int label = word_rank_columns(p) + 1, height, lines;

    height = area.height - LEGEND_ROWS;
    h.head = h.signs || 2 * height != p->nranks; /* else all have just room */
    height -= h.head;
    h.rows_a_line = h.signs || p->nranks <= height ? 1 : 2;
    h.rows = least(p->nranks, height * h.rows_a_line);
    h.columns = least(p->nslots, area.width - label);
    h.width = h.columns > 0 ? (area.width - label) / h.columns : 0;
    h.width = least(h.width, h.rows_a_line == 1
                                 ? CELL_COLUMNS
                                 : most(CELL_ROWS,
                                        FEW_COLUMNS / most(h.columns, 1)));
    h.height = h.rows > 0 ? within(height / h.rows, 1, CELL_ROWS) : 1;
    lines = (h.rows * h.height + h.rows_a_line - 1) / h.rows_a_line;
    h.area = (struct rect){
        area.x + label + (area.width - label - h.columns * h.width) / 2,
        area.y + h.head + (height - lines) / 2, h.columns * h.width, lines};
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

/* What slots of ranks hold: `cell` has the first slot and rank, and how many.
 */
static struct part
measure_cell(const struct heat *h, struct rect cell)
{
    const struct world *w = h->scene->world;
    double each = (double)cell.height * cell.width, mean;
    int all = h->sums ? schedule_members(h->schedule) : 1;
    struct part part = {ROLE_TEXT, ' ', 0, 0};
    uint64_t count = 0; /* of contributions; integers add up quickly */
    enum role heat;

    for (int rank = cell.y; rank < cell.y + cell.height; rank++) {
        const uint16_t *counts = world_counts(w, rank);
        for (int slot = cell.x; slot < cell.x + cell.width; slot++)
            count += counts[slot];
    }
    if (count == 0)
        return part;
    mean = (double)count / each;
    heat = palette_heat(mean, all); /* above the lowest: sums are there */
    heat += heat == ROLE_HEAT && h->sums && mean > 1;
    part.role = has_wrong(w, cell, mean >= all) ? ROLE_WARNING
                : mean >= all                   ? DONE
                                                : (uint8_t)heat;
    if (part.role == ROLE_WARNING)
        part.sign = '!';
    else if (h->signs)
        part.sign = ramp[mean < all ? heat - ROLE_HEAT : HEATS];
    if (each == 1 && part.role != DONE && part.role != ROLE_WARNING)
        part.count = (uint16_t)count;
    return part;
}

/* Sets a row of cells; below the last row they are empty. */
static void
measure_row(const struct heat *h, int row, struct part *parts)
{
    const struct schedule *p = h->schedule;
    int first = first_of(row, h->rows, p->nranks), step = scene_step(h->scene);
    int end = least(first_of(row + 1, h->rows, p->nranks), p->nranks);
    size_t count;
    const struct transfer *t = schedule_transfers(p, step, &count);

    for (int i = 0; i < h->columns; i++) {
        int from = first_of(i, h->columns, p->nslots);
        int to = first_of(i + 1, h->columns, p->nslots);
        parts[i] = measure_cell(h, (struct rect){from, first, to - from,
                                                 end - first});
    }
    for (size_t i = 0; i < count && h->scene->step == 0; i++, t++)
        for (int k = 0; k < t->nslots && t->dst >= first && t->dst < end; k++)
            parts[(int64_t)(t->dst_slot + k) * h->columns / p->nslots].did =
                t->op == TRANSFER_REDUCE ? '+' : '=';
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

/* Draws a cell with its count, if that has room, and what the step did to it.
 */
static void
draw_heat_cell(const struct heat *h, struct canvas *c, struct rect at,
               const struct part *part)
{
    struct pen pen = heat_pen(part->role);
    int n = schedule_members(h->schedule), room = at.width - 1;
    char text[16];
    int length = snprintf(text, sizeof text, "%d/%d", part->count, n);

    if (length >= room)
        length = snprintf(text, sizeof text, "%d", part->count);
    if (!h->sums || part->count == 0 || length > room)
        text[length = 0] = '\0';
    for (int y = 0; y < at.height; y++)
        canvas_fill(c, at.x, at.y + y, at.width,
                    length > 0 ? ' ' : (unsigned char)part->sign, pen);
    pen.attrs |= part->did != 0 ? ATTR_BOLD : 0;
    at.y += (at.height - 1) / 2;
    canvas_puts(c, at.x + 1 + (room - length) / 2, at.y, text, pen);
    if (part->did != 0 && room > 0)
        canvas_put(c, at.x, at.y, (unsigned char)part->did, pen);
}

/* What a column of a cell of half a line shows: the last one, whether the step
 * changed it. */
static uint8_t
half_role(const struct part *part, bool last)
{
    if (!last || part->did == 0)
        return part->role;
    return part->role == DONE ? ROLE_TEXT : DONE;
}

/* Draws lines of one row of cells, or of two: the half of a character that is
 * complete has the colour of text, an empty one that of the ground. */
static void
draw_cells(const struct heat *h, struct canvas *c)
{
    OWN_MEMORY struct part *upper =
        mem_new(2 * (size_t)h->columns, sizeof *upper);
    struct part *lower = upper + h->columns;

    for (int row = 0; row < h->rows; row += h->rows_a_line) {
        int y = h->area.y + row * h->height / h->rows_a_line;
        measure_row(h, row, upper);
        if (h->rows_a_line > 1)
            measure_row(h, row + 1, lower);
        for (int i = 0; i < h->columns && h->rows_a_line == 1; i++)
            draw_heat_cell(h, c, (struct rect){h->area.x + i * h->width, y,
                                               h->width, h->height},
                           &upper[i]);
        for (int i = 0; i < h->area.width && h->rows_a_line == 2; i++) {
            bool last = h->width > 1 && i % h->width == h->width - 1;
            uint8_t above = half_role(&upper[i / h->width], last);
            uint8_t below = half_role(&lower[i / h->width], last);
            bool turned = above == ROLE_TEXT || below == DONE;
            uint8_t fg = turned ? below : above;
            uint32_t code = ' ';
            struct pen pen = heat_pen(above);
            if (above != below) {
                code = glyph(c->glyphs,
                             turned ? GLYPH_LOWER_HALF : GLYPH_UPPER_HALF);
                pen = (struct pen){.fg = fg == DONE ? ROLE_TEXT : fg,
                                   .bg = turned ? above : below,
                                   .attrs = fg == DONE ? 0 : ATTR_AREA};
            } else if (above == ROLE_WARNING) {
                code = '!';
            }
            canvas_put(c, h->area.x + i, y, code, pen);
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

    for (int row = 0; row < h->rows; row += h->rows_a_line) {
        int rank = first_of(row, h->rows, p->nranks);
        int last = least(row + h->rows_a_line, h->rows);
        int y = h->area.y + row * h->height / h->rows_a_line;
        if (h->scene->selected >= rank &&
            h->scene->selected < first_of(last, h->rows, p->nranks))
            rank = h->scene->selected;
        canvas_target(c, (struct rect){area.x, y, area.width, h->height},
                      TARGET_RANK, rank, -1);
        canvas_puts(c, x, y + (h->height - 1) / 2,
                    word_rank_name(h->schedule, rank).text,
                    rank == h->scene->selected ? strong : quiet);
    }
    for (int i = 0; i < h->columns && h->head > 0; i += every) {
        snprintf(text, sizeof text, "%d", first_of(i, h->columns, p->nslots));
        if (h->area.x + i * h->width + (int)strlen(text) <= end)
            canvas_puts(c, h->area.x + i * h->width, h->area.y - 1, text,
                        quiet);
    }
}

/* Draws what the colours mean: each level that occurs, with the lowest count
 * that has it.  Returns the columns that it takes. */
static int
draw_heat_legend(const struct heat *h, struct canvas *c, int x, int y)
{
    int all = schedule_members(h->schedule), from = x;
    int columns = snprintf(NULL, 0, "%d", all - 1) + 1;

    for (int count = 1, was = -1; count < all && h->sums; count++) {
        int heat = palette_heat(count, all);
        if (heat == was)
            continue;
        if (h->signs)
            canvas_put(c, x++, y, (unsigned char)ramp[heat - ROLE_HEAT],
                       strong);
        canvas_putf(c, x, y, h->signs ? quiet : heat_pen((uint8_t)heat), "%-*d",
                    columns, count);
        x += columns;
        was = heat;
    }
    x += x > from ? canvas_putf(c, x, y, quiet, " %s  ", _("contributions"))
                  : 0;
    canvas_fill(c, x, y, 2, h->signs ? ramp[HEATS] : ' ', heat_pen(DONE));
    x += 2 + canvas_puts(c, x + 2, y,
                         h->sums ? _(" complete") : _(" holds data"), quiet);
    return x - from;
}

static void
draw_heat(const struct scene *s, struct canvas *c, struct rect area)
{
    struct heat h = heat_of(s, c, area);
    int x, y = area.y + area.height - LEGEND_ROWS;

    if (h.rows < 1 || h.columns < 1)
        return;
    draw_heat_labels(&h, c, area);
    draw_cells(&h, c);
    y = least(y, h.area.y + h.area.height + 1);
    /* It is below the cells or, for lack of room, farther to the left, or left
     * out if there is no room at all.  Outside the canvas it is measured. */
    x = least(h.area.x, area.x + area.width -
                            draw_heat_legend(&h, c, c->columns, y));
    if (x >= area.x)
        draw_heat_legend(&h, c, x, y);
}

/* Ranks side by side, each with its slots one above the other, for a picture
 * that has no room for anything else. */
void
heat_strip(const struct scene *s, struct canvas *c, struct rect area)
{
    struct heat h = heat_of(s, c, area);
    int n = h.schedule->nranks, slots = h.schedule->nslots;
    int label = canvas_puts(c, area.x, area.y, _("GPU"), quiet) + 1;
    int columns = least(n, area.width - label), x = area.x + label;
    int width = least((area.width - label) / columns, CELL_COLUMNS);
    int rows = least(slots, area.height - 1), even = rows, height;

    while (even > 1 && slots % even != 0)
        even--;
    rows = 2 * even >= rows ? even : rows;
    height = rows > 0 ? least((area.height - 1) / rows, CELL_ROWS) : 0;
    for (int i = 0; i < columns; i++) {
        int rank = first_of(i, columns, n);
        int ranks = first_of(i + 1, columns, n) - rank;
        if (i % places_every(width, n - 1) == 0)
            canvas_putf(c, x + i * width, area.y, quiet, "%d", rank);
        for (int row = 0; row < rows; row++) {
            int slot = first_of(row, rows, slots);
            int end = first_of(row + 1, rows, slots);
            struct part part = measure_cell(
                &h, (struct rect){slot, rank, end - slot, ranks});
            draw_heat_cell(&h, c, (struct rect){x + i * width,
                                                area.y + 1 + row * height,
                                                width - (width > 2), height},
                           &part);
        }
    }
}

static bool
is_large(const struct schedule *s)
{
    return schedule_members(s) >= LARGE;
}

const struct view view_heat = {
    .name = N_("heat map"),
    .leads = is_large,
    .draw = draw_heat,
    .symbols = (const struct symbol[]){
        {NULL, GLYPH_UPPER_HALF,
         N_("two slots: the brighter, the more has been added")},
        {NULL, GLYPH_LOWER_HALF,
         N_("two slots, of which the upper one is empty")},
        {".:-=+*%&", 0,
         N_("without colour: the denser, the more has been added")},
        {"#", 0, N_("complete")},
        {"+ =", 0, N_("this step added to the slot, replaced it")},
        {"3/8", 0, N_("a sum with 3 of 8 contributions")},
        {NULL, 0, NULL}},
};
