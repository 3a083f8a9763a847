/* SPDX-License-Identifier: MIT */
/* A job made from another job: what is kept of a run that is asked for again
 * with a change, as with "a 3" on the screen. */
#include "play/job.h"

#include <stdlib.h>

#include "tap.h"

/* `collviz ring-allreduce --gpus 2 --input 1,2/3,4 --delay ...` */
static struct job *
base_job(void)
{
    char *argv[] = {"collviz", "--gpus",  "2",   "--input",
                    "1,2/3,4", "--delay", "1=5", "--delay=0=1"};
    struct options o;
    struct job *job = NULL;
    struct err err;
    int status;

    if (options_parse(&o, sizeof argv / sizeof argv[0], argv, &err))
        job = job_new("ring-allreduce", &o, &status, &err);
    if (job == NULL)
        diag("%s", err.text);
    options_done(&o);
    return job;
}

/* The base job changed by `text`; the caller frees it. */
static struct job *
changed(const char *text)
{
    struct job *base = base_job(), *job;
    struct err err;

    job = job_changed(base, text, &err);
    if (!ok(job != NULL, "'%s' is understood", text))
        diag("%s", err.text);
    job_free(base);
    return job;
}

static void
test_input(void)
{
    static const struct {
        const char *text, *input;
    } cases[] = {
        {"3", NULL},         /* it was for two ranks */
        {"--count 3", NULL}, /* and for two elements */
        {"2", "1,2/3,4"},
        {"--op max", "1,2/3,4"},
        {"3 --input 1/2/3", "1/2/3"}, /* a new input */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct job *job = changed(cases[i].text);
        if (job != NULL)
            is_str(job->o.input, cases[i].input, "'%s': its input",
                   cases[i].text);
        job_free(job);
    }
}

/* A shape is for one number of ranks. */
static void
test_shape(void)
{
    struct job *base = changed("torus2d-allreduce 6 --shape 2x3"), *job;
    struct err err;

    if (base == NULL)
        return;
    job = job_changed(base, "4", &err);
    if (!ok(job != NULL, "another number of ranks drops the shape"))
        diag("%s", err.text);
    else
        is_int(job->schedule->nranks, 4, "and is taken");
    job_free(job);
    job_free(base);
}

/* Two ranks, each with two chunks of one float32, and for each chunk a row of 1
 * word, a length and 4 values. */
static void
test_bytes(void)
{
    struct job *job = changed("2");

    is_int((int)job_bytes(job), 2 * 2 * (4 + 8 * 6), "memory for a run");
    job_free(job);
}

static void
test_delays(void)
{
    struct job *job = changed("1");

    is_int((int)job->o.ndelays, 1, "a delay of a missing rank is forgotten");
    is_int(job->o.delays[0].rank, 0, "the other one is kept");
    job_free(job);
    job = changed("4");
    is_int((int)job->o.ndelays, 2, "with more ranks both are kept");
    job_free(job);
}

static void
test_names(void)
{
    struct job *base = base_job(), *job = changed("tree-allreduce 5");
    struct err err;

    is_str(job->name, "tree-allreduce", "another algorithm");
    is_int(job->schedule->nranks, 5, "and another number of ranks");
    job_free(job);
    job = changed("--op max");
    is_str(job->name, "ring-allreduce", "without a name the same algorithm");
    job_free(job);
    ok(job_changed(base, "ring tree", &err) == NULL, "not two of them: %s",
       err.text);
    job_free(base);
}

int
main(void)
{
    test_input();
    test_shape();
    test_bytes();
    test_delays();
    test_names();
    return done_testing();
}
