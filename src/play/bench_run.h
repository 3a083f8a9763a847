/* SPDX-License-Identifier: MIT */
/* One timed run of a job, on whatever backend it has. */
#ifndef PLAY_BENCH_RUN_H
#define PLAY_BENCH_RUN_H

#include "play/job.h"

/* Makes the job's ranks, times their calls and ends the run.  Fills in where
 * they ran and what came of it; result->bytes_sent is NULL.  Returns false,
 * with the reason in *err, on failure, and if a signal asks collviz to end. */
bool bench_run(struct job *job, const struct timing *timing,
               struct run_info *info, struct run_result *result,
               struct err *err);

#endif
