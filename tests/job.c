/* SPDX-License-Identifier: MIT */
/* A job made from another job: what is kept of a run that is asked for again
 * with a change, as with "a 3" on the screen. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "play/compare.h"
#include "tap.h"

OWN_FREE(job)

/* `collviz ring-allreduce --gpus 2 --input 1,2/3,4 --delay ...` */
static struct job *
base_job(void)
{
    char *argv[] = {"collviz", "--gpus",  "2",   "--input",
                    "1,2/3,4", "--delay", "1=5", "--delay=0=1"};
    OWN(options) o;
    struct job *job = NULL;
    struct err err;

    if (options_parse(&o, sizeof argv / sizeof argv[0], argv, &err))
        job = job_new(plan_new("ring-allreduce", NULL, &o, &err));
    if (job == NULL)
        diag("%s", err.text);
    return job;
}

/* The base job changed by `text`; the caller frees it. */
static struct job *
changed(const char *text)
{
    OWNS(job) *base = base_job();
    struct err err;
    struct job *job = job_changed(base, text, &err);

    if (!ok(job != NULL, "'%s' is understood", text))
        diag("%s", err.text);
    return job;
}

static void
test_input(void)
{
    static const struct {
        const char *text, *input;
        int count;
    } cases[] = {
        {"3", NULL, 6},         /* it was for two ranks */
        {"1", NULL, 2},         /* enough for one */
        {"--count 3", NULL, 3}, /* it was for two elements */
        {"2", "1,2/3,4", 2},
        {"--op max", "1,2/3,4", 2},
        {"3 --input 1/2/3", "1/2/3", 1}, /* a new input */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        OWNS(job) *job = changed(cases[i].text);
        if (job == NULL)
            continue;
        is_str(job->plan->o.input, cases[i].input, "'%s': its input",
               cases[i].text);
        is_int(job->plan->run.input.count, cases[i].count, "and its elements");
    }
}

/* Counts, an input and a number of elements say the same in three ways: the
 * last one that was typed is meant. */
static void
test_counts(void)
{
    static const char *const texts[] = {
        "allgather 3 --counts 3,0,5", "--input 1/2/3", "--counts 1,2,4",
        "--count 6", "--counts 7,2,4", "2 --counts 1,3"};
    static const int counts[] = {5, 1, 4, 6, 7, 3};
    OWNS(job) *job = base_job();
    struct err err;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && job != NULL; i++) {
        struct job *next = job_changed(job, texts[i], &err);
        if (!ok(next != NULL, "'%s' after the last", texts[i]))
            diag("%s", err.text);
        else
            is_int(next->plan->run.input.count, counts[i], "its elements");
        job_free(job);
        job = next;
    }
}

/* More ranks get as many elements as before, not the usual number of them. */
static void
test_elements_stay(void)
{
    OWNS(job) *eight = changed("--input 1,2,3,4,5,6,7,8/8,7,6,5,4,3,2,1");
    OWNS(job) *more = NULL;
    struct err err;

    if (eight == NULL)
        return;
    more = job_changed(eight, "3", &err);
    if (more != NULL)
        is_int(more->plan->run.input.count, 8,
               "three ranks with 8 elements each");
}

/* A shape is for one number of ranks. */
static void
test_shape(void)
{
    OWNS(job) *base = changed("torus2d-allreduce 6 --shape 2x3"), *job = NULL;
    struct err err;

    if (base == NULL)
        return;
    job = job_changed(base, "4", &err);
    ok(job != NULL, "another number of ranks drops the shape");
    if (job == NULL)
        diag("%s", err.text);
    else
        is_int(job->schedule->nranks, 4, "and is taken");
}

/* Two ranks, each with two chunks of one float32, and for each chunk a row of 1
 * word, a length and 4 values. */
static void
test_bytes(void)
{
    OWNS(job) *job = changed("2"), *apart = changed("2 --backend mpi");

    is_int((int)plan_bytes(job->plan), 2 * 2 * (4 + 8 * 6), "memory for a run");
    is_int((int)plan_bytes(apart->plan), 2 * 2 * (3 * 4 + 3 * 8 * 6),
           "processes have copies of outputs and of what slots hold");
}

/* Runs a job to its end. Returns false, with the reason in *err, on failure. */
static bool
finish(struct job *job, struct err *err)
{
    struct session *s = &job->session;

    if (!job_start(job, false, err))
        return false;
    while (!s->world->has_end)
        switch (session_pump(s, INT64_MAX, err)) {
        case RUN_CAUGHT_UP:
            if (!session_grant(s, job->schedule->nsteps, err))
                return false;
            break;
        case RUN_LATER:
            poll(&(struct pollfd){session_fd(s), POLLIN, 0}, 1, 1000);
            break;
        case RUN_FAILED:
            return false;
        default:
            break;
        }
    return true;
}

static int
count_lines(const char *path, const char *part)
{
    char line[4096];
    FILE *file = fopen(path, "r");
    int count = 0;

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        count += strstr(line, part) != NULL;
    if (file != NULL)
        fclose(file);
    return count;
}

/* A run that is over can still be recorded, with all of it. */
static void
test_late_recording(void)
{
    char path[] = "/tmp/collviz-job-XXXXXX";
    OWNS(job) *job = changed("--op avg");
    struct err err = {.text = ""};
    int file = mkstemp(path);

    ok(file >= 0 && finish(job, &err) &&
           session_record(&job->session, path, &err),
       "recorded after the end: %s", err.text);
    is_int(count_lines(path, "\"transfer\""), (int)job->schedule->ntransfers,
           "with every transfer");
    is_int(count_lines(path, "\"divide\""), 2, "with both divisions");
    close(file);
    unlink(path);
}

/* Only the algorithms of a comparison differ: it has no delays and no fault. */
static void
test_compare(void)
{
    char *argv[] = {"compare", "ring-allreduce", "tree-allreduce", "--gpus",
                    "3", "--delay", "1=1000", "--fault", "drop:1:1"};
    struct comparison c = {.nentrants = 0};
    OWN(options) o;
    struct err err = {.text = ""};

    if (!ok(options_parse(&o, sizeof argv / sizeof argv[0], argv, &err) &&
                compare(&c, &o, &err), "a comparison"))
        diag("%s", err.text);
    is_int(c.nentrants, 2, "of two algorithms");
    for (int i = 0; i < c.nentrants; i++)
        ok(c.entrants[i].plan->run.delays == NULL &&
               c.entrants[i].plan->run.fault.kind == FAULT_NONE,
           "%s: no delays and no fault", c.entrants[i].plan->name);
    compare_done(&c);
}

/* Half of the runs of one were faster than half of the other's, or they are
 * level.  The race runs every job again. */
static void
test_level(void)
{
    char *argv[] = {"compare", "ring-allreduce", "tree-allreduce", "--gpus",
                    "3", "--count", "1000", "--network", "pcie"};
    struct entrant a = {.low_ns = 10, .high_ns = 20};
    struct entrant b = {.low_ns = 21, .high_ns = 30};
    struct comparison c = {.nentrants = 0};
    OWN(options) o;
    struct err err;
    int64_t bytes = 0;

    ok(compare_is_faster(&a, &b) && !compare_is_faster(&b, &a),
       "one is faster than what begins after it");
    for (b.low_ns = 20; b.low_ns >= 5; b.low_ns -= 5)
        ok(!compare_is_faster(&a, &b) && !compare_is_faster(&b, &a),
           "from %g on they are level", (double)b.low_ns);
    ok(options_parse(&o, sizeof argv / sizeof argv[0], argv, &err) &&
           compare(&c, &o, &err), "a comparison");
    for (int i = 0; i < c.nentrants; i++)
        bytes += plan_bytes(c.entrants[i].plan);
    ok(bytes > 0 && c.bytes == 2 * bytes, "needs each job's memory twice");
    compare_done(&c);
}

static void
test_delays(void)
{
    OWNS(job) *one = changed("1"), *four = changed("4");
    OWNS(job) *nvls = NULL, *more = NULL, *ring = NULL;
    struct err err = {.text = ""};

    is_int((int)one->plan->o.ndelays, 1,
           "a delay of a missing rank is forgotten");
    is_int(one->plan->o.delays[0].rank, 0, "the other one is kept");
    is_int((int)four->plan->o.ndelays, 2, "with more ranks both are kept");
    nvls = changed("nvls-allreduce 3 --delay 3=5"); /* 3 is the switch */
    more = job_changed(nvls, "--count 30", &err);
    ring = job_changed(nvls, "ring-allreduce", &err);
    is_int((int)more->plan->o.ndelays, 3,
           "a switch's is kept with its algorithm");
    ok(ring != NULL && ring->plan->o.ndelays == 2,
       "and forgotten without it: %s", err.text);
}

static void
test_names(void)
{
    OWNS(job) *base = base_job(), *same = changed("--op max");
    OWNS(job) *other = changed("tree-allreduce 5");
    struct err err;

    is_str(other->plan->name, "tree-allreduce", "another algorithm");
    is_int(other->schedule->nranks, 5, "and another number of ranks");
    is_str(same->plan->name, "ring-allreduce",
           "without a name the same algorithm");
    ok(job_changed(base, "ring tree", &err) == NULL, "not two of them: %s",
       err.text);
}

/* A network stays until another one, or none, is asked for. */
static void
test_network(void)
{
    OWNS(job) *pcie = changed("--network pcie"), *more = NULL, *none = NULL;
    struct err err;

    if (pcie == NULL)
        return;
    is_str(pcie->plan->o.network.name, "pcie",
           "a run is given a network's clock");
    more = job_changed(pcie, "3", &err);
    none = job_changed(pcie, "--network none", &err);
    ok(more != NULL && strcmp(more->plan->o.network.name, "pcie") == 0,
       "and keeps it with more ranks");
    ok(none != NULL && none->plan->o.network.name[0] == '\0',
       "until there is none");
    ok(job_changed(pcie, "--network pci", &err) == NULL &&
           strstr(err.text, "did you mean pcie?") != NULL,
       "a misspelt one is refused: %s", err.text);
}

/* The order of a run, or of its network, stays with that network alone. */
static void
test_order(void)
{
#define HOSTS "2x2,inside=nvlink,between=infiniband"
    static const char *const texts[] = {
        "--network " HOSTS " --order 1,0", "--network " HOSTS ",order=1,0"};

    for (int i = 0; i < 2; i++) {
        OWNS(job) *first = changed(texts[i]), *more = NULL, *other = NULL;
        OWNS(job) *later = NULL, *block = NULL;
        struct err err;
        if (first == NULL)
            return;
        is_str(first->plan->o.network.name, HOSTS, "a name has no order");
        more = job_changed(first, "3", &err);
        ok(more != NULL && more->plan->o.network.places[0] == 1,
           "ranks stay in order with more of them");
        block = job_changed(first, "--order block", &err);
        ok(block != NULL && block->plan->o.network.listed == 0,
           "until another order is asked for");
        other = job_changed(first, "--network dgx-h100,hosts=2", &err);
        later = other != NULL ? job_changed(other, "--count 3", &err) : NULL;
        ok(later != NULL && later->plan->o.network.listed == 0,
           "or another network, and it does not come back");
    }
}

int
main(void)
{
    test_network();
    test_order();
    test_input();
    test_counts();
    test_elements_stay();
    test_shape();
    test_bytes();
    test_late_recording();
    test_compare();
    test_level();
    test_delays();
    test_names();
    return done_testing();
}
