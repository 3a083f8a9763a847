/* SPDX-License-Identifier: MIT */
/* What a run line says of the schedule and of the run, key by key; private to
 * stream_read.c. */
#ifndef EVENT_STREAM_RUN_H
#define EVENT_STREAM_RUN_H

#include <jansson.h>

#include "event/event.h"

/* Its algorithm belongs to the object. */
bool stream_read_spec(const json_t *o, struct schedule_spec *spec,
                      struct err *err);

/* Everything but the ranks' number, which the caller knows. */
bool stream_read_info(const json_t *o, struct run_info *run, int nranks,
                      struct err *err);

#endif
