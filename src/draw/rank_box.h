/* SPDX-License-Identifier: MIT */
/* Ranks as boxes of slots, for views that show where ranks stand.
 *
 *     ╭─ GPU 0 ─────────╮      0  the slot's number
 *     │0 ▐A0▌           │      +  was added to in this step
 *     │1+▐A1▌C1▌        │      =  was replaced
 *     │2 ▐A2▌          ›│      ›  is sent in the next
 *     ╰─────────────────╯
 *
 * A box has the same shape for all ranks.  The smallest is without a frame, a
 * cell a slot, under the rank's name:  GPU 0
 *                                      A▃S▃  */
#ifndef DRAW_RANK_BOX_H
#define DRAW_RANK_BOX_H

#include "draw/block.h"

struct rank_box {
    bool framed;
    int nslots;
    int slot_columns, slot_rows; /* slots of a box, filled column by column */
    int slot_width;              /* without marks and gaps */
    int index_width;             /* of the number before it */
    int slot_height;             /* rows to the next one below */
    bool tall;                   /* blocks are two rows high */
    bool values;                 /* the row below a block is for numbers */
    enum block_form form;
    int pad; /* of blocks in whole form */
    int name_width; /* of the shortest name of a rank: its number */
    int width, height; /* of it all: by rank_box_measure() */
};

void rank_box_measure(struct rank_box *b);

/* Where a slot's block begins in a box at `corner`; the mark for what changed
 * is one column to the left, that for what is sent next at x + slot_width. */
struct point rank_box_slot(const struct rank_box *b, struct point corner,
                           int slot);

/* The boxes of a scene. */
struct rank_boxes {
    const struct scene *scene;
    struct canvas *canvas;
    const struct rank_box *shape;
    const struct point *corners; /* by rank */
    bool sums;                   /* complete sums are named */
};

/* All of them, with marks for what has changed and what is sent next. */
void rank_boxes_draw(const struct rank_boxes *b);

/* A block as slots show it, that stands out. */
struct block rank_boxes_block(const struct rank_boxes *b, const uint64_t *row);

/* The rank whose box is there, -1 for none. */
int rank_box_at(const struct rank_box *b, const struct point *corners,
                int nranks, struct point at);

#endif
