/* SPDX-License-Identifier: MIT */
/* Transfers as people type them:
 *
 *     0>1 +A2      GPU 0 sends its slot 2 to GPU 1, which adds it to its own
 *     0>1 =A2      the same, but it replaces what is there; so does 0>1 A2
 *     0>1 +2       the letters may be left out
 *     0>1 +A2+C2   or AC2, or S2 for a complete sum: all of the names that the
 *                  picture has
 *     0>1 =2..4    slots 2 to 4
 *     0>1 =A2@5    which lands in slot 5
 *
 * Several are separated by blanks, commas or semicolons: "0>1 +1, 1>2 +2".
 * Letters say nothing about the transfer; they are compared with what the
 * sender holds, so that a slip is noticed. */
#ifndef TEXT_NOTATION_H
#define TEXT_NOTATION_H

#include "base/buf.h"
#include "base/err.h"
#include "model/world.h"

struct notation {
    int nranks;
    int first, nslots; /* slots as they are typed count from the first; so many
                        * of a rank can be named */
    const struct world *world; /* in which the senders are; NULL: letters are
                                * not compared with anything */
    int position; /* the step after which the transfers take place */
};

/* The output slots and the scratch slots of a run; after step `position`. */
struct notation notation_of(const struct world *w, int position);

/* Reads a line into list[0] to list[*count - 1].  Returns false, with the
 * reason in *err, if it is none, has more than `most` transfers, or none. */
bool notation_read(const struct notation *n, const char *typed,
                   struct transfer *list, size_t most, size_t *count,
                   struct err *err);

/* Appends "0>1 +2", which notation_read() reads as the same transfer if it
 * adds to the slot that it writes. */
void notation_add(const struct notation *n, const struct transfer *t,
                  struct buf *out);

#endif
