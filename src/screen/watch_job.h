/* SPDX-License-Identifier: MIT */
/* Watching a job, and the others that it is changed to. */
#ifndef SCREEN_WATCH_JOB_H
#define SCREEN_WATCH_JOB_H

#include "play/job.h"
#include "screen/watch.h"

/* From its start to the end of its session.  *job may be another one
 * afterwards.  `screen` NULL: one that is opened for it; `back` is that of
 * struct watch_source. */
bool watch_job(struct job **job, struct screen *screen,
               const struct watch_way_back *back, bool ascii,
               struct err *err);

#endif
