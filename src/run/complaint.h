/* SPDX-License-Identifier: MIT */
/* What went wrong in a run of many processes, as one sentence, made from all
 * that the launcher (mpirun, mpiexec, srun, ssh) and the ranks have written.
 * tests/launch_complaint.c has what they write. */
#ifndef RUN_COMPLAINT_H
#define RUN_COMPLAINT_H

#include <stdbool.h>

#include "base/err.h"

/* Sets the error, once a run has ended, to what happened to which rank or host,
 * and what to do.  The first line of ours, "WORKER: ...", counts most.
 * Always returns false. */
bool complaint_report(const char *said, const char *worker, struct err *err);

/* The same for a run that has not ended.  Returns false, and leaves *err as it
 * is, if nothing was written that says anything. */
bool complaint_find(const char *said, const char *worker, struct err *err);

#endif
