/* SPDX-License-Identifier: MIT */
/* Backends: where ranks run.  This is the table of them, and a run of a
 * schedule on one of them.  Nothing above knows which one it is.
 *
 *     struct run *run = run_open("auto", schedule, &options, &err);
 *     run_grant(run, 1, &err);
 *     while ((got = run_next(run, &item, &err)) != RUN_CAUGHT_UP)
 *         if (got == RUN_ITEM) ...
 *         else if (got == RUN_LATER) poll run_fd(run)
 *     run_close(run);
 *
 * Items come in the order that event/event.h gives.  The result and the end
 * follow after the last step has been granted and reported. */
#ifndef RUN_BACKEND_H
#define RUN_BACKEND_H

#include "base/buf.h"
#include "base/err.h"
#include "event/event.h"
#include "run/reporter.h"

struct run;

/* What a backend is: its row in the table. */
struct backend {
    const char *name;
    const char *worker; /* the program that runs its ranks; NULL: this one */
    const char *mode;   /* its first argument, or NULL */
    const char *launcher; /* the command that starts it once for each rank
                           * (run/launcher.h); NULL: one worker has all */
    /* Whether it can be tried on this machine; if not, *err has the reason.
     * NULL: always. */
    bool (*there)(const struct backend *b, struct err *err);
    int native_ops; /* its library has collectives of its own, with operators
                     * 0 .. native_ops-1; 0: it has none */
    bool switches; /* it runs switches, as ranks (schedule/schedule.h) */
    bool mismatch; /* it runs mismatches (schedule/mismatch.h) */
    bool native_algorithms; /* and names to choose their algorithms by */
    bool again; /* a worker that has ended a run takes another one; else it has
                 * to be closed, and another one opened */
};

extern const struct backend backend_threads, backend_cuda, backend_nccl,
    backend_mpi;

/* The table, by index from 0. Returns NULL after the last one. */
const struct backend *backend_at(int index);

/* Finds a backend by its name; "auto" is the best one available.  Returns NULL,
 * with the reason, for an unknown name. */
const struct backend *backend_find(const char *name, struct err *err);

/* Makes the ranks.  The schedule and what the options point to must outlive the
 * run.  Returns NULL on failure, with the reason. */
struct run *run_open(const struct backend *backend, const struct schedule *s,
                     const struct run_options *o, struct err *err);

/* The same after a run that has ended, whose place it takes: on the same
 * backend, with as many ranks, and with the same launcher.  A worker is kept if
 * it can be, because starting one may take seconds.  NULL instead of a run: as
 * run_open().  `run` is not valid afterwards. */
struct run *run_again(struct run *run, const struct backend *backend,
                      const struct schedule *s, const struct run_options *o,
                      struct err *err);

/* Lets the ranks run up to and including step `to`.  Everything granted before
 * must have been reported.  A schedule without steps is granted step 0. */
bool run_grant(struct run *run, int to, struct err *err);

/* Takes the next item, if there is one. Never blocks. */
enum run_got run_next(struct run *run, struct item *item, struct err *err);

/* Readable when run_next() may have something again. */
int run_fd(struct run *run);

/* What the run waits for, other than its ranks' own work: "host cv2 has been
 * silent for 3 s (ranks 2, 3)".  This is not an error: the run may go on.
 * NULL: nothing.  It changes only while run_next() is called, and is valid
 * until the next call.  It is not escaped. */
const char *run_note(const struct run *run);

/* Ends the run, wherever it is. */
void run_close(struct run *run);

/* The devices that a backend's worker finds on this machine, as text, a line
 * for each, and at least one: "NVIDIA H200 0000:1b:00.0, ...".  Waits half a
 * minute at most. Returns false, with the reason, on failure. */
bool devices_ask(const struct backend *backend, struct buf *lines,
                 struct err *err);

#endif
