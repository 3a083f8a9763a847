/* SPDX-License-Identifier: MIT */
/* A job: a plan, and the session that shows its run.
 *
 *     job = job_new(plan_new("ring-allreduce", NULL, &options, &err))
 *     job_start(job, false, &err)                  its ranks are there
 *     ... &job->session ...
 *     other = job_changed(job, "--gpus 5", &err)   the same but for that
 *     job_free(job)
 *
 * Making the ranks may take seconds, so job_start() does that. */
#ifndef PLAY_JOB_H
#define PLAY_JOB_H

#include "play/plan.h"
#include "play/session.h"

struct job {
    struct plan *plan;
    const struct schedule *schedule; /* that is shown: the plan's */
    struct session session;
};

/* Takes the plan over.  Returns NULL for NULL. */
struct job *job_new(struct plan *plan);
void job_free(struct job *job);

/* Whether its schedule is right (schedule/check.h). */
bool job_proved(const struct job *job, struct err *err);

/* Makes the ranks.  After that the session can be granted steps. */
bool job_start(struct job *job, bool in_turn, struct err *err);

/* A copy of `base` with the options in `text` on top, read as on the command
 * line; a number alone is --gpus.  *name is the algorithm that the text names,
 * or NULL; the caller frees it.  Returns false, with the reason in *err, for
 * options that are not valid.  Call options_done(o) in either case. */
bool job_options(struct options *o, const struct options *base,
                 const char *text, char **name, struct err *err);

/* A new job with the job's options and those in `text` on top.  Returns NULL,
 * with the reason in *err, on failure. */
struct job *job_changed(const struct job *job, const char *text,
                        struct err *err);

#endif
