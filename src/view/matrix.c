/* SPDX-License-Identifier: MIT */
/* The matrix: a row for each rank, a column for each slot. */
#include "base/translate.h"
#include "view/painter.h"
#include "view/view.h"

/* The most contributions that any slot has in the run, at any step. */
static int
most_parts(const struct places *p)
{
    const struct outlook *o = p->scene->world->outlook;
    int parts = 1;

    if (o == NULL)
        return p->schedule->nranks;
    for (int step = 0; step <= p->schedule->nsteps; step++)
        if (o->most[step].parts > parts)
            parts = o->most[step].parts;
    return parts;
}

static bool
place(struct places *p, struct rect area)
{
    const struct schedule *s = p->schedule;
    int label = places_names(s) + 1;
    int width = places_columns(p, most_parts(p), p->slot_is_chunk);
    int pitch = width + (p->look.marked ? 2 : p->look.grow > 0);
    int all = label + s->nslots * pitch, x, y, row_pitch, heads = 1;

    if (all > area.width || s->nslots < 1)
        return false;
    x = area.x + (area.width - all) / 2;
    if (!places_ranks(p, area, x, heads, &y, &row_pitch) &&
        !places_ranks(p, area, x, heads = 0, &y, &row_pitch))
        return false;
    x += label + p->look.marked;
    if (heads > 0)
        places_heads(p, x, y - 1, pitch, s->nslots);
    for (int rank = 0; rank < s->nranks; rank++)
        for (int slot = 0; slot < s->nslots; slot++)
            places_spot(p, PLACES_NOW, rank, slot, x + slot * pitch,
                        y + rank * row_pitch, width)
                ->knows_chunk = p->slot_is_chunk;
    return true;
}

static const struct symbol symbols[] = {
    {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
    {"3/8", 0, N_("a sum with 3 of 8 contributions")},
    {"S", 0, N_("complete: the sum over all GPUs")},
    {"+", 0, N_("this step added to the slot")},
    {"=", 0, N_("this step replaced it")},
    {NULL, GLYPH_SENDS, N_("the next step sends it")},
    {NULL, GLYPH_EMPTY, N_("an empty slot")},
    {"*", 0, N_("a contribution that is in a sum several times")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};

const struct view view_matrix = {
    .name = N_("matrix"),
    .place = place,
    .symbols = symbols,
    .moves = true,
};
