/* SPDX-License-Identifier: MIT */
/* The table and the matrix: data in columns, a row for each rank.
 *
 * The matrix has a column for each slot:
 *
 *            input       output      scratch
 *            0   1   2   0   1   2   0
 *     GPU 0  A0  A1  A2  A0  ·   ·   C2
 *
 * The table has input and output side by side:
 *
 *             input          in transit       output
 *          to 0   1   2                  from 0   1   2     heads
 *     GPU 0   A0  A1  A2     C1               A0  ·   C0    a row for each rank
 *     GPU 1   B0  B1  B2     A2               A1  B1  ·
 *
 * There a block stands where its content says, not where it is in memory.  Data
 * of the rank itself is in the input until no step needs it there any more,
 * even if the algorithm copied it to other slots.  Data that is in the rank's
 * output, in the right slot, is in the output.  All other data that a later
 * step needs is in transit.
 *
 * So a block leaves the input and lands at its place in the output; in an
 * all-to-all that is the transposed place, so the table turns.  What has left
 * the input is faint there, what the output still lacks is a dot. */
#include <limits.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "view/columns.h"
#include "view/view.h"

enum {
    GAP_LEAST = 2, /* columns between two parts */
    AIR_MOST = 12, /* columns added to it if there is room */
    HEAD_ROWS = 2,
};

enum { INPUT, TRANSIT, OUTPUT, PARTS };

static const struct {
    const char *title, *rank; /* above all of it, before the ranks' numbers */
} heads[PARTS] = {{N_("input"), N_("to")}, {N_("in transit"), NULL},
                  {N_("output"), N_("from")}};

/* Where a slot's data stands: in a part, or -1, nowhere, and in which column
 * of it. */
struct stand {
    int part, column;
};

struct table {
    struct places *places;
    const struct schedule *schedule;
    const struct outlook *outlook;
    struct part {
        int count;         /* of its columns; 0: the part is not shown */
        int contributions; /* in a block */
        int x, width, pitch;
    } parts[PARTS];
    int y, pitch;      /* of rank 0's row; rows from a rank to the next */
    int16_t transit[]; /* [rank * nslots + slot]: its column there */
};

static int16_t *
transit_of(struct table *t, int rank, int slot)
{
    return &t->transit[(size_t)rank * (size_t)t->schedule->nslots +
                       (size_t)slot];
}

/* Data that is all or a part of what the output slot must hold is in the
 * output; own data that is to be added to stays in the input until then. */
static struct stand
stand_of(struct table *t, int step, int rank, int slot)
{
    const struct schedule *s = t->schedule;
    const struct outlook_slot *data =
        outlook_slot(t->outlook, step, rank, slot);
    struct region in = schedule_input(s, rank), out = schedule_output(s, rank);
    bool own = data->ranks == 1u << rank;

    if (data->ranks == 0 || !data->needed)
        return (struct stand){-1, 0};
    if (step > 0 && region_has(out, slot) &&
        !(own && s->collective->reduces)) {
        struct promise promise = schedule_promise(s, rank, slot - out.first);
        if (data->chunk == promise.chunk &&
            (promise.origin == PROMISE_ALL ||
             data->ranks == 1u << promise.origin))
            return (struct stand){OUTPUT, slot - out.first};
    }
    if (own && data->chunk < in.count)
        return (struct stand){INPUT, data->chunk};
    return (struct stand){TRANSIT, *transit_of(t, rank, slot)};
}

/* The table, as far as it does not depend on the look that is tried. */
static struct table *
table_new(struct places *p)
{
    const struct schedule *s = p->schedule;
    size_t cells = (size_t)s->nranks * (size_t)s->nslots;
    struct table *t = mem_new(1, sizeof *t + cells * sizeof t->transit[0]);

    t->places = p;
    t->schedule = s;
    t->outlook = p->scene->world->outlook;
    for (int rank = 0; rank < s->nranks; rank++) {
        int counts[PARTS] = {schedule_input(s, rank).count, 0,
                             schedule_output(s, rank).count};
        for (int slot = 0; slot < s->nslots; slot++) {
            bool passes = false;
            for (int step = 0; step <= s->nsteps; step++) {
                int part = stand_of(t, step, rank, slot).part;
                unsigned ranks = outlook_slot(t->outlook, step, rank,
                                              slot)->ranks;
                if (part >= 0)
                    t->parts[part].contributions =
                        most(t->parts[part].contributions,
                             __builtin_popcount(ranks));
                passes |= part == TRANSIT;
            }
            if (passes)
                *transit_of(t, rank, slot) = (int16_t)counts[TRANSIT]++;
        }
        for (int part = 0; part < PARTS; part++)
            t->parts[part].count = most(t->parts[part].count, counts[part]);
    }
    return t;
}

static struct spot *
add_spot(struct table *t, int step, int rank, int slot, struct stand at)
{
    struct spot *spot = places_spot(
        t->places, step, rank, slot,
        t->parts[at.part].x + at.column * t->parts[at.part].pitch,
        t->y + rank * t->pitch, t->parts[at.part].width);

    spot->plain = at.part == INPUT;
    return spot;
}

/* Whether the step in flight sends the data of a slot away.  It stays if it is
 * needed after the step, too, at the same place or, because its own rank keeps
 * it, in the output. */
static bool
leaves(struct table *t, int rank, int slot, struct stand at)
{
    const struct scene *s = t->places->scene;
    struct stand after;

    for (size_t i = 0; i < s->nflights && s->step > 0; i++) {
        const struct flight *f = &s->flights[i];
        if (f->transfer->src == rank && slot >= f->transfer->src_slot &&
            slot < f->transfer->src_slot + f->transfer->nslots &&
            f->event != NULL && f->progress > 0) {
            after = stand_of(t, s->step, rank, slot);
            return (at.part != after.part || at.column != after.column) &&
                   !(at.part == INPUT && after.part == OUTPUT);
        }
    }
    return false;
}

/* Adds what stood in the input, faintly, the dots of the output, which show
 * until data is there, the slots as they are, and those that the step in flight
 * writes, where they will be, and the place that a lesson asks about. */
static void
add_spots(struct table *t)
{
    const struct schedule *s = t->schedule;
    const struct scene *scene = t->places->scene;
    const struct part *out = &t->parts[OUTPUT];
    int now = scene->world->position, asked_rank, asked_slot;

    for (int rank = 0; rank < s->nranks; rank++) {
        struct region in = schedule_input(s, rank);
        for (int i = 0; i < in.count; i++)
            add_spot(t, now, rank, in.first + i, (struct stand){INPUT, i})
                ->ghost = true;
        for (int i = 0; i < schedule_output(s, rank).count; i++)
            places_dot(t->places, out->x + i * out->pitch +
                                      (out->width - 1) / 2,
                       t->y + rank * t->pitch);
        for (int slot = 0; slot < s->nslots; slot++) {
            struct stand at = stand_of(t, now, rank, slot);
            if (at.part >= 0)
                add_spot(t, now, rank, slot, at)->gone =
                    leaves(t, rank, slot, at);
        }
    }
    for (size_t i = 0; i < scene->nflights && scene->step > 0; i++) {
        const struct transfer *x = scene->flights[i].transfer;
        for (int slot = x->dst_slot; slot < x->dst_slot + x->nslots; slot++) {
            struct stand at = stand_of(t, scene->step, x->dst, slot);
            if (at.part >= 0)
                add_spot(t, scene->step, x->dst, slot, at);
        }
    }
    if (scene_asks_about(scene, &asked_rank, &asked_slot)) {
        struct region asked = schedule_output(s, asked_rank);
        if (region_has(asked, asked_slot))
            add_spot(t, t->places->step, asked_rank, asked_slot,
                     (struct stand){OUTPUT, asked_slot - asked.first})->gone =
                true;
    }
}

/* Adds the titles, and the numbers of the ranks that the columns are for or
 * from. */
static void
add_labels(const struct table *t, int titles_y, int heads_y)
{
    const struct schedule *s = t->schedule;
    struct places *p = t->places;
    const bool numbered[PARTS] = {
        [INPUT] = s->collective->input == UNITS_RANKS,
        [OUTPUT] = s->collective->output == UNITS_RANKS};
    int end = INT_MIN; /* of the last number */

    for (int part = 0; part < PARTS; part++) {
        const struct part *at = &t->parts[part];
        int x = at->x, before = end;
        if (at->count == 0)
            continue;
        places_label(p, x, titles_y, _(heads[part].title))->pen =
            (struct pen){.attrs = ATTR_BOLD};
        if (!numbered[part] || heads_y == titles_y)
            continue;
        end = places_heads(p, x, heads_y, s->pieces * at->pitch,
                           at->count / s->pieces);
        x -= 1 + utf8_columns(_(heads[part].rank));
        if (x > before)
            places_label(p, x, heads_y, _(heads[part].rank));
    }
}

/* Tables are for collectives that cut a buffer into a share for each rank. The
 * heads take two rows; without room for both, the titles one. */
static bool
place_table(struct places *p, struct rect area)
{
    const struct collective *c = p->schedule->collective;
    struct column list[PARTS];
    struct columns columns = {.list = list, .air = AIR_MOST, .margin = 1};
    struct table *t;
    int rows = HEAD_ROWS;

    if (p->scene->world->outlook == NULL ||
        (c->input != UNITS_RANKS && c->output != UNITS_RANKS) ||
        area.height < 1 + p->schedule->nranks)
        return false;
    if (p->own == NULL)
        p->own = table_new(p);
    t = p->own;
    for (int part = 0; part < PARTS; part++) {
        struct part *at = &t->parts[part];
        at->width = places_columns(p, at->contributions, false);
        at->pitch = at->width + (p->look.marked ? 2 : p->look.grow > 0);
        if (at->count > 0)
            list[columns.count++] = (struct column){
                .gap = GAP_LEAST,
                .width = most((at->count - 1) * at->pitch + at->width,
                              utf8_columns(_(heads[part].title)))};
    }
    if (!columns_place(&columns, p, columns.count))
        return false;
    for (int part = 0, i = 0; part < PARTS; part++)
        if (t->parts[part].count > 0)
            t->parts[part].x = list[i++].x;
    while (!places_ranks(p, area, columns.left, rows, &t->y, &t->pitch))
        if (--rows == 0)
            return false;
    add_labels(t, t->y - rows, t->y - 1);
    add_spots(t);
    return true;
}

/* Where the data only changes its place, the table says more than the links:
 * in an all-to-all, a gather, a scatter. */
static bool
leads(const struct schedule *s)
{
    const struct collective *c = s->collective;

    return !c->reduces && (c->input == UNITS_RANKS ||
                           (c->output == UNITS_RANKS &&
                            c->output_at == AT_ROOT));
}

/* Columns have the numbers that slots have in their regions, and regions their
 * names, as far as there are rows for both. */
static bool
place_matrix(struct places *p, struct rect area)
{
    const struct schedule *s = p->schedule;
    const struct outlook *o = p->scene->world->outlook;
    int scratch = schedule_scratch(s);
    int input = s->in_place ? scratch : schedule_output(s, s->root).first;
    const struct {
        const char *title;
        int first, end;
    } regions[] = {{s->in_place ? "" : _("input"), 0, input},
                   {_("output"), input, scratch},
                   {_("scratch"), scratch, s->nslots}};
    int parts = o == NULL ? s->nranks : 1; /* the most in any sum */
    int label = places_names(s) + 1, width, pitch, all, x, y, row_pitch;
    int rows = s->in_place && s->scratch == 0 ? 1 : HEAD_ROWS;

    for (int step = 0; o != NULL && step <= s->nsteps; step++)
        parts = most(parts, o->most[step].parts);
    width = places_columns(p, parts, p->slot_is_chunk);
    pitch = width + (p->look.marked ? 2 : p->look.grow > 0);
    all = label + s->nslots * pitch;
    if (all > area.width || s->nslots < 1)
        return false;
    x = area.x + (area.width - all) / 2;
    while (!places_ranks(p, area, x, rows, &y, &row_pitch))
        if (--rows < 0)
            return false;
    x += label + p->look.marked;
    for (int i = 0; i < 3 && rows > 0; i++) {
        int slots = regions[i].end - regions[i].first;
        int left = x + regions[i].first * pitch;
        if (slots > 0)
            places_heads(p, left, y - 1, pitch, slots);
        if (rows > 1 && utf8_columns(regions[i].title) < slots * pitch)
            places_label(p, left, y - rows, regions[i].title);
    }
    for (int rank = 0; rank < s->nranks; rank++)
        for (int slot = 0; slot < s->nslots; slot++)
            places_spot(p, PLACES_NOW, rank, slot, x + slot * pitch,
                        y + rank * row_pitch, width)
                ->knows_chunk = p->slot_is_chunk;
    return true;
}

static const struct symbol table_symbols[] = {
    {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
    {"to 1", 0, N_("above the input: the column's data is for GPU 1")},
    {"from 1", 0, N_("above the output: the column is for GPU 1's data")},
    {"in transit", 0, N_("what a GPU has only to pass it on")},
    {"3/8", 0, N_("a sum with 3 of 8 contributions")},
    {NULL, GLYPH_EMPTY, N_("still to come; faint in the input: it has left")},
    {"+ =", 0, N_("this step added to the slot, replaced it")},
    {NULL, GLYPH_SENDS, N_("the next step sends it")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};

const struct view view_table = {
    .name = N_("table"),
    .leads = leads,
    .place = place_table,
    .symbols = table_symbols,
};

static const struct symbol matrix_symbols[] = {
    {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
    {"3/8", 0, N_("a sum with 3 of 8 contributions")},
    {"S", 0, N_("complete: the sum over all GPUs")},
    {"+ =", 0, N_("this step added to the slot, replaced it")},
    {NULL, GLYPH_SENDS, N_("the next step sends it")},
    {NULL, GLYPH_EMPTY, N_("an empty slot")},
    {"*", 0, N_("a contribution that is in a sum several times")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};

const struct view view_matrix = {
    .name = N_("matrix"),
    .place = place_matrix,
    .symbols = matrix_symbols,
};
