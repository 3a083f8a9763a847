/* SPDX-License-Identifier: MIT */
/* Refuses faults on purpose (--fault) that could not show in the result. */
#ifndef PLAY_FAULT_H
#define PLAY_FAULT_H

#include "play/options.h"
#include "schedule/schedule.h"

/* Whether o->fault can show in the result of a run of `s` with `count`
 * elements a rank.  If not, returns false with the reason in *err. */
bool fault_shows(const struct schedule *s, int64_t count,
                 const struct options *o, struct err *err);

#endif
