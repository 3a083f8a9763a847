/* SPDX-License-Identifier: MIT */
#include "play/bench_run.h"

static void
take(struct bench_run *r, const struct item *item)
{
    if (item->type == ITEM_RUN)
        r->info = *item->run;
    if (item->type == ITEM_RESULT) {
        r->result = *item->result;
        r->result.bytes_sent = NULL; /* the backend's */
    }
}

bool
bench_run_open(struct bench_run *r, struct job *job,
               const struct timing *timing, struct err *err)
{
    struct job *before = r->job;
    struct run *run;

    job->run.timing = *timing;
    run = run_again(r->run, job->backend, job->schedule, &job->run, err);
    job_free(before);
    *r = (struct bench_run){.job = job, .run = run, .running = run != NULL};
    return r->running;
}

void
bench_run_close(struct bench_run *r)
{
    run_close(r->run);
    job_free(r->job);
    *r = (struct bench_run){0};
}

/* Lets the ranks run all of their calls. */
static bool
grant(struct bench_run *r, struct err *err)
{
    if (r->granted)
        return err_set(err, "the run has no result");
    r->granted = true;
    return run_grant(r->run, r->job->schedule->nsteps, err);
}

enum run_got
bench_run_next(struct bench_run *r, struct err *err)
{
    struct item item;
    enum run_got got;

    for (;;) {
        switch (got = run_next(r->run, &item, err)) {
        case RUN_ITEM:
            take(r, &item);
            r->ended = item.type == ITEM_END;
            break;
        case RUN_CAUGHT_UP:
            if (r->ended) {
                r->running = false;
                return RUN_CAUGHT_UP;
            }
            if (!grant(r, err))
                return RUN_FAILED;
            break;
        default:
            return got;
        }
    }
}

int
bench_run_fd(const struct bench_run *r)
{
    return run_fd(r->run);
}
