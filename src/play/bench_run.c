/* SPDX-License-Identifier: MIT */
#include "play/bench_run.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/signals.h"

/* Sleeps until there is something to do.  Returns false if a signal asks
 * collviz to end. */
static bool
wait_for(struct run *run, struct err *err)
{
    struct pollfd fds[2] = {
        {.fd = signals_fd(), .events = POLLIN},
        {.fd = run_fd(run), .events = POLLIN},
    };

    if (poll(fds, 2, -1) < 0 && errno != EINTR)
        return err_set(err, "poll: %s", strerror(errno));
    return signals_ending() == 0 ||
           err_set(err, "a signal asks collviz to end");
}

static void
take(const struct item *item, struct run_info *info, struct run_result *result)
{
    if (item->type == ITEM_RUN)
        *info = *item->run;
    if (item->type == ITEM_RESULT) {
        *result = *item->result;
        result->bytes_sent = NULL; /* the backend's */
    }
}

/* Until the run has ended and waits for another one. */
static bool
follow(struct run *run, int nsteps, struct run_info *info,
       struct run_result *result, struct err *err)
{
    bool granted = false, ended = false;
    struct item item;

    for (;;) {
        switch (run_next(run, &item, err)) {
        case RUN_ITEM:
            take(&item, info, result);
            ended = item.type == ITEM_END;
            break;
        case RUN_LATER:
            if (!wait_for(run, err))
                return false;
            break;
        case RUN_CAUGHT_UP:
            if (ended)
                return true;
            if (granted)
                return err_set(err, "the run has no result");
            if (!run_grant(run, nsteps, err))
                return false;
            granted = true;
            break;
        default:
            return false;
        }
    }
}

bool
bench_run(struct job *job, const struct timing *timing, struct run **run,
          struct run_info *info, struct run_result *result, struct err *err)
{
    job->run.timing = *timing;
    *run = run_again(*run, job->backend, job->schedule, &job->run, err);
    return *run != NULL &&
           follow(*run, job->schedule->nsteps, info, result, err);
}
