/* SPDX-License-Identifier: MIT */
/* A job: everything that an algorithm's name and options ask for, from the
 * schedule to the session that shows the run.
 *
 *     job = job_new("ring-allreduce", &options, &err)
 *     job_start(job, false, &err)                  its ranks are there
 *     ... &job->session ...
 *     other = job_changed(job, "--gpus 5", &err)   the same but for that
 *     job_free(job)
 *
 * job_new() finds errors in the options, and is quick, unless the algorithm is
 * a script: a screen lives on meanwhile (screen/stage.h).  Making the ranks may
 * take seconds, so job_start() does that. */
#ifndef PLAY_JOB_H
#define PLAY_JOB_H

#include "play/options.h"
#include "play/session.h"

struct job {
    struct options o; /* its own copy, without operands */
    char *name;       /* of the algorithm */
    bool given; /* its schedule was, and there is no name to make it from */
    struct schedule *schedule; /* that is run and shown */
    int chunks; /* of its pipeline; 0: it is none */
    struct schedule *theirs;   /* in a mismatched run: of all ranks but one */
    struct mismatch mismatch;
    struct broken broken; /* whole NULL: it is not */
    const struct backend *backend;
    struct run_options run;
    unsigned char *input;
    int64_t *delays;
    struct session session;
};

/* Returns NULL, with the reason in *err, on failure. */
struct job *job_new(const char *name, const struct options *o,
                    struct err *err);

/* The same for a schedule that somebody has made, valid but perhaps wrong;
 * takes it over.  The options say on which inputs and where it runs. */
struct job *job_given(struct schedule *s, const struct options *o,
                      struct err *err);
void job_free(struct job *job);

/* Whether its schedule is right (schedule/check.h). */
bool job_proved(const struct job *job, struct err *err);

/* The memory that the ranks will need, and whether a run may take that many
 * bytes, of those that this process may have (base/memory.h).  This is checked
 * in advance: the kernel hands memory out when it is first touched, and kills
 * the process if there is not enough. */
double job_bytes(const struct job *job);
bool job_fits(double needed, struct err *err);

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
