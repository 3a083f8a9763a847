/* SPDX-License-Identifier: MIT */
/* Ranks as boxes of slots, for views that show how ranks are arranged.
 *
 *     ╭─ GPU 0 ─────────╮      0  the slot's number
 *     │0 ▐A0▌           │      +  this step added to the slot
 *     │1+▐A1▌C1▌        │      =  this step replaced its data
 *     │2 ▐A2▌          ›│      ›  the next step sends it
 *     ╰─────────────────╯
 *
 * If there are several hosts, the upper line also names the rank's host:
 * ╭─ GPU 0 ─── cv1 ─╮
 *
 * The boxes of all ranks have the same shape.  Small shapes have no frame, and
 * for each slot a pair of cells, with the chunk, or only one cell:
 *
 *      GPU 0         GPU 0
 *     A0 ▃1 S2       A▃S▃  */
#ifndef DRAW_RANK_BOX_H
#define DRAW_RANK_BOX_H

#include "draw/block.h"

struct rank_box {
    bool framed;
    int nslots;
    int slot_columns, slot_rows; /* slots of a box, filled column by column */
    int slot_width;              /* without marks and gaps */
    int index_width;             /* of the slot's number; 0: not shown */
    int slot_height;             /* rows from a slot to the next one below */
    bool tall;                   /* blocks are two rows high */
    bool values;                 /* the row below a block shows its values */
    enum block_form form;
    int pad;           /* padding of blocks in the whole form; in the pair
                        * form, columns between blocks */
    int name_width;    /* of a rank's shortest name, its number */
    int width, height; /* of the whole box, set by rank_box_measure() */
};

/* Whether slots have neither numbers nor marks beside them. */
bool rank_box_is_compact(const struct rank_box *b);

void rank_box_measure(struct rank_box *b);

/* The left end of a slot's block in a box at `corner`. The mark for a change is
 * in the column before it, the mark for sending at x + slot_width. */
struct point rank_box_slot(const struct rank_box *b, struct point corner,
                           int slot);

/* The boxes of a scene. */
struct rank_boxes {
    const struct scene *scene;
    struct canvas *canvas;
    const struct rank_box *shape;
    const struct point *corners; /* by rank */
    bool sums;                   /* complete sums are drawn as S1 */
};

/* Draws all boxes, with marks on slots that have just changed or are sent
 * next. */
void rank_boxes_draw(const struct rank_boxes *b);

/* The block for a row of a slot, in the form that the boxes use. It is
 * highlighted. */
struct block rank_boxes_block(const struct rank_boxes *b, const uint64_t *row);

/* The rank whose box is at `at`, or -1. */
int rank_box_at(const struct rank_box *b, const struct point *corners,
                int nranks, struct point at);

#endif
