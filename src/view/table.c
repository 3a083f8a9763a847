/* SPDX-License-Identifier: MIT */
/* The table: input and output side by side, a row for each rank.
 *
 *             input          in transit       output
 *          to 0   1   2                  from 0   1   2     heads
 *     GPU 0   A0  A1  A2     C1               A0  ·   C0    a row for each rank
 *     GPU 1   B0  B1  B2     A2               A1  B1  ·
 *
 * A block stands where its content says, not where it is in memory.  Data of
 * the rank itself is in the input until no step needs it there any more, even
 * if the algorithm copied it to other slots.  Data that is in the rank's
 * output, in the right slot, is in the output.  All other data that a later
 * step needs is in transit.
 *
 * So a block leaves the input and lands at its place in the output; in an
 * all-to-all that is the transposed place, so the table turns.  What has left
 * the input is faint there, what the output still lacks is a dot. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "view/painter.h"
#include "view/view.h"

enum {
    GAP_LEAST = 2,  /* columns between two parts */
    AIR_MOST = 12,  /* columns added to it if there is room */
    HEAD_ROWS = 2,
};

enum part { INPUT, TRANSIT, OUTPUT, PARTS };

/* Where a slot's data stands: in a part, or -1, nowhere, and in which column
 * of it. */
struct stand {
    int part, column;
};

struct table {
    struct places *places;
    const struct schedule *schedule;
    const struct outlook *outlook;
    struct columns {
        int x, count; /* 0: the part is not shown */
        int parts;    /* contributions in a block */
        int width, pitch;
        int title;
    } columns[PARTS];
    int y, pitch;      /* of rank 0's row; rows from a rank to the next */
    int16_t transit[]; /* [rank * nslots + slot]: its column, or -1 */
};

static const struct stand nowhere = {-1, 0};

static size_t
cell_of(const struct table *t, int rank, int slot)
{
    return (size_t)rank * (size_t)t->schedule->nslots + (size_t)slot;
}

static const char *
title_of(enum part part)
{
    return part == INPUT     ? _("input")
           : part == TRANSIT ? _("in transit")
                             : _("output");
}

/* Whether the data is all or a part of what the output slot must hold. */
static bool
fulfils(const struct table *t, const struct outlook_slot *data, int rank,
        int slot)
{
    struct region out = schedule_output(t->schedule, rank);
    struct promise promise;

    if (!region_has(out, slot))
        return false;
    promise = schedule_promise(t->schedule, rank, slot - out.first);
    return data->chunk == promise.chunk &&
           (promise.origin == PROMISE_ALL ||
            data->ranks == 1u << promise.origin);
}

/* Own data that is to be added to stays in the input until then. */
static bool
is_output(const struct table *t, int step, const struct outlook_slot *data,
          int rank, int slot)
{
    bool sum = t->schedule->collective->reduces && t->schedule->nranks > 1;

    return step > 0 && fulfils(t, data, rank, slot) &&
           !(sum && data->ranks == 1u << rank);
}

static struct stand
stand_of(const struct table *t, int step, int rank, int slot)
{
    const struct outlook_slot *data =
        outlook_slot(t->outlook, step, rank, slot);
    struct region in = schedule_input(t->schedule, rank);
    struct region out = schedule_output(t->schedule, rank);

    if (data->ranks == 0 || !data->needed)
        return nowhere;
    if (is_output(t, step, data, rank, slot))
        return (struct stand){OUTPUT, slot - out.first};
    if (data->ranks == 1u << rank && data->chunk < in.count)
        return (struct stand){INPUT, data->chunk};
    return (struct stand){TRANSIT, t->transit[cell_of(t, rank, slot)]};
}

/* Notes how many contributions the blocks of each part have, and which slots
 * are ever in transit. */
static void
look_at_step(struct table *t, int step)
{
    const struct schedule *s = t->schedule;

    for (int rank = 0; rank < s->nranks; rank++)
        for (int slot = 0; slot < s->nslots; slot++) {
            struct stand at = stand_of(t, step, rank, slot);
            int parts = __builtin_popcount(
                outlook_slot(t->outlook, step, rank, slot)->ranks);
            if (at.part < 0)
                continue;
            if (parts > t->columns[at.part].parts)
                t->columns[at.part].parts = parts;
            if (at.part == TRANSIT)
                t->transit[cell_of(t, rank, slot)] = 0;
        }
}

static void
count_columns(struct table *t)
{
    const struct schedule *s = t->schedule;
    struct columns *c = t->columns;

    for (int rank = 0; rank < s->nranks; rank++) {
        int count = 0;
        for (int slot = 0; slot < s->nslots; slot++)
            if (t->transit[cell_of(t, rank, slot)] >= 0)
                t->transit[cell_of(t, rank, slot)] = (int16_t)count++;
        if (count > c[TRANSIT].count)
            c[TRANSIT].count = count;
        if (schedule_input(s, rank).count > c[INPUT].count)
            c[INPUT].count = schedule_input(s, rank).count;
        if (schedule_output(s, rank).count > c[OUTPUT].count)
            c[OUTPUT].count = schedule_output(s, rank).count;
    }
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
    for (size_t i = 0; i < cells; i++)
        t->transit[i] = -1;
    for (int step = 0; step <= s->nsteps; step++)
        look_at_step(t, step);
    count_columns(t);
    return t;
}

static int
part_width(const struct table *t, enum part part)
{
    const struct columns *c = &t->columns[part];
    int width = (c->count - 1) * c->pitch + c->width;

    return width > c->title ? width : c->title;
}

/* Places the parts, with gaps as wide as there is room for. Returns the column
 * of the ranks' names, or -1 if there is not enough. */
static int
place_parts(struct table *t, struct rect area)
{
    int label = places_names(t->schedule);
    int width = label, gaps = 0, air, left, x;

    for (int part = 0; part < PARTS; part++) {
        struct columns *c = &t->columns[part];
        c->width = places_columns(t->places, c->parts, false);
        c->pitch = c->width + (t->places->look.marked ? 2
                               : t->places->look.grow > 0);
        c->title = utf8_columns(title_of(part));
        if (c->count > 0) {
            width += GAP_LEAST + part_width(t, part);
            gaps += part > 0;
        }
    }
    if (width > area.width)
        return -1;
    air = (area.width - width) / (gaps + 1);
    if (air > AIR_MOST)
        air = AIR_MOST;
    left = area.x + (area.width - width - gaps * air) / 2;
    x = left + label;
    for (int part = 0; part < PARTS; part++)
        if (t->columns[part].count > 0) {
            x += GAP_LEAST + (part > 0 ? air : 0);
            t->columns[part].x = x;
            x += part_width(t, part);
        }
    return left;
}

static struct spot *
add_spot(const struct table *t, int step, int rank, int slot,
         struct stand at)
{
    const struct columns *c = &t->columns[at.part];
    struct spot *spot = places_spot(t->places, step, rank, slot,
                                    c->x + at.column * c->pitch,
                                    t->y + rank * t->pitch, c->width);

    spot->plain = at.part == INPUT;
    return spot;
}

/* Whether a slot's data is needed after the step, too, at the same place or,
 * because its own rank keeps it, in the output. */
static bool
stays(const struct table *t, int rank, int slot, struct stand at)
{
    struct stand after = stand_of(t, t->places->scene->step, rank, slot);

    return (at.part == after.part && at.column == after.column) ||
           (at.part == INPUT && after.part == OUTPUT);
}

/* What the step in flight does to slots. */
enum { SENDS = 1, WRITES = 2 };

static uint8_t *
deeds_of(const struct table *t)
{
    const struct scene *s = t->places->scene;
    uint8_t *deeds = mem_new((size_t)t->schedule->nranks *
                                 (size_t)t->schedule->nslots, sizeof *deeds);

    for (size_t i = 0; s->step > 0 && i < s->nflights; i++) {
        const struct flight *f = &s->flights[i];
        const struct transfer *x = f->transfer;
        for (int k = 0; k < x->nslots; k++) {
            if (f->event != NULL && f->progress > 0)
                deeds[cell_of(t, x->src, x->src_slot + k)] |= SENDS;
            deeds[cell_of(t, x->dst, x->dst_slot + k)] |= WRITES;
        }
    }
    return deeds;
}

/* Adds what stood in the input, faintly, the slots as they are, and those that
 * the step in flight writes, where they will be, and the place that a lesson
 * asks about. */
static void
add_spots(struct table *t)
{
    const struct schedule *s = t->schedule;
    const struct scene *scene = t->places->scene;
    int now = scene->world->position;
    int asked_rank, asked_slot;
    uint8_t *deeds = deeds_of(t);

    for (int rank = 0; rank < s->nranks; rank++)
        for (int i = 0; i < schedule_input(s, rank).count; i++)
            add_spot(t, now, rank, schedule_input(s, rank).first + i,
                     (struct stand){INPUT, i})->ghost = true;
    for (int rank = 0; rank < s->nranks; rank++)
        for (int slot = 0; slot < s->nslots; slot++) {
            struct stand at = stand_of(t, now, rank, slot);
            if (at.part >= 0)
                add_spot(t, now, rank, slot, at)->gone =
                    deeds[cell_of(t, rank, slot)] & SENDS &&
                    !stays(t, rank, slot, at);
        }
    for (int rank = 0; rank < s->nranks && scene->step > 0; rank++)
        for (int slot = 0; slot < s->nslots; slot++) {
            struct stand at = stand_of(t, scene->step, rank, slot);
            if (at.part >= 0 && deeds[cell_of(t, rank, slot)] & WRITES)
                add_spot(t, scene->step, rank, slot, at);
        }
    free(deeds);
    if (scene_asks_about(scene, &asked_rank, &asked_slot) &&
        region_has(schedule_output(s, asked_rank), asked_slot))
        add_spot(t, t->places->step, asked_rank, asked_slot,
                 (struct stand){OUTPUT,
                                asked_slot -
                                    schedule_output(s, asked_rank).first})
            ->gone = true;
}

/* Adds the titles, and the numbers of the ranks that the columns are for or
 * from. */
static void
add_heads(struct table *t, int titles_y, int heads_y)
{
    const struct schedule *s = t->schedule;
    struct places *p = t->places;
    const bool numbered[PARTS] = {
        [INPUT] = s->collective->input == UNITS_RANKS,
        [OUTPUT] = s->collective->output == UNITS_RANKS};
    int end = INT_MIN; /* of the last number */

    for (int part = 0; part < PARTS; part++) {
        const char *word = part == INPUT ? _("to") : _("from");
        const struct columns *c = &t->columns[part];
        int x, before = end;
        if (c->count == 0)
            continue;
        places_label(p, c->x, titles_y, title_of(part))->pen =
            (struct pen){.attrs = ATTR_BOLD};
        if (!numbered[part] || heads_y == titles_y)
            continue;
        end = places_heads(p, c->x, heads_y, s->pieces * c->pitch,
                           c->count / s->pieces);
        x = c->x - 1 - utf8_columns(word);
        if (x > before)
            places_label(p, x, heads_y, word);
    }
}

/* Adds the dots of the output, which show until data is there. */
static void
add_dots(struct table *t)
{
    const struct columns *c = &t->columns[OUTPUT];

    for (int rank = 0; rank < t->schedule->nranks; rank++)
        for (int i = 0; i < schedule_output(t->schedule, rank).count; i++)
            places_dot(t->places, c->x + i * c->pitch + (c->width - 1) / 2,
                       t->y + rank * t->pitch);
}

/* The heads take two rows; without room for both, the titles one. */
static bool
place_rows(struct table *t, struct rect area, int label_x)
{
    for (int heads = HEAD_ROWS; heads > 0; heads--)
        if (places_ranks(t->places, area, label_x, heads, &t->y, &t->pitch)) {
            add_heads(t, t->y - heads, t->y - 1);
            add_dots(t);
            return true;
        }
    return false;
}

/* Tables are for collectives that cut a buffer into a share for each rank. */
static bool
place(struct places *p, struct rect area)
{
    const struct collective *c = p->schedule->collective;
    struct table *t;
    int label_x;

    if (p->scene->world->outlook == NULL ||
        (c->input != UNITS_RANKS && c->output != UNITS_RANKS) ||
        area.height < 1 + p->schedule->nranks)
        return false;
    if (p->own == NULL)
        p->own = table_new(p);
    t = p->own;
    label_x = place_parts(t, area);
    if (label_x < 0 || !place_rows(t, area, label_x))
        return false;
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

static const struct symbol symbols[] = {
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
    .place = place,
    .symbols = symbols,
    .moves = true,
};
