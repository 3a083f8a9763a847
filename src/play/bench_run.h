/* SPDX-License-Identifier: MIT */
/* Timed runs of jobs, on whatever backend they have. */
#ifndef PLAY_BENCH_RUN_H
#define PLAY_BENCH_RUN_H

#include "play/job.h"

/* Makes the job's ranks, times their calls and waits for the run's end.  *run
 * is the run before, whose place it takes (run_again()), or NULL; the caller
 * closes it, while the job still exists.  Fills in where the ranks ran and what
 * came of it; result->bytes_sent is NULL.  Returns false, with the reason in
 * *err, on failure, and if a signal asks collviz to end. */
bool bench_run(struct job *job, const struct timing *timing, struct run **run,
               struct run_info *info, struct run_result *result,
               struct err *err);

#endif
