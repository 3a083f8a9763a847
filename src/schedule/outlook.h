/* SPDX-License-Identifier: MIT */
/* The outlook: what every slot will hold after every step if all goes as
 * scheduled, and which of that is still needed.
 *
 * A slot is needed after a step if a later step sends it, or adds to it, for
 * the sake of some rank's output, or if it already is part of an output.  So
 * what a rank still needs halves in a reduce-scatter, and grows in an
 * all-gather.
 *
 *     struct outlook *o = outlook_new(s);
 *     const struct outlook_slot *slot = outlook_slot(o, 3, rank, 0);
 *     outlook_free(o);
 */
#ifndef SCHEDULE_OUTLOOK_H
#define SCHEDULE_OUTLOOK_H

#include "base/buf.h"
#include "schedule/schedule.h"

enum {
    OUTLOOK_RANKS_MOST = 16,
    OUTLOOK_CELLS_MOST = 1 << 18, /* slots of all ranks, at all steps */
    OUTLOOK_MIXED = 0xffff,       /* a sum of different chunks */
};

struct outlook_slot {
    uint16_t ranks; /* bit r: rank r's data is in the slot; 0: empty */
    uint16_t chunk;
    bool needed;
};

/* The most that any rank needs at a time. */
struct outlook_most {
    int slots;
    int parts; /* contributions in one of them; a complete sum does not count */
};

struct outlook {
    const struct schedule *schedule; /* borrowed */
    struct outlook_slot *slots; /* [(step * nranks + rank) * nslots + slot] */
    struct outlook_most *most;  /* by step, from 0 */
};

/* Returns NULL if the schedule exceeds the limits above. */
struct outlook *outlook_new(const struct schedule *s);
void outlook_free(struct outlook *o);

/* What a slot holds after a step; step 0 is the input. */
const struct outlook_slot *outlook_slot(const struct outlook *o, int step,
                                        int rank, int slot);

/* Adds its name: "A1+C1", with all terms; nothing for an empty slot. */
void outlook_name(const struct outlook *o, int step, int rank, int slot,
                  struct buf *out);

/* Whether a rank holds anything after a step that is still needed. */
bool outlook_needs(const struct outlook *o, int step, int rank);

#endif
