/* SPDX-License-Identifier: MIT */
/* The selected slot: another one, the data in it followed through the run, the
 * next one that is wrong. */
#ifndef SCREEN_WATCH_SLOTS_H
#define SCREEN_WATCH_SLOTS_H

#include "screen/watch_state.h"

/* Selects the slot that is `by` slots further, unless there is none; says so if
 * no slot is looked at. */
void watch_select_slot(struct watch *w, int by);

/* Follows what the selected slot holds, or no longer if it is followed already.
 * Outside the inspector, begins with the slot that the words are about. */
void watch_follow(struct watch *w);

/* Selects a slot: the inspector shows it, or else what it holds is followed, or
 * no longer if it is followed already. */
void watch_pick_slot(struct watch *w, int rank, int slot);

/* Follows nothing any more. */
void watch_follow_none(struct watch *w);

/* Opens the inspector on the next wrong slot, in the order of ranks. */
void watch_next_wrong(struct watch *w);

#endif
