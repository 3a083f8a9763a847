/* SPDX-License-Identifier: MIT */
/* Blocks: what is in a slot, drawn so that whose data it is can be seen.
 *
 *     whole   ▐A1▌           one contribution, in its rank's colour
 *             ▐A1▌C1▌        a partial sum: its contributions, joined
 *             ▐  S1  ▌▌      a complete sum, with a stripe of every colour
 *     short   A1  AC1  A-D1  letters of the ranks, then the chunk
 *     cell    A  ▃  S        one column: whose, how much of the sum, all
 *
 * A block grows by one piece with every contribution.  In ASCII the whole form
 * is [A1+C1].  What came more than once, or of several chunks, is red: !2*C1 */
#ifndef DRAW_BLOCK_H
#define DRAW_BLOCK_H

#include "draw/canvas.h"
#include "draw/glyph.h"
#include "model/scene.h"

enum block_form { BLOCK_WHOLE, BLOCK_SHORT, BLOCK_CELL };

struct block {
    const struct world *world;
    const uint64_t *row;
    enum glyph_set glyphs;
    enum block_form form;
    int width;    /* columns it may take */
    int pad;      /* of the whole form: blanks around each name */
    bool sums;    /* complete sums are named */
    bool changed; /* by the step that led here: stands out */
    bool trace;   /* the name alone, in its colours */
};

/* Columns of the widest block of a run, in its whole form, and the fewest
 * that the short form makes sense in. */
int block_columns_whole(const struct schedule *s, int pad);
int block_columns_short(const struct schedule *s);

/* Draws it from x on. Returns its columns, at most `width`; with c NULL it is
 * only measured. */
int block_draw(const struct block *b, struct canvas *c, int x, int y);

#endif
