/* SPDX-License-Identifier: MIT */
/* Stages: a row for each rank, a column for each step.
 *
 *              input        1 apart        2 apart      heads
 *     GPU 0    A ─────┬──▶ +A+B ───── ...               a row for each rank
 *     GPU 1    B ─────┴──▶ +A+B ───── ...
 *
 * Column k shows what the ranks hold after step k, as far as they still need
 * it: sets that grow, bars that halve and double.  The lines before it are the
 * transfers of the step.
 *
 * What is past comes from the world, what is ahead from the schedule
 * (schedule/outlook.h) and is drawn faintly.  In a lesson it is not drawn,
 * because it would answer the lesson's questions.
 *
 * If a few rows are lacking, as in a lesson with 16 ranks, a window shows most
 * ranks, among them the selected one.  If columns are lacking, they scroll. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/rungs.h"
#include "view/painter.h"
#include "view/view.h"

enum {
    STEPS_MOST = 128,
    AIR_MOST = 12,     /* columns added to a gap if there is room */
    HEAD_LEAST = 9,    /* of a column with its gap: "16 apart" fits */
    LEFT_EDGE = 4,     /* "... ", where columns are left out */
    RIGHT_EDGE = 7,    /* "... +12" */
    RUNGS_LIT_MOST = 8 /* side by side, that can be told apart */
};

struct column {
    int gap_x;  /* of the gap before it */
    int rung_x; /* of the first rung in the gap */
    int x, width;
};

struct stages {
    struct places *places;
    const struct schedule *schedule;
    const struct outlook *outlook;
    int rows;              /* of a rank's slots */
    int pitch, y;          /* from a rank to the next; of the first */
    int first_rank, count; /* of the ranks shown */
    int room;              /* for columns */
    int first, last;       /* columns shown */
    int end;               /* the last one that is drawn */
    struct column columns[STEPS_MOST + 1];
    int rungs[STEPS_MOST + 1]; /* columns of rungs, by step */
    int parts[STEPS_MOST + 1]; /* contributions in a partial sum, by step */
};

static int
slots_a_row(const struct stages *g, int step)
{
    int slots = g->outlook->most[step].slots;

    return slots > 0 ? (slots + g->rows - 1) / g->rows : 1;
}

static int
slot_width(const struct stages *g, int step)
{
    return places_columns(g->places, g->parts[step], false);
}

/* From a slot to the one beside it. */
static int
slot_pitch(const struct stages *g, int step)
{
    return slot_width(g, step) + (g->places->look.marked ||
                                  g->places->look.grow > 0);
}

static int
bar_width(const struct stages *g, int step)
{
    return (slots_a_row(g, step) - 1) * slot_pitch(g, step) +
           slot_width(g, step);
}

/* The least width of a gap: a line on either side of the rungs, the arrowhead,
 * and the mark of what changed. */
static int
gap_width(const struct stages *g, int step)
{
    int least = HEAD_LEAST - bar_width(g, step);
    int width = g->rungs[step] + 4 + g->places->look.gap_x / 4;

    return width > least ? width : least;
}

static int
columns_width(const struct stages *g, int first, int last)
{
    int width = bar_width(g, first);

    for (int step = first + 1; step <= last && width <= g->room; step++)
        width += gap_width(g, step) + bar_width(g, step);
    return width;
}

/* Whether any `count` columns in a row fit. */
static bool
fits(const struct stages *g, int count)
{
    int all = g->schedule->nsteps + 1;
    int edges = count < all ? LEFT_EDGE + RIGHT_EDGE : 0;

    for (int first = 0; first + count <= all; first++)
        if (columns_width(g, first, first + count - 1) + edges > g->room)
            return false;
    return count <= all;
}

/* Shows the step at hand and the one after it, and as many before them as there
 * is room for; then those that follow. */
static void
choose_columns(struct stages *g, int now)
{
    int end = g->schedule->nsteps, room = g->room;

    g->first = 0;
    g->last = end;
    if (columns_width(g, 0, end) <= g->room)
        return;
    g->room -= LEFT_EDGE + RIGHT_EDGE;
    g->last = now < end ? now + 1 : end;
    while (columns_width(g, g->first, g->last) > g->room)
        g->first++;
    while (g->last < end &&
           columns_width(g, g->first, g->last + 1) <= g->room)
        g->last++;
    g->room = room;
}

static void
place_columns(struct stages *g, struct rect area)
{
    int label = places_names(g->schedule) + 2;
    int gaps = g->last - g->first, all = gaps == g->schedule->nsteps;
    int room = g->room - (all ? 0 : LEFT_EDGE + RIGHT_EDGE);
    int spare = room - columns_width(g, g->first, g->last);
    int air = gaps > 0 ? spare / gaps : 0;
    int x;

    if (air > AIR_MOST)
        air = AIR_MOST;
    x = area.x + label + (all ? 0 : LEFT_EDGE) + (spare - air * gaps) / 2;
    for (int rank = 0; rank < g->count; rank++) {
        places_rank(g->places, g->first_rank + rank,
                    area.x + (spare - air * gaps) / 2, g->y + rank * g->pitch);
        g->places->boxes[g->first_rank + rank] = (struct rect){
            area.x, g->y + rank * g->pitch, area.width, g->pitch};
    }
    for (int step = g->first; step <= g->last; step++) {
        struct column *c = &g->columns[step];
        *c = (struct column){.gap_x = x, .rung_x = x, .x = x};
        if (step > g->first) {
            c->x += gap_width(g, step) + air;
            c->rung_x += (c->x - x - 1 - g->rungs[step]) / 2;
        }
        c->width = bar_width(g, step);
        x = c->x + c->width;
    }
}

/* The row of a rank's line. */
static int
row_of(const struct stages *g, int rank)
{
    return g->y + (rank - g->first_rank) * g->pitch + (g->rows - 1) / 2;
}

static bool
is_shown(const struct stages *g, int rank)
{
    return rank >= g->first_rank && rank < g->first_rank + g->count;
}

/* Adds the slots that the ranks need after a step, in their order. */
static void
add_spots(const struct stages *g, int step)
{
    const struct schedule *s = g->schedule;
    int width = slot_width(g, step), a_row = slots_a_row(g, step);

    if (width > g->columns[step].width)
        width = g->columns[step].width;
    for (int rank = g->first_rank; rank < g->first_rank + g->count; rank++)
        for (int slot = 0, i = 0; slot < s->nslots; slot++)
            if (outlook_slot(g->outlook, step, rank, slot)->needed) {
                places_spot(g->places, step, rank, slot,
                            g->columns[step].x +
                                i % a_row * slot_pitch(g, step),
                            g->y + (rank - g->first_rank) * g->pitch +
                                i / a_row,
                            width);
                i++;
            }
}

/* Adds the lines before a step's column: those of what ranks keep, and those of
 * its transfers. */
static void
add_roads(const struct stages *g, int step)
{
    const struct column *c = &g->columns[step];
    struct rungs rungs;
    size_t count;
    const struct transfer *t = schedule_transfers(g->schedule, step, &count);

    rungs_of(g->schedule, step, &rungs);
    for (int rank = g->first_rank; rank < g->first_rank + g->count; rank++)
        if (outlook_needs(g->outlook, step - 1, rank) &&
            outlook_needs(g->outlook, step, rank)) {
            struct route *path =
                places_step_road(g->places, step, rank, rank, 0);
            route_add(path, c->gap_x + 1, row_of(g, rank));
            route_add(path, c->x - 2, row_of(g, rank));
        }
    for (size_t i = 0; i < count; i++) {
        const struct rung *rung = rungs_find(&rungs, t[i].src, t[i].dst);
        struct route *path;
        int x;
        if (rung == NULL || !is_shown(g, t[i].src) || !is_shown(g, t[i].dst) ||
            places_road_of(g->places, step, &t[i]) != NULL)
            continue;
        x = c->rung_x + rung->column;
        path = places_step_road(g->places, step, t[i].src, t[i].dst,
                                1 + (int)(rung - rungs.rungs));
        route_add(path, c->gap_x + 1, row_of(g, t[i].src));
        route_add(path, x, row_of(g, t[i].src));
        route_add(path, x, row_of(g, t[i].dst));
        route_add(path, c->x - 2, row_of(g, t[i].dst));
    }
}

/* What a step does, in short: "to the next", "2 apart". Appends nothing if no
 * short words say it. */
static void
add_what(const struct schedule *s, int step, struct buf *out)
{
    int distance = rungs_distance(s, step);

    if (step == 0)
        buf_puts(out, _("input"));
    else if (distance > 0 && s->topology.kind == TOPOLOGY_RING)
        buf_puts(out, _("to the next"));
    else if (distance > 0)
        buf_addf(out, _("%d apart"), distance);
    else if (schedule_step_is_local(s, step))
        buf_puts(out, translated(s->steps[step - 1].phase));
}

/* How much heads say, the same for all columns. */
enum head { HEAD_ALL, HEAD_WHAT, HEAD_NUMBER, HEADS };

static void
head_text(const struct stages *g, int step, enum head form, struct buf *out)
{
    struct buf what = {0};

    add_what(g->schedule, step, &what);
    if (step > 0 && (form != HEAD_WHAT || what.length == 0))
        buf_addf(out, "%d", step);
    if (out->length > 0 && what.length > 0 && form == HEAD_ALL)
        buf_puts(out, ": ");
    if (step == 0 || form != HEAD_NUMBER)
        buf_puts(out, buf_text(&what));
    buf_done(&what);
}

/* Where a head is, over its rungs or farther to the right if the one before it
 * ends at `from`. Returns false if that is not over its column. */
static bool
head_at(const struct stages *g, int step, const char *text, int from, int *x)
{
    const struct column *c = &g->columns[step];
    int width = utf8_columns(text), end = c->x + c->width;

    *x = step > g->first   ? (c->gap_x + c->x - width) / 2
         : width > c->width ? end - width
                            : c->x;
    if (*x < from)
        *x = from;
    return *x + width <= end || step == g->first;
}

/* Adds the heads in a form. Returns false if they do not fit; `last` adds them
 * all the same. */
static bool
try_heads(const struct stages *g, int y, enum head form)
{
    int from = 0, x, labels = g->places->nlabels;

    for (int step = g->first; step <= g->end; step++) {
        struct buf text = {0};
        struct label *label;
        if (step == 0 || step > g->first) /* else its rungs are not shown */
            head_text(g, step, form, &text);
        if (!head_at(g, step, buf_text(&text), from, &x) &&
            form != HEAD_NUMBER) {
            buf_done(&text);
            g->places->nlabels = labels;
            return false;
        }
        label = places_label(g->places, x, y, buf_text(&text));
        if (step == g->places->step)
            label->pen = (struct pen){.attrs = ATTR_BOLD};
        from = x + label->width + 1;
        buf_done(&text);
    }
    return true;
}

/* Adds the name of each phase over its columns, if it ends before column
 * `end`. */
static void
add_phases(const struct stages *g, int y, int end)
{
    const struct step *steps = g->schedule->steps;
    int last;

    for (int step = g->first > 0 ? g->first : 1; step <= g->last;
         step = last + 1) {
        const struct column *c = &g->columns[step];
        const char *phase = steps[step - 1].phase;
        const struct label *label;
        for (last = step; last < g->last; last++)
            if (strcmp(steps[last].phase, phase) != 0)
                break;
        label = places_label(g->places, step > g->first ? c->gap_x + 1 : c->x,
                             y, translated(phase));
        if (label->at.x + label->width > end)
            g->places->nlabels--;
    }
}

/* Where columns or ranks are left out, adds how many they are. */
static void
add_edges(const struct stages *g, int heads_y)
{
    int before = g->first, after = g->schedule->nsteps - g->last;
    const struct column *first = &g->columns[g->first];
    const struct column *last = &g->columns[g->last];
    char text[24];

    snprintf(text, sizeof text, "+%d ...", before);
    if (before > 0)
        places_label(g->places, first->x - 1 - (int)strlen(text), heads_y,
                     text);
    snprintf(text, sizeof text, "... +%d", after);
    if (after > 0)
        places_label(g->places, last->x + last->width + 1, heads_y, text);
    snprintf(text, sizeof text, "... +%d", g->schedule->nranks - g->count);
    if (g->count < g->schedule->nranks)
        places_label(g->places, first->x,
                     g->first_rank > 0 ? g->y - 1
                                       : g->y + g->count * g->pitch, text);
}

/* Places the rows. Returns false if there are too few. */
static bool
place_rows(struct stages *g, struct rect area)
{
    const struct places *p = g->places;
    int n = g->schedule->nranks, block = places_rows(p), room = area.height - 1;

    if (p->look.height > 1 && g->rows > 1)
        return false;
    g->count = room >= n ? n : p->partial && 4 * room >= 3 * n ? room - 1 : 0;
    if (g->count == 0)
        return false;
    g->first_rank = p->scene->selected >= g->count ? n - g->count : 0;
    g->pitch = room / g->count;
    if (g->pitch < block + (block > 1) || g->pitch < g->rows + (g->rows > 1))
        return false;
    if (g->pitch > block + g->rows + 1)
        g->pitch = block + g->rows + 1;
    g->y = area.y + 1 + (room - g->count * g->pitch) / 2;
    g->y += g->first_rank > 0; /* below how many are left out */
    return true;
}

/* The columns that must be shown if not all have room: more of them are worth
 * more than a large look. */
static int
columns_least(const struct look *look)
{
    if (look->form == BLOCK_BAR)
        return look->gap_x > 1 ? 3 : 2;
    return look->form == BLOCK_NAMES ? 6 : 4;
}

static bool
place_in_rows(struct stages *g, struct rect area)
{
    int all = g->schedule->nsteps + 1, heads;
    int least = g->places->partial ? columns_least(&g->places->look) : all;

    if (!place_rows(g, area))
        return false;
    g->places->history = true;
    g->room = area.width - places_names(g->schedule) - 2;
    if (!fits(g, least < all ? least : all))
        return false;
    choose_columns(g, g->places->step);
    place_columns(g, area);
    g->end = g->places->scene->panel != NULL ? g->places->step : g->last;
    if (g->end > g->last)
        g->end = g->last;
    heads = g->y - 1 - (g->first_rank > 0);
    for (int step = g->first; step <= g->end; step++)
        add_spots(g, step);
    for (int step = g->first + 1; step <= g->end; step++) {
        add_roads(g, step);
        if (step == g->places->step && g->rungs[step] > RUNGS_LIT_MOST)
            g->places->crowded = true;
    }
    for (int form = 0; form < HEADS && !try_heads(g, heads, form); form++)
        ;
    if (heads > area.y)
        add_phases(g, heads - 1, area.x + area.width);
    add_edges(g, heads);
    return true;
}

/* The most contributions to a sum that is not complete. */
static int
parts_of(const struct stages *g, int step)
{
    int n = g->schedule->nranks, most = 1;

    for (int rank = 0; rank < n; rank++)
        for (int slot = 0; slot < g->schedule->nslots; slot++) {
            const struct outlook_slot *data =
                outlook_slot(g->outlook, step, rank, slot);
            int parts = __builtin_popcount(data->ranks);
            if (data->needed && parts < n && parts > most)
                most = parts;
        }
    return most;
}

static bool
place(struct places *p, struct rect area)
{
    const struct world *w = p->scene->world;
    struct stages *g = p->own;

    if (w->outlook == NULL || w->nsteps < 1 || w->nsteps > STEPS_MOST)
        return false;
    if (g == NULL) {
        p->own = g = mem_new(1, sizeof *g);
        *g = (struct stages){.places = p, .schedule = p->schedule,
                             .outlook = w->outlook};
        for (int step = 0; step <= w->nsteps; step++) {
            struct rungs rungs;
            g->parts[step] = parts_of(g, step);
            rungs_of(p->schedule, step, &rungs);
            g->rungs[step] = rungs.columns;
        }
    }
    for (g->rows = 1; g->rows <= area.height / p->schedule->nranks; g->rows++)
        if (place_in_rows(g, area))
            return true;
    return false;
}

static const struct symbol symbols[] = {
    {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
    {"S", 0, N_("complete: the sum over all GPUs")},
    {NULL, GLYPH_RIGHT, N_("which way data moves, or may move, along a link")},
    {"+", 0, N_("the step added to what the GPU holds")},
    {"=", 0, N_("the step brought new data")},
    {"3/8", 0, N_("a sum with 3 of 8 contributions")},
    {NULL, GLYPH_SENDS, N_("the next step sends it")},
    {NULL, GLYPH_CUT, N_("dotted or faint: still to come")},
    {NULL, GLYPH_EMPTY, N_("an empty slot")},
    {"... +4", 0, N_("four more columns, for which there is no room")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};

const struct view view_stages = {
    .name = N_("stages"),
    .chosen_for = VIEW_OF(TOPOLOGY_ANY) | VIEW_OF(TOPOLOGY_BINOMIAL) |
                  VIEW_OF(TOPOLOGY_CUBE) | VIEW_OF(TOPOLOGY_STAR),
    .place = place,
    .symbols = symbols,
    .moves = true,
};
