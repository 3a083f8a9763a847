/* SPDX-License-Identifier: MIT */
#include "view/table_layout.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"

enum {
    GAP_LEAST = 2,  /* columns between two parts */
    AIR_MOST = 12,  /* columns added to it if there is room */
    ROWS_APART = 2, /* blank rows between ranks if there is room */
    HEAD_ROWS = 2,
};

/* Ways to draw the blocks, best first.  The numbers above the columns of the
 * input say what a letter there leaves out. */
static const struct trial {
    enum block_form input, others;
    int pad;
    int input_between, between; /* columns between two blocks */
} trials[] = {
    {BLOCK_WHOLE, BLOCK_WHOLE, 2, 2, 2}, {BLOCK_WHOLE, BLOCK_WHOLE, 1, 1, 1},
    {BLOCK_WHOLE, BLOCK_WHOLE, 0, 1, 1}, {BLOCK_PAIR, BLOCK_PAIR, 0, 1, 1},
    {BLOCK_PAIR, BLOCK_PAIR, 0, 0, 1},   {BLOCK_PAIR, BLOCK_PAIR, 0, 0, 0},
    {BLOCK_CELL, BLOCK_PAIR, 0, 0, 1},   {BLOCK_CELL, BLOCK_PAIR, 0, 0, 0},
    {BLOCK_CELL, BLOCK_CELL, 0, 0, 0},
};

static const struct table_place nowhere = {-1, 0};

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

struct table_place
table_place(const struct table *t, int step, int rank, int slot)
{
    const struct outlook_slot *data =
        outlook_slot(t->outlook, step, rank, slot);
    struct region in = schedule_input(t->schedule, rank);
    struct region out = schedule_output(t->schedule, rank);
    int column;

    if (data->ranks == 0 || !data->needed)
        return nowhere;
    if (is_output(t, step, data, rank, slot))
        return (struct table_place){TABLE_OUTPUT, slot - out.first};
    if (data->ranks == 1u << rank && data->chunk < in.count)
        return (struct table_place){TABLE_INPUT, data->chunk};
    column = t->transit[rank * t->schedule->nslots + slot];
    return (struct table_place){TABLE_TRANSIT, column};
}

struct point
table_point(const struct table *t, int rank, struct table_place place)
{
    const struct table_columns *c = &t->parts[place.part];

    return (struct point){c->x + place.column * c->pitch,
                          t->y + rank * t->pitch};
}

/* What is known before the columns are placed. */
struct plan {
    struct table *table;
    int parts_most[TABLE_PARTS]; /* contributions in a block */
    int title[TABLE_PARTS];      /* width of its title */
};

static int
count_bits(unsigned bits)
{
    int count = 0;

    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

/* Notes how many contributions the blocks of each part have, and which slots
 * are ever in transit. */
static void
look_at_step(struct plan *p, int step)
{
    struct table *t = p->table;
    const struct schedule *s = t->schedule;

    for (int rank = 0; rank < s->nranks; rank++)
        for (int slot = 0; slot < s->nslots; slot++) {
            struct table_place at = table_place(t, step, rank, slot);
            int bits = count_bits(
                outlook_slot(t->outlook, step, rank, slot)->ranks);
            if (at.part < 0)
                continue;
            if (bits > p->parts_most[at.part])
                p->parts_most[at.part] = bits;
            if (at.part == TABLE_TRANSIT)
                t->transit[rank * s->nslots + slot] = 0;
        }
}

static void
look_ahead(struct plan *p)
{
    struct table *t = p->table;
    const struct schedule *s = t->schedule;

    for (int i = 0; i < s->nranks * s->nslots; i++)
        t->transit[i] = -1;
    for (int step = 0; step <= s->nsteps; step++)
        look_at_step(p, step);
    for (int rank = 0; rank < s->nranks; rank++) {
        int count = 0;
        for (int slot = 0; slot < s->nslots; slot++)
            if (t->transit[rank * s->nslots + slot] >= 0)
                t->transit[rank * s->nslots + slot] = (int16_t)count++;
        if (count > t->parts[TABLE_TRANSIT].count)
            t->parts[TABLE_TRANSIT].count = count;
        if (schedule_input(s, rank).count > t->parts[TABLE_INPUT].count)
            t->parts[TABLE_INPUT].count = schedule_input(s, rank).count;
        if (schedule_output(s, rank).count > t->parts[TABLE_OUTPUT].count)
            t->parts[TABLE_OUTPUT].count = schedule_output(s, rank).count;
    }
}

static int
block_width(const struct plan *p, enum table_part part, enum block_form form,
            int pad)
{
    const struct schedule *s = p->table->schedule;

    switch (form) {
    case BLOCK_WHOLE:
        return p->parts_most[part] *
                   ((block_columns_whole(s, pad) - 1) / s->nranks) + 1;
    case BLOCK_PAIR:
        return block_columns_pair(s);
    default:
        return 1;
    }
}

static int
part_width(const struct plan *p, enum table_part part)
{
    const struct table_columns *c = &p->table->parts[part];
    int width = (c->count - 1) * c->pitch + c->width;

    return width > p->title[part] ? width : p->title[part];
}

/* Places the parts with gaps as wide as there is room for. Returns false if
 * there is not enough. */
static bool
place_parts(struct plan *p, struct rect area)
{
    struct table *t = p->table;
    int width = t->label_width, gaps = 0, air, x;

    for (int part = 0; part < TABLE_PARTS; part++)
        if (t->parts[part].count > 0) {
            width += GAP_LEAST + part_width(p, part);
            gaps += part > 0;
        }
    if (width > area.width)
        return false;
    air = (area.width - width) / (gaps + 1);
    if (air > AIR_MOST)
        air = AIR_MOST;
    t->label_x = area.x + (area.width - width - gaps * air) / 2;
    x = t->label_x + t->label_width;
    for (int part = 0; part < TABLE_PARTS; part++)
        if (t->parts[part].count > 0) {
            x += GAP_LEAST + (part > 0 ? air : 0);
            t->parts[part].x = x;
            x += part_width(p, part);
        }
    return true;
}

static bool
try_form(struct plan *p, const struct trial *trial, struct rect area)
{
    struct table *t = p->table;

    t->pad = trial->pad;
    for (int part = 0; part < TABLE_PARTS; part++) {
        struct table_columns *c = &t->parts[part];
        bool input = part == TABLE_INPUT;
        int between = input ? trial->input_between : trial->between;
        c->form = input ? trial->input : trial->others;
        c->width = block_width(p, part, c->form, trial->pad);
        c->pitch = c->width + between;
        c->marked = between > 0;
    }
    return place_parts(p, area);
}

static void
place_rows(struct table *t, struct rect area)
{
    int n = t->schedule->nranks, last, spare;
    bool whole = t->parts[TABLE_INPUT].form == BLOCK_WHOLE && t->pad > 0;

    t->pitch = (area.height - HEAD_ROWS) / n;
    t->tall = whole && t->pitch >= 4;
    t->values = whole && t->pitch >= 3;
    last = 1 + t->tall + t->values;
    if (!t->values && t->pitch < 3)
        t->pitch = (area.height - HEAD_ROWS - 1) / (n - 1);
    if (t->pitch < 1)
        t->pitch = 1;
    if (t->pitch > last + ROWS_APART)
        t->pitch = last + ROWS_APART;
    spare = area.height - 1 - (n - 1) * t->pitch - last;
    t->titles_y = area.y + (spare > 1 ? (spare - 1) / 2 : 0);
    t->heads_y = t->titles_y + (spare > 0);
    t->y = t->heads_y + 1 + (spare > 3);
}

/* Tables are for collectives that cut a buffer into a share for each rank. */
static bool
has_table(const struct schedule *s)
{
    return s->nranks > 1 && (s->collective->input == UNITS_RANKS ||
                             s->collective->output == UNITS_RANKS);
}

bool
table_arrange(struct table *t, const struct scene *s, struct rect area)
{
    const struct schedule *schedule = s->world->schedule;
    struct plan p = {.table = t,
                     .title = {utf8_columns(_("input")),
                               utf8_columns(_("in transit")),
                               utf8_columns(_("output"))}};
    char name[SCENE_NAME_MAX];

    if (s->world->outlook == NULL || !has_table(schedule) ||
        area.height < 1 + schedule->nranks)
        return false;
    *t = (struct table){.schedule = schedule, .outlook = s->world->outlook};
    t->transit = mem_new((size_t)schedule->nranks * (size_t)schedule->nslots,
                         sizeof *t->transit);
    t->label_width =
        utf8_columns(scene_rank_name(schedule->nranks - 1, name));
    t->parts[TABLE_INPUT].numbered =
        schedule->collective->input == UNITS_RANKS;
    t->parts[TABLE_OUTPUT].numbered =
        schedule->collective->output == UNITS_RANKS;
    look_ahead(&p);
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
        if (try_form(&p, &trials[i], area)) {
            place_rows(t, area);
            return true;
        }
    table_done(t);
    return false;
}

void
table_done(struct table *t)
{
    free(t->transit);
}
