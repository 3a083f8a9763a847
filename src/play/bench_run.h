/* SPDX-License-Identifier: MIT */
/* Timed runs of jobs, one after another, on whatever backend they have.
 *
 *     struct bench_run r = {0};
 *     ok = bench_run_open(&r, job, &timing, &err);
 *     while (ok && (got = bench_run_next(&r, &err)) == RUN_LATER)
 *         poll bench_run_fd(&r)
 *     if (got == RUN_CAUGHT_UP) ... r.info, r.result; perhaps the next job
 *     bench_run_close(&r);                 also after a failure */
#ifndef PLAY_BENCH_RUN_H
#define PLAY_BENCH_RUN_H

#include "play/job.h"

struct bench_run {
    struct job *job; /* its own; NULL: nothing is open */
    struct run *run;
    bool running; /* it has not ended */
    bool granted, ended;
    struct run_info info;     /* where its ranks ran */
    struct run_result result; /* bytes_sent is NULL */
};

/* Makes the job's ranks; takes over the job.  It takes the place of the run
 * before, if there is one (run_again()).  Returns false, with the reason in
 * *err, on failure. */
bool bench_run_open(struct bench_run *r, struct job *job,
                    const struct timing *timing, struct err *err);
void bench_run_close(struct bench_run *r);

/* Goes on as far as it can.  Ranks that are threads of this process run during
 * this call.  RUN_CAUGHT_UP: the run has ended. */
enum run_got bench_run_next(struct bench_run *r, struct err *err);
int bench_run_fd(const struct bench_run *r);

#endif
