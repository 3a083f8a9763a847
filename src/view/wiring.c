/* SPDX-License-Identifier: MIT */
#include "view/wiring.h"

#include <assert.h>
#include <stdio.h>

enum { COLUMNS_MOST = 16, AIR_MOST = 16, CROWD_LEAST = 8 };

/* Ways to draw boxes, best first, and the least space between them. */
static const struct trial {
    enum block_form form;
    bool framed, tall, values;
    int slot_height, pad;
    int gap_x, gap_y;
} trials[] = {
    {BLOCK_WHOLE, true, true, true, 4, 3, 8, 3},
    {BLOCK_WHOLE, true, false, true, 2, 1, 8, 3},
    {BLOCK_WHOLE, true, true, true, 4, 0, 8, 3},
    {BLOCK_WHOLE, true, false, false, 1, 1, 8, 3},
    {BLOCK_WHOLE, true, false, false, 1, 0, 8, 3},
    {BLOCK_SHORT, true, false, false, 1, 0, 8, 3},
    {BLOCK_SHORT, true, false, false, 1, 0, 6, 2},
    {BLOCK_SHORT, false, false, false, 1, 0, 4, 2},
    {BLOCK_PAIR, true, false, false, 1, 1, 4, 2},
    {BLOCK_PAIR, false, false, false, 1, 1, 4, 2},
    {BLOCK_CELL, true, false, false, 1, 0, 4, 2},
    {BLOCK_PAIR, false, false, false, 1, 1, 2, 1},
    {BLOCK_PAIR, false, false, false, 1, 0, 1, 1},
    {BLOCK_CELL, false, false, false, 1, 0, 3, 2},
    {BLOCK_CELL, false, false, false, 1, 0, 2, 1},
    {BLOCK_CELL, false, false, false, 1, 0, 1, 1},
};

bool
wiring_spread(int count, int size, int gap, int room, int *pitch, int *first)
{
    int air = count > 1 ? (room - count * size) / (count - 1) : 0;

    if (count * size + (count - 1) * gap > room)
        return false;
    if (air > (size > AIR_MOST ? size : AIR_MOST))
        air = size > AIR_MOST ? size : AIR_MOST;
    *pitch = size + air;
    *first = (room - (count * *pitch - air)) / 2;
    return true;
}

struct rect
wiring_box(const struct wiring *w, int rank)
{
    return (struct rect){w->corners[rank].x, w->corners[rank].y, w->box.width,
                         w->box.height};
}

struct path *
wiring_link(struct wiring *w, int a, int b, int group)
{
    struct link *link = &w->links[w->nlinks++];

    assert(w->nlinks <= WIRING_LINKS_MOST);
    *link = (struct link){.a = a, .b = b, .group = group};
    return &link->path;
}

/* Tries boxes with few columns first, because slots one above the other are
 * easy to compare.  A box without marks beside its slots must be full. */
static bool
try_box(struct wiring *w, struct rect area, wiring_place *place)
{
    int most = w->box.nslots < COLUMNS_MOST ? w->box.nslots : COLUMNS_MOST;

    for (int columns = 1; columns <= most; columns++) {
        if (rank_box_is_compact(&w->box) && w->box.nslots % columns != 0)
            continue;
        w->box.slot_columns = columns;
        w->nlinks = 0;
        rank_box_measure(&w->box);
        if (place(w, area))
            return true;
    }
    return false;
}

bool
wiring_arrange(struct wiring *w, const struct scene *scene, struct rect area,
               wiring_place *place)
{
    const struct schedule *s = scene->world->schedule;

    if (s->nranks < 2 || s->nranks > WIRING_RANKS_MOST)
        return false;
    w->schedule = s;
    w->step = scene_step(scene);
    w->crowded = wiring_is_crowded(s, w->step);
    w->selected = scene->selected;
    w->lanes[0] = w->lanes[1] = -1;
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        const struct trial *t = &trials[i];
        bool whole = t->form == BLOCK_WHOLE;
        w->box = (struct rank_box){
            .framed = t->framed, .nslots = s->nslots, .form = t->form,
            .slot_height = t->slot_height, .values = t->values, .pad = t->pad,
            .tall = t->tall,
            .name_width = snprintf(NULL, 0, "%d", s->nranks - 1),
            .index_width =
                whole ? snprintf(NULL, 0, "%d", s->nslots - 1) : 0,
            .slot_width = whole ? block_columns_whole(s, t->pad)
                          : t->form == BLOCK_SHORT ? block_columns_short(s)
                          : t->form == BLOCK_PAIR  ? block_columns_pair(s)
                                                   : 1};
        w->gap_x = t->gap_x;
        w->gap_y = t->gap_y;
        if (try_box(w, area, place))
            return true;
    }
    return false;
}

bool
wiring_is_crowded(const struct schedule *s, int step)
{
    size_t n = (size_t)s->nranks;

    size_t count;

    schedule_transfers(s, step, &count);
    return n >= CROWD_LEAST && 2 * count >= n * (n - 1) &&
           2 * schedule_step_pairs(s, step) >= n * (n - 1);
}
