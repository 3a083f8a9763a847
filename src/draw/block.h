/* SPDX-License-Identifier: MIT */
/* Blocks: the contents of a slot, drawn to show which ranks contributed.
 *
 *     whole   ▐A1▌           one contribution, in its rank's colour
 *             ▐A1▌C1▌        a partial sum: its contributions, joined
 *             ▐  S1  ▌▌      a complete sum, with a stripe of every colour
 *     short   A1+C1          the name (text/sum_name.h), or without room for it
 *             ▌▌1            the colours of the ranks, then the chunk
 *     pair    A1  ▃1  S1     the same as a cell, then the chunk
 *     cell    A  ▃  S        one column: the rank, the sum's level, complete;
 *             0  1  2        the chunk's last digit, if all data is the root's
 *     letters ACD            a column for each contribution, or their colours
 *
 * Every contribution adds one piece to a block.  In ASCII the whole form is
 * [A1+C1].  Contributions that arrived twice and mixed chunks are red: !2*C1.
 * Contributions that were lost are struck out, where there is room: ▐A1▌╳C1 */
#ifndef DRAW_BLOCK_H
#define DRAW_BLOCK_H

#include "draw/canvas.h"
#include "draw/glyph.h"
#include "model/scene.h"

enum block_form {
    BLOCK_WHOLE,
    BLOCK_SHORT,
    BLOCK_PAIR,
    BLOCK_CELL,
    BLOCK_LETTERS
};

struct block {
    const struct world *world;
    const uint64_t *row;
    enum glyph_set glyphs;
    enum block_form form;
    int width;    /* columns available */
    int pad;      /* in the whole form: blanks on each side of a name */
    bool sums;    /* complete sums are drawn as S1 */
    bool changed; /* the last step changed it: it is highlighted */
    bool trace;   /* draw only the name, in its colours, without a ground */
    bool wrong;   /* in the forms of cells: drawn as !, for lack of a mark */
    struct lost lost; /* what it lacks */
    bool faint;   /* draw only the name, faintly: it has not happened yet, or
                   * other data is followed */
};

/* The width of the widest block of a run in the whole form, and the least width
 * at which the short form is useful. */
int block_columns_whole(const struct schedule *s, int pad);
int block_columns_short(const struct schedule *s);
int block_columns_pair(const struct schedule *s);

/* Draws the block from column x on. Returns the columns that it takes, at most
 * b->width. If c is NULL, only measures it. */
int block_draw(const struct block *b, struct canvas *c, int x, int y);

/* Draws a second row below a block that has been drawn: its colours, without
 * its letters. */
void block_draw_lower(const struct block *b, struct canvas *c, int x, int y);

/* Draws the first values of a block's slot, in b->width columns. */
void block_draw_values(const struct block *b, struct canvas *c, int x, int y);

#endif
