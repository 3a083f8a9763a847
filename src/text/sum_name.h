/* SPDX-License-Identifier: MIT */
/* The names of data: one notation, wherever data is named on the screen.
 *
 *     A1             chunk 1 of rank 0
 *     A1+C1          a sum; its terms are in the order of ranks
 *     A3+E..H3       a sum of five or more: three or more consecutive ranks are
 *                    one term, from E to H; ranges do not pass the last rank
 *     2*C1, C?       an error: added twice; a mix of several chunks
 *     S1             the complete sum of chunk 1, if the step names it so
 *                    (scene_names_sums), or if it is a sum of five or more
 *     12/100         above 64 ranks: how many contributions there are
 *
 * A name does not depend on the room for it.  Where there is no room for it,
 * there is a picture instead: the colours of the ranks, then the chunk. */
#ifndef TEXT_SUM_NAME_H
#define TEXT_SUM_NAME_H

#include "base/buf.h"
#include "model/scene.h"

enum { SUM_TERM_MAX = 32 };

/* A contribution, or a range of them. */
struct sum_term {
    int first, last; /* ranks */
    int times, chunk; /* chunk -1: several */
};

/* The terms of a sum, none for an empty slot or above LEDGER_RANKS ranks. */
int sum_terms(const struct world *w, const uint64_t *row,
              struct sum_term terms[LEDGER_RANKS]);

/* Writes "E..H3". Returns `text`. */
const char *sum_term_text(const struct sum_term *term,
                          char text[SUM_TERM_MAX]);

/* Whether a row is named as a complete sum; `sums`: the step names them. */
bool sum_is_complete(const struct world *w, const uint64_t *row, bool sums,
                     int *chunk);

/* Appends the name of what is in a row; nothing for an empty slot. */
void sum_name(const struct world *w, const uint64_t *row, bool sums,
              struct buf *out);

#endif
