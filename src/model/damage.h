/* SPDX-License-Identifier: MIT */
/* The damage of a deliberate fault or a mismatch: which slots hold wrong data
 * after each step.
 *
 * This follows from the transfers. Data that was received with a fault, or
 * whose sender had more or less of it, is wrong, and so is what was made of it.
 * A slot is right again once right data replaces its content.  Unlike
 * contributions, this also shows data that was corrupted.
 *
 *     struct damage *d = damage_new(schedule);
 *     damage_add_step(d, events, count);
 *     if (damage_has(d, 1, rank, slot)) ...
 *     damage_free(d);
 */
#ifndef MODEL_DAMAGE_H
#define MODEL_DAMAGE_H

#include "event/event.h"

enum { DAMAGE_CELLS_MOST = 1 << 24 }; /* slots of all ranks, at all steps */

struct damage {
    const struct schedule *schedule; /* borrowed */
    int nsteps;                      /* steps added so far */
    bool *wrong; /* [(step * nranks + rank) * nslots + slot] */
};

/* Returns NULL if the schedule exceeds the limit above. */
struct damage *damage_new(const struct schedule *s);
void damage_free(struct damage *d);

/* Adds the next step, with all its events. */
void damage_add_step(struct damage *d, const struct event *events,
                     size_t count);

/* Marks a slot as wrong after a step that has been added. */
void damage_mark(struct damage *d, int step, int rank, int slot);

/* Whether a slot holds wrong data after a step. Returns false for steps that
 * have not been added. */
bool damage_has(const struct damage *d, int step, int rank, int slot);

/* The fault in a transfer of a step with these events (enum instr_fault), as
 * far as it is known. */
int damage_fault(const struct event *events, size_t count,
                 const struct transfer *t);

#endif
