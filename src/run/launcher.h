/* SPDX-License-Identifier: MIT */
/* Launchers: third-party programs that start a worker once for each rank.  Each
 * backend whose ranks are processes on many hosts has one (run/backend.h).
 *
 *     struct child *c = launcher_start(&launcher_mpi, "collviz-mpi", schedule,
 *                                      &options, &err);
 *
 * runs `LAUNCHER -n 4 /path/to/collviz-mpi` for a schedule of 4 ranks.  The
 * user's text may replace LAUNCHER, as in "srun -N 2".  The worker of rank 0
 * has the standard input and output of the child.  src/workers/launch/launch.c
 * is in between, and sees to it that nothing stays when the run ends. */
#ifndef RUN_LAUNCHER_H
#define RUN_LAUNCHER_H

#include "base/buf.h"
#include "base/child.h"
#include "base/err.h"
#include "run/run_options.h"
#include "schedule/schedule.h"

struct launcher {
    const char *command; /* the default */
    bool has_platform;   /* it simulates a network (struct platform) */
};

extern const struct launcher launcher_mpi, launcher_smpi;

/* Whether the user may choose another command. NULL is no launcher. */
bool launcher_is_chosen(const struct launcher *l);

/* Returns NULL on failure, with the reason. */
struct child *launcher_start(const struct launcher *l, const char *worker,
                             const struct schedule *s,
                             const struct run_options *o, struct err *err);

/* Whether the default launcher is on this machine; if not, *err has what to
 * do. */
bool launcher_there(const struct launcher *l, struct err *err);

/* What went wrong in a run of many processes, as one sentence, made from all
 * that the launcher (mpirun, mpiexec, srun, ssh) and the ranks have written.
 * tests/launch_complaint.c has what they write.
 *
 * For a run that has ended: sets the error to what happened to which rank or
 * host, and what to do.  The first line of ours, "WORKER: ...", counts most.
 * Always returns false. */
bool launch_complain(const char *said, const char *worker, struct err *err);

/* The same for a run that has not ended.  Returns false, and leaves *err as it
 * is, if nothing was written that says anything. */
bool launch_find_complaint(const char *said, const char *worker,
                           struct err *err);

/* The network that SimGrid simulates for backend smpi: a file of the user's, or
 * one of a few networks that collviz describes to SimGrid itself, as in
 * "fat-tree:12.5GBps,2us".
 *
 * | name     | links                                                       |
 * |----------|-------------------------------------------------------------|
 * | cluster  | one from each host to a switch that is never busy           |
 * | ring     | host a to a-1 and a+1, modulo N                             |
 * | torus    | to the neighbours in every dimension, with wrap-around      |
 * | fat-tree | two levels of switches; each leaf switch has as many links  |
 * |          | up, one to each spine switch, as it has hosts               |
 *
 * All links of a network are alike and carry messages both ways at once; the
 * latency is that of one link.  Rank r runs on host-r.  A torus has the shape
 * of the algorithm, if that is made for a torus or a mesh, and is as square as
 * possible otherwise. */
enum { PLATFORM_UNIT_MAX = 32 };

struct platform {
    const char *file; /* the user's; NULL: the members below say it all */
    enum platform_kind {
        PLATFORM_CLUSTER,
        PLATFORM_RING,
        PLATFORM_TORUS,
        PLATFORM_FAT_TREE,
        PLATFORM_KINDS
    } kind;
    char bandwidth[PLATFORM_UNIT_MAX]; /* "12.5GBps", as SimGrid has it */
    char latency[PLATFORM_UNIT_MAX];   /* "2us" */
};

/* Reads "NAME", "NAME:BANDWIDTH,LATENCY" or the path of a file.  NULL is the
 * default.  `p` borrows the text.  Returns false, with the reason in *err. */
bool platform_parse(const char *text, struct platform *p, struct err *err);

#endif
