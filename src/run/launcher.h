/* SPDX-License-Identifier: MIT */
/* Launchers: third-party programs that start a worker once for each rank.  Each
 * backend whose ranks are processes on many hosts has one (run/backend.h).
 *
 *     struct child *c = launcher_start(MPI_LAUNCHER, "collviz-mpi", 4, NULL,
 *                                      &err);
 *
 * runs `LAUNCHER -n 4 /path/to/collviz-mpi` for 4 ranks.  The user's text may
 * replace LAUNCHER, as in "srun -N 2".  The worker of rank 0 has the standard
 * input and output of the child.  src/workers/launch/launch.c is in between,
 * and sees to it that nothing stays when the run ends.  run/complaint.h reads
 * what launchers say. */
#ifndef RUN_LAUNCHER_H
#define RUN_LAUNCHER_H

#include "base/child.h"
#include "base/err.h"

/* Starts `nranks` workers with the backend's launcher, `command`, or with the
 * one that the user has given, unless that is NULL.  Returns NULL on failure,
 * with the reason. */
struct child *launcher_start(const char *command, const char *worker,
                             int nranks, const char *given, struct err *err);

/* Whether a backend's launcher is on this machine; if not, *err has what to
 * do. */
bool launcher_there(const char *command, struct err *err);

/* Says that this machine has no such launcher.  Always returns false. */
bool launcher_refuse_missing(const char *program, struct err *err);

#endif
