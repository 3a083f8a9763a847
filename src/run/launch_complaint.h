/* SPDX-License-Identifier: MIT */
/* What went wrong in a run of many processes, as one sentence, made from all
 * that the launcher (mpirun, mpiexec, srun, ssh) and the ranks have written.
 * tests/launch_complaint.c has what they write. */
#ifndef RUN_LAUNCH_COMPLAINT_H
#define RUN_LAUNCH_COMPLAINT_H

#include "base/err.h"

/* For a run that has ended: sets the error to what happened to which rank or
 * host, and what to do.  The first line of ours, "WORKER: ...", counts most.
 * Always returns false. */
bool launch_complain(const char *said, const char *worker, struct err *err);

/* The same for a run that has not ended.  Returns false, and leaves *err as it
 * is, if nothing was written that says anything. */
bool launch_find_complaint(const char *said, const char *worker,
                           struct err *err);

/* Says that there is no such launcher on this machine. Always returns false. */
bool launch_refuse_missing(const char *program, struct err *err);

#endif
