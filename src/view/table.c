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
 * step needs is in transit: in a scatter in the input's column, in a gather in
 * the output's, as only the root has these, and else in columns of its own.
 *
 * So a block leaves the input and lands at its place in the output; in an
 * all-to-all that is the transposed place, so the table turns.  Data that has
 * left the input is faint there; data that the output still lacks is a dot. */
#include <limits.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "view/places.h"

enum {
    GAP_LEAST = 2, /* columns between two parts */
    AIR_MOST = 12, /* columns added to it if there is room */
    HEAD_ROWS = 2,
};

enum { INPUT, TRANSIT, OUTPUT, PARTS };

struct part {
    const char *title; /* above all of it; "": none */
    const char *rank;  /* before the numbers; NULL: nothing */
    int numbered;      /* columns that share a number; 0: they have none */
    int count;         /* of its columns; 0: the part is not shown */
    int contributions; /* in a block */
    int x, width, pitch;
};

/* The place of a slot's data: a part, or -1 if it stands nowhere, and the
 * column of the part. */
struct stand {
    int part, column;
};

struct table {
    struct places *places;
    const struct schedule *schedule;
    struct part parts[PARTS];
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
        outlook_slot(t->places->outlook, step, rank, slot);
    struct region out = schedule_output(s, rank);
    bool own = data->ranks == 1u << rank;

    if (data->ranks == 0 || !data->needed)
        return (struct stand){-1, 0};
    if (step > 0 && region_has(out, slot) &&
        !(own && s->collective->reduces)) {
        struct promise promise = schedule_promise(s, rank, slot - out.first);
        if (data->chunk == promise.chunk &&
            (promise.first < promise.last ||
             data->ranks == 1u << promise.first))
            return (struct stand){OUTPUT, slot - out.first};
    }
    if ((own || s->collective->input_at == AT_ROOT) &&
        data->chunk < t->parts[INPUT].count)
        return (struct stand){INPUT, data->chunk};
    for (int i = 0; s->collective->output_at == AT_ROOT &&
                    i < t->parts[OUTPUT].count; i++) {
        struct promise promise = schedule_promise(s, s->root, i);
        if (data->chunk == promise.chunk &&
            data->ranks == 1u << promise.first)
            return (struct stand){OUTPUT, i};
    }
    return (struct stand){TRANSIT, *transit_of(t, rank, slot)};
}

/* The table, as far as it does not depend on the look that is tried. */
static struct table *
table_new(struct places *p)
{
    const struct schedule *s = p->schedule;
    size_t cells = (size_t)s->nranks * (size_t)s->nslots;
    struct table *t = mem_new(1, sizeof *t + cells * sizeof t->transit[0]);
    int to = s->collective->input == UNITS_RANKS ? s->pieces : 0;
    int from = s->collective->output == UNITS_RANKS ? s->pieces : 0;

    t->parts[INPUT] = (struct part){
        .title = s->collective->input_at == AT_ROOT ? _("input, in transit")
                                                    : _("input"),
        .rank = _("to"), .numbered = to,
        .count = schedule_input(s, s->root).count};
    t->parts[TRANSIT].title = _("in transit");
    t->parts[OUTPUT] = (struct part){
        .title = s->collective->output_at == AT_ROOT ? _("in transit, output")
                                                     : _("output"),
        .rank = _("from"), .numbered = from,
        .count = schedule_output(s, s->root).count};
    t->places = p;
    t->schedule = s;
    for (int rank = 0; rank < s->nranks; rank++) {
        int transit = 0;
        for (int slot = 0; slot < s->nslots; slot++) {
            bool passes = false;
            for (int step = 0; step <= s->nsteps; step++) {
                int part = stand_of(t, step, rank, slot).part;
                unsigned ranks = outlook_slot(p->outlook, step, rank,
                                              slot)->ranks;
                if (part >= 0)
                    t->parts[part].contributions =
                        most(t->parts[part].contributions,
                             __builtin_popcount(ranks));
                passes |= part == TRANSIT;
            }
            if (passes)
                *transit_of(t, rank, slot) = (int16_t)transit++;
        }
        t->parts[TRANSIT].count = most(t->parts[TRANSIT].count, transit);
    }
    return t;
}

static struct spot *
add_spot(struct table *t, int step, int rank, int slot, struct stand at)
{
    struct spot *spot = places_spot(
        t->places, step, rank, slot,
        t->parts[at.part].x + at.column * t->parts[at.part].pitch,
        places_row(t->places, rank), t->parts[at.part].width);

    spot->plain =
        at.part == INPUT && schedule_input(t->schedule, rank).count > 0;
    return spot;
}

/* Whether the step in flight sends the data of a slot away.  It stays if it is
 * needed after the step, too, at the same place or, because its own rank keeps
 * it, in the output. */
static bool
is_sent_away(struct table *t, int rank, int slot, struct stand at)
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

/* Adds the data that stood in the input, faintly; the dots of the output, which
 * show until data is there; the slots as they are; those that the step in
 * flight writes, where they will be; and the place that a lesson asks about. */
static void
add_table_spots(struct table *t)
{
    const struct schedule *s = t->schedule;
    const struct scene *scene = t->places->scene;
    const struct part *out = &t->parts[OUTPUT];
    int now = scene->world->position, asked_rank, asked_slot;
    char dot[4 + 1] = "";

    utf8_put(dot, glyph(t->places->glyphs, GLYPH_EMPTY));
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region in = schedule_input(s, rank);
        for (int i = 0; i < in.count; i++)
            add_spot(t, now, rank, in.first + i, (struct stand){INPUT, i})
                ->ghost = true;
        for (int i = 0; i < schedule_output(s, rank).count; i++)
            places_label(t->places,
                         out->x + i * out->pitch + (out->width - 1) / 2,
                         places_row(t->places, rank), "%s", dot);
        for (int slot = 0; slot < s->nslots; slot++) {
            struct stand at = stand_of(t, now, rank, slot);
            if (at.part >= 0)
                add_spot(t, now, rank, slot, at)->gone =
                    is_sent_away(t, rank, slot, at);
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

/* Places the columns of the parts, the rows of the ranks and so many rows of
 * heads, or fewer if not even rows without values have room.  A part has its
 * title in a single row of heads, or its numbers if it has none. */
static bool
place_parts(struct places *p, struct part parts[PARTS], int heads, int gap,
            int air)
{
    struct column list[PARTS];
    struct columns columns = {.list = list, .air = air, .margin = 1};
    int i = 0, end = INT_MIN; /* of the last number */

    for (struct part *at = parts; at < parts + PARTS; at++) {
        at->width = places_columns(p, at->contributions);
        at->pitch = at->width + (p->look.marked ? 2 : p->look.grow > 0);
        if (at->count > 0)
            list[columns.count++] = (struct column){
                .gap = most(gap, at->pitch - at->width),
                .width = most((at->count - 1) * at->pitch + at->width,
                              utf8_columns(at->title))};
    }
    if (columns.count == 0 || !places_window(p, &columns, columns.count))
        return false;
    while (!places_ranks(p, columns.left, heads, places_rows(p), false))
        if (places_rows(p) > 1 || --heads < 0)
            return false;
    for (struct part *at = parts; at < parts + PARTS; at++) {
        int y = p->rows.y, before = end;
        if (at->count == 0)
            continue;
        at->x = list[i++].x;
        if (heads > 0)
            places_label(p, at->x, y - heads, "%s", at->title)->pen = strong;
        if (heads < 1 + (at->title[0] != '\0') || at->numbered == 0)
            continue;
        end = places_heads(p, at->x, y - 1, at->numbered * at->pitch,
                           at->count / at->numbered);
        if (at->rank != NULL && at->x - 1 - utf8_columns(at->rank) > before)
            places_label(p, at->x - 1 - utf8_columns(at->rank), y - 1, "%s",
                         at->rank);
    }
    return true;
}

/* Tables are for collectives that cut a buffer into a share for each rank. */
static bool
place_table(struct places *p)
{
    const struct collective *c = p->schedule->collective;
    struct table *t;

    if (p->outlook == NULL ||
        (c->input != UNITS_RANKS && c->output != UNITS_RANKS) ||
        p->area.height < 1 + p->schedule->nranks)
        return false;
    if (p->own == NULL)
        p->own = table_new(p);
    t = p->own;
    if (!place_parts(p, t->parts, HEAD_ROWS, GAP_LEAST, AIR_MOST))
        return false;
    add_table_spots(t);
    return true;
}

/* The table says more than the links if the data only changes its place: in an
 * all-to-all, a gather, a scatter. */
static bool
table_leads(const struct schedule *s)
{
    const struct collective *c = s->collective;

    return !c->reduces && (c->input == UNITS_RANKS ||
                           (c->output == UNITS_RANKS &&
                            c->output_at == AT_ROOT));
}

/* Columns have the numbers that slots have in their regions, and regions their
 * names, as far as there are rows for both. */
static bool
place_matrix(struct places *p)
{
    const struct schedule *s = p->schedule;
    const struct outlook *o = p->outlook;
    int scratch = schedule_scratch(s), slot = 0;
    int output = s->in_place ? scratch : schedule_output(s, s->root).first;
    int sum = o == NULL ? s->nranks : 1; /* the most in any */
    struct part parts[PARTS] = {
        {.title = s->in_place ? "" : _("input"), .count = output},
        {.title = _("output"), .count = scratch - output},
        {.title = _("scratch"), .count = s->nslots - scratch}};

    for (int step = 0; o != NULL && step <= s->nsteps; step++)
        sum = most(sum, o->most[step].parts);
    for (int i = 0; i < PARTS; i++) {
        parts[i].numbered = 1;
        parts[i].contributions = sum;
    }
    p->knows_chunk = p->slot_is_chunk;
    if (!place_parts(p, parts, s->in_place && s->scratch == 0 ? 1 : HEAD_ROWS,
                     0, 0))
        return false;
    for (int i = 0; i < PARTS; i++)
        for (int k = 0; k < parts[i].count; k++, slot++)
            for (int rank = 0; rank < s->nranks; rank++)
                places_spot(p, SCENE_NOW, rank, slot,
                            parts[i].x + k * parts[i].pitch,
                            places_row(p, rank), parts[i].width);
    return true;
}

const struct view view_table = {
    .name = N_("table"),
    .leads = table_leads,
    .place = place_table,
    .symbols = (const struct symbol[]){
        {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
        {"to 1", 0, N_("above the input: the column's data is for GPU 1")},
        {"from 1", 0, N_("above the output: the column is for GPU 1's data")},
        {"in transit", 0, N_("what a GPU has only to pass it on")},
        {"3/8", 0, N_("a sum with 3 of 8 contributions")},
        {NULL, GLYPH_EMPTY,
         N_("still to come; in the input, as what is faint: it has left")},
        {"+ =", 0, N_("this step added to the slot, replaced it")},
        {NULL, GLYPH_SENDS, N_("the next step sends it")},
        {NULL, 0, NULL}},
};

const struct view view_matrix = {
    .name = N_("matrix"),
    .place = place_matrix,
    .symbols = (const struct symbol[]){
        {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
        {"3/8", 0, N_("a sum with 3 of 8 contributions")},
        {"S", 0, N_("complete: the sum over all GPUs")},
        {"+ =", 0, N_("this step added to the slot, replaced it")},
        {NULL, GLYPH_SENDS, N_("the next step sends it")},
        {NULL, GLYPH_EMPTY, N_("an empty slot")},
        {"*", 0, N_("a contribution that is in a sum several times")},
        {NULL, 0, NULL}},
};
