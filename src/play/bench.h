/* SPDX-License-Identifier: MIT */
/* Measures an algorithm at a series of sizes, as nccl-tests does: one row for
 * each size, type, operator and root.
 *
 *     struct bench *b = bench_new("ring-allreduce", &options, NULL, &err);
 *     for (;;)
 *         switch (bench_next(b, &rows, &err)) {
 *         case BENCH_LATER: poll bench_fd(b)
 *         case BENCH_ROWS:  ... rows.ours, rows.native
 *         case BENCH_OVER:  ...
 *         }
 *     bench_free(b);
 *
 * A row is two runs, out of place and in place, each with ranks of its own: on
 * its backend a run is called once, warmed up, timed, and its result compared
 * with the reference (struct timing in run/run_options.h, run/verify.h).  The
 * worker that has the ranks is started once, if its backend allows it.
 *
 * With --network nothing is run: the times are those of the model
 * (schedule/simulation.h), which are the same everywhere. */
#ifndef PLAY_BENCH_H
#define PLAY_BENCH_H

#include "play/options.h"
#include "run/backend.h"
#include "text/bench_table.h"

struct bench;

enum bench_got {
    BENCH_LATER, /* call again, when bench_fd() is readable if there is one */
    BENCH_ROWS,  /* the next row */
    BENCH_OVER,
    BENCH_FAILED
};

struct bench_rows {
    struct bench_row ours;
    struct bench_row native; /* of the backend's library, if asked for */
};

/* Finds errors in the options, and sizes that do not fit into memory, before
 * anything is run.  `name` and the options must outlive it.  `on_run`, which
 * may be NULL, is called before each run, for a line of progress:
 * "ring-allreduce, 1 MiB, in place".  Returns NULL, with the reason in *err, on
 * failure. */
struct bench *bench_new(const char *name, const struct options *o,
                        void (*on_run)(const char *what), struct err *err);
void bench_free(struct bench *b);

/* Goes on measuring.  Ranks that are threads of this process run during a call,
 * in one placement of one row at a time, so the caller hears keys and signals
 * in between. */
enum bench_got bench_next(struct bench *b, struct bench_rows *rows,
                          struct err *err);

/* Readable when the ranks, which run elsewhere, have something to report; -1:
 * there is nothing to wait for. */
int bench_fd(const struct bench *b);

/* How long the measuring may take on a slow core, in nanoseconds: an estimate
 * from the bytes that calls send and the elements that are made and checked. */
struct bench_work {
    double all;
    double longest; /* of one placement of one row, which nothing interrupts; 0
                     * where the ranks run elsewhere */
};

/* Fills in rows[0 .. most-1] as far as they are known before anything is
 * measured: size, count, type, operator and root.  Returns the number of rows,
 * counted up to `most` + 1, and sets *work to what these take. */
int bench_plan(const struct bench *b, int most, struct bench_row *rows,
               struct bench_work *work);

/* What is measured, or the library's own collective, whose name is known after
 * the first row, as is where ranks run; "" and NULL before. */
struct bench_table bench_table(const struct bench *b, bool native);

#endif
