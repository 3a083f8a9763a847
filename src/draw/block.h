/* SPDX-License-Identifier: MIT */
/* A block: what a slot holds, as a bar that says whose data was added up.
 *
 * The bar has a colour for each contribution, side by side in the order of
 * ranks, and is as long as the sum has come.  The name stands on it, a count
 * behind it.  A picture has one form; letters are in each where they fit:
 *
 *     names      A3+E3+F3       every contribution
 *     letters    AEF 3          the ranks, then the chunk
 *     count      3/8 3          how many of how many, then the chunk
 *     bar        3              a tile: how many, on one hue, the brighter the
 *                               more have come
 *
 * One contribution is A3 in each form, or A in a tile without room.  A complete
 * sum is S3, in one colour and as long as its slot.
 * Contributions that arrived twice and mixed chunks are red: !2*C1.  Lost data
 * is struck out behind the bar: A1 ╳C1, or with less room only A1╳ */
#ifndef DRAW_BLOCK_H
#define DRAW_BLOCK_H

#include "draw/canvas.h"
#include "model/holdup.h"

enum block_form { BLOCK_NAMES, BLOCK_LETTERS, BLOCK_COUNT, BLOCK_BAR };

enum { HEAT_RANKS = 32 };

struct block {
    const struct world *world;
    const uint64_t *row;
    enum block_form form;
    int width, height; /* columns and rows available; height 0 means 1 */
    bool knows_chunk;  /* the place says which chunk it is */
    bool snug;         /* the bar is as long as its name, and is not drawn as a
                        * trace if that has no room */
    int chunks;        /* it stands for so many in a row: A3-6; 0: for one */
    bool others;       /* it stands for other data, too: A3.. */
    bool changed;      /* the last step changed it: it is highlighted */
    bool trace;        /* only the name, in its colours, without a ground */
    bool faint;        /* only the name, faintly: it has not happened yet, or
                        * other data is followed */
    bool wrong;        /* drawn as !, for lack of a mark beside it */
    struct lost lost;  /* what it lacks */
};

/* The columns that the form needs for sums of up to `parts` contributions, and
 * for complete ones, of one chunk. */
int block_columns(const struct schedule *s, enum block_form form, int parts,
                  bool knows_chunk);

/* The columns that `chunks` and `others` add to it. */
int block_range_columns(const struct block *b);

/* Draws the block from column x on. Returns the columns that it takes, at most
 * b->width; outside the canvas it is only measured. */
int block_draw(const struct block *b, struct canvas *c, int x, int y);

/* Draws the first values of a block's slot, in b->width columns. */
void block_draw_values(const struct block *b, struct canvas *c, int x, int y);

/* Draws a rank's badge in a run that is held up (model/holdup.h; NULL: it is
 * not), in at most `room` columns, or only its sign.  A rank that holds others
 * up has a clock and the time awaited, or a warning if it does so for ever.
 * Each of the others has an arrow that pulses, and the rank that it waits for.
 * Returns the columns that it takes; 0: the rank has none.
 *
 *     ◷ 3 s        ! for ever        ◀ GPU 2
 */
int badge_draw(const struct holdup *h, int rank, struct canvas *c,
               struct point at, int room);

#endif
