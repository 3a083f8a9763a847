/* SPDX-License-Identifier: MIT */
/* Where the parts of the view table are; arithmetic only.
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
 * step needs is in transit. */
#ifndef VIEW_TABLE_LAYOUT_H
#define VIEW_TABLE_LAYOUT_H

#include "draw/block.h"

enum table_part { TABLE_INPUT, TABLE_TRANSIT, TABLE_OUTPUT, TABLE_PARTS };

struct table_columns {
    int x;
    int count;     /* 0: the part is not shown */
    int width;     /* of a block */
    int pitch;     /* columns from a block to the next */
    bool numbered; /* each rank has its columns; their numbers are above */
    bool marked;   /* there are columns for marks between the blocks */
    enum block_form form;
};

struct table {
    const struct schedule *schedule;
    const struct outlook *outlook;
    int16_t *transit; /* [rank * nslots + slot]: its column in transit, or -1 */
    int pad;          /* of blocks, see draw/block.h */
    struct table_columns parts[TABLE_PARTS];
    int label_x, label_width;
    int y, pitch; /* of rank 0's row; rows from a rank to the next */
    bool tall;    /* blocks are two rows high */
    bool values;  /* the row below a block shows its values */
    int titles_y; /* of the parts' titles */
    int heads_y;  /* of the columns' numbers; without room also titles_y */
};

/* Where a slot's data is drawn. */
struct table_place {
    int part;   /* enum table_part, or -1: nowhere, no step needs the data */
    int column; /* in the part */
};

/* Returns false if the scene does not fit, or the collective has no table.
 * Otherwise the caller frees it with table_done(). */
bool table_arrange(struct table *t, const struct scene *s, struct rect area);
void table_done(struct table *t);

/* The place of a slot's data after a step; step 0 is the input. */
struct table_place table_place(const struct table *t, int step, int rank,
                               int slot);

/* The left end of the block at a place. */
struct point table_point(const struct table *t, int rank,
                         struct table_place place);

#endif
