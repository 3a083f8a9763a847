/* SPDX-License-Identifier: MIT */
/* The matrix: a row for each rank, a column for each slot.
 *
 *            input       output      scratch
 *            0   1   2   0   1   2   0
 *     GPU 0  A0  A1  A2  A0  ·   ·   C2 */
#include "base/bounds.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "view/painter.h"
#include "view/view.h"

/* Numbers the slots, from 0 in each region, and names the regions in the row
 * `titles_y`, if they have one: one without a name is input and output. */
static void
add_heads(struct places *p, int x, int titles_y, int y, int pitch)
{
    const struct schedule *s = p->schedule;
    int scratch = schedule_scratch(s);
    int input = s->in_place ? scratch : schedule_output(s, s->root).first;
    const struct {
        const char *title;
        int first, end;
    } regions[] = {{s->in_place ? "" : _("input"), 0, input},
                   {_("output"), input, scratch},
                   {_("scratch"), scratch, s->nslots}};

    for (int i = 0; i < 3; i++) {
        int slots = regions[i].end - regions[i].first;
        int left = x + regions[i].first * pitch;
        if (slots == 0)
            continue;
        places_heads(p, left, y, pitch, slots);
        if (titles_y < y && utf8_columns(regions[i].title) < slots * pitch)
            places_label(p, left, titles_y, regions[i].title);
    }
}

static bool
place(struct places *p, struct rect area)
{
    const struct schedule *s = p->schedule;
    const struct outlook *o = p->scene->world->outlook;
    int parts = o == NULL ? s->nranks : 1; /* the most in any sum */
    int label = places_names(s) + 1, width, pitch, all, x, y, row_pitch;
    int heads = s->in_place && s->scratch == 0 ? 1 : 2;

    for (int step = 0; o != NULL && step <= s->nsteps; step++)
        parts = most(parts, o->most[step].parts);
    width = places_columns(p, parts, p->slot_is_chunk);
    pitch = width + (p->look.marked ? 2 : p->look.grow > 0);
    all = label + s->nslots * pitch;
    if (all > area.width || s->nslots < 1)
        return false;
    x = area.x + (area.width - all) / 2;
    while (!places_ranks(p, area, x, heads, &y, &row_pitch))
        if (--heads < 0)
            return false;
    x += label + p->look.marked;
    if (heads > 0)
        add_heads(p, x, y - heads, y - 1, pitch);
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
    {"+ =", 0, N_("this step added to the slot, replaced it")},
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
};
