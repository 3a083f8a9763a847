/* SPDX-License-Identifier: MIT */
/* The contents of a slot, and its name; one spelling in pictures, sentences and
 * lists:
 *
 *     A3          chunk 3 of rank 0
 *     A3+E3+F3    a sum; its terms are in the order of ranks
 *     AEFGH 3     a longer one: the letters of its ranks, then the chunk, which
 *                 goes without saying if there is only one
 *     12/16 3     a still longer one: how many contributions of how many; in
 *                 words "12/16 of chunk 3"
 *     S3          a complete sum
 *     2*C1, C?    an error: added twice; a mix of several chunks
 *
 * Pictures choose by the room that they have (draw/block.h), sentences and
 * lists by the length of the sum. */
#ifndef TEXT_SUM_H
#define TEXT_SUM_H

#include "base/buf.h"
#include "model/world.h"

struct contribution {
    int rank, times, chunk; /* chunk -1: several */
    bool faulty; /* it was added more than once, or mixes several chunks */
};

struct sum {
    struct contribution parts[LEDGER_RANKS]; /* in the order of ranks */
    int nparts;    /* above LEDGER_RANKS ranks there is no list: 0 */
    int64_t count; /* of contributions; 0: the slot is empty */
    int chunk;     /* of all; -1: several, or unknown */
    bool complete, faulty;
};

/* Sets *s to what is in a row. */
void sum_of(const struct world *w, const uint64_t *row, struct sum *s);

/* Appends the name of what is in a row; nothing for an empty slot. */
void sum_name(const struct world *w, const uint64_t *row, struct buf *out);

/* The first flaw of a run that ends wrong: where, when, and in words. */
struct flaw {
    int step, rank, slot;
};

/* The first slot that holds a contribution twice, or mixes chunks; if there is
 * none, the first output that ends as something else than was promised.  All
 * steps of the world must be complete. */
struct flaw flaw_find(const struct world *w);

/* Appends "GPU 6 slot 2 has F twice", what it lacks, or what it holds. */
void flaw_name(const struct world *w, const struct flaw *f, struct buf *out);

#endif
