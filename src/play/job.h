/* SPDX-License-Identifier: MIT */
/* A job: what an algorithm's name and options ask for, up to the session that
 * its run feeds.
 *
 *     job = job_new("ring-allreduce", &options, &status, &err)
 *     job_start(job, false, &err)                  its ranks are there
 *     ... &job->session ...
 *     other = job_changed(job, "--gpus 5", &err)   the same but for that
 *     job_free(job)
 *
 * Making a job is quick and finds what is wrong with the options; making the
 * ranks may take seconds, so that is a step of its own. */
#ifndef PLAY_JOB_H
#define PLAY_JOB_H

#include "play/options.h"
#include "play/session.h"

struct job {
    struct options o; /* its own copy, without operands */
    char *name;       /* of the algorithm */
    struct schedule *schedule;
    const struct backend *backend;
    struct run_options run;
    unsigned char *input;
    int64_t *delays;
    struct session session;
};

/* NULL, with the reason and the exit status that goes with it. */
struct job *job_new(const char *name, const struct options *o, int *status,
                    struct err *err);
void job_free(struct job *job);

/* Memory that the ranks will take, and whether that much, all in all, is a
 * good part less than the machine has.  More would be found out too late:
 * memory is handed out when it is touched, and then the process is killed. */
double job_bytes(const struct job *job);
bool job_fits(double bytes, struct err *err);

/* Makes the ranks; the session may be granted steps then. */
bool job_start(struct job *job, bool in_turn, struct err *err);

/* The options `base` and on top of them those in `text`, which are read as on
 * the command line; a number alone is --gpus.  *name is the algorithm that the
 * text names, for the caller to free(); NULL: none.  False with the reason; *o
 * is to be done with in either case. */
bool job_options(struct options *o, const struct options *base,
                 const char *text, char **name, struct err *err);

/* A new job, of a job's options and those in `text`. NULL with the reason. */
struct job *job_changed(const struct job *job, const char *text,
                        struct err *err);

#endif
