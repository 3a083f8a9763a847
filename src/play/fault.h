/* SPDX-License-Identifier: MIT */
/* Faults on purpose: refusing those that could not show. */
#ifndef PLAY_FAULT_H
#define PLAY_FAULT_H

#include "play/options.h"
#include "schedule/schedule.h"

/* Whether what o->fault asks for would be seen in a run of `s` with `count`
 * elements a rank. False, with the reason, if not. */
bool fault_shows(const struct schedule *s, int64_t count,
                 const struct options *o, struct err *err);

#endif
