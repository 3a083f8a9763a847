/* SPDX-License-Identifier: MIT */
/* What went wrong in a run of many processes, as one sentence, made from all
 * that the launcher (mpirun, mpiexec, srun, ssh) and the ranks have written.
 * tests/launch_complaint.c has what they write. */
#ifndef RUN_LAUNCH_COMPLAINT_H
#define RUN_LAUNCH_COMPLAINT_H

#include "base/err.h"

/* Sets the error: what happened to which rank or host, and what to do.  The
 * first line of ours, "WORKER: ...", counts most.  Always returns false. */
bool launch_complain(const char *said, const char *worker, struct err *err);

/* The same, if something in `said` is known to be the reason of a failure.
 * Returns whether there is. */
bool launch_has_reason(const char *said, struct err *err);

/* Says that there is no such launcher on this machine. Always returns false. */
bool launch_refuse_missing(const char *program, struct err *err);

#endif
