/* SPDX-License-Identifier: MIT */
#include "play/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "play/build.h"
#include "play/fault.h"
#include "play/mismatched.h"

/* The number of parts that a separator cuts the text into. */
static int64_t
count_parts(const char *text, size_t length, char separator)
{
    int64_t parts = 1;

    for (size_t i = 0; i < length; i++)
        parts += text[i] == separator;
    return parts;
}

/* A collective whose input is at the root alone needs only the root's row. */
static bool
is_roots_row(const struct schedule *s, int64_t rows)
{
    return rows == 1 && s->collective->input_at == AT_ROOT;
}

static bool
check_size(const struct job *j, int64_t rows, int64_t count, struct err *err)
{
    const struct schedule *s = j->schedule;

    if (rows != s->nranks && !is_roots_row(s, rows))
        return err_set(err, "--input is for %" PRId64 " rank%s, --gpus says %d",
                       rows, err_plural(rows), s->nranks);
    if (j->o.count >= 0 && j->o.count != count)
        return err_set(err, "--input has %" PRId64 " element%s a rank, --count "
                       "says %" PRId64, count, err_plural(count), j->o.count);
    return true;
}

/* Reads '1,1' into the rank's place in j->input.  Overwrites the row's
 * commas. */
static bool
parse_row(struct job *j, int rank, char *row, struct err *err)
{
    int64_t count = j->run.input.count;
    int64_t in_row = count_parts(row, strlen(row), ',');
    size_t size = dtype_size(j->o.type);
    unsigned char *element = j->input + (size_t)rank * (size_t)count * size;
    char *word;

    if (in_row != count)
        return err_set(err, "--input: rank %d has %" PRId64 " element%s, "
                       "rank 0 has %" PRId64 "; all must have the same number",
                       rank, in_row, err_plural(in_row), count);
    for (; (word = strsep(&row, ",")) != NULL; element += size)
        if (!dtype_parse(j->o.type, word, element))
            return err_set(err, "--input: rank %d's '%s' is not a valid %s",
                           rank, word,
                           dtype_name(j->o.type));
    return true;
}

/* --input: '1,1/2,2/3,3', as many elements for every rank. */
static bool
parse_input(struct job *j, struct err *err)
{
    const struct schedule *s = j->schedule;
    const char *input = j->o.input;
    int64_t rows = count_parts(input, strlen(input), '/');
    int64_t count = count_parts(input, strcspn(input, "/"), ',');
    int rank = rows == s->nranks ? 0 : s->root;
    char *text, *rest, *row;
    bool ok = true;

    if (!check_size(j, rows, count, err))
        return false;
    j->input = mem_new((size_t)s->nranks * (size_t)count,
                       dtype_size(j->o.type));
    j->run.input.given = j->input;
    j->run.input.count = count;
    text = rest = mem_string(input);
    for (; ok && (row = strsep(&rest, "/")) != NULL; rank++)
        ok = parse_row(j, rank, row, err);
    free(text);
    return ok;
}

static bool
set_delays(struct job *j, struct err *err)
{
    int nranks = j->schedule->nranks;

    if (j->o.ndelays == 0)
        return true;
    j->delays = mem_new((size_t)nranks, sizeof *j->delays);
    for (size_t i = 0; i < j->o.ndelays; i++) {
        if (j->o.delays[i].rank >= nranks)
            return err_set(err, "--delay: there is no rank %d, the ranks are "
                           "0 to %d", j->o.delays[i].rank, nranks - 1);
        j->delays[j->o.delays[i].rank] = j->o.delays[i].ns;
    }
    j->run.delays = j->delays;
    return true;
}

double
job_bytes(const struct job *j)
{
    const struct schedule *s = j->schedule;

    return (double)s->nranks * s->nslots *
           ((double)schedule_chunk_length(s, j->run.input.count, 0) *
                (double)dtype_size(j->run.input.type) +
            8.0 * content_words(s->nranks));
}

bool
job_fits(double needed, struct err *err)
{
    double available = (double)sysconf(_SC_PHYS_PAGES) *
                       (double)sysconf(_SC_PAGESIZE);

    if (available <= 0 || needed < 0.75 * available)
        return true;
    return err_set(err, "this run needs %.1f GiB, the machine has %.1f: take "
                   "fewer ranks or elements", needed / (1 << 30),
                   available / (1 << 30));
}

static bool
check_native(const struct job *j, struct err *err)
{
    const struct backend *b = j->backend;

    if (j->o.native && b->native_ops == 0)
        return err_set(err, "--native: %s has no collectives of its own to "
                       "compare with, --backend nccl and mpi have", b->name);
    if (j->o.native && j->schedule->collective->reduces &&
        (int)j->o.op >= b->native_ops)
        return err_set(err, "--native: %s has no %s of its own to compare "
                       "with, --backend mpi has", b->name,
                       redop_name(j->o.op));
    if (j->o.native_algorithm == NULL)
        return true;
    if (!j->o.native)
        return err_set(err, "--native-algorithm needs --native");
    return b->native_algorithms ||
           err_set(err, "--native-algorithm is for --backend mpi, not for %s",
                   b->name);
}

static bool
find_backend(struct job *j, struct err *err)
{
    bool mismatch = j->o.mismatch.kind != MISMATCH_NONE;
    bool any = strcmp(j->o.backend, "auto") == 0;

    j->backend =
        backend_find(mismatch && any ? "threads" : j->o.backend, err);
    if (j->backend == NULL)
        return false;
    if (mismatch && !j->backend->mismatch)
        return err_set(err, "--mismatch: ranks of %s cannot differ, --backend "
                       "threads and mpi have it", j->backend->name);
    return check_native(j, err);
}

/* The times of a network are those of a run that ends, and of nothing else. */
static bool
check_network(const struct job *j, struct err *err)
{
    if (j->o.mismatch.kind != MISMATCH_NONE)
        return err_set(err, "--network needs ranks that all follow one "
                       "schedule; leave --mismatch out");
    if (j->o.native)
        return err_set(err, "--network is modelled, --native is measured; "
                       "leave one of them out");
    for (size_t i = 0; i < j->o.ndelays; i++)
        if (j->o.delays[i].ns == DELAY_FOREVER)
            return err_set(err, "--network needs delays that end, not "
                           "--delay %d=inf", j->o.delays[i].rank);
    return j->backend != &backend_smpi ||
           err_set(err, "--network is for ranks that run here; --backend smpi "
                   "has SimGrid's times (--platform)");
}

static bool
set_network(struct job *j, struct err *err)
{
    return options_network(&j->o, &j->network, err) &&
           (j->network.name[0] == '\0' || check_network(j, err));
}

/* From here on the job's schedule is the one to show. */
static bool
set_mismatch(struct job *j, struct err *err)
{
    if (j->o.mismatch.kind == MISMATCH_NONE)
        return true;
    j->theirs = j->schedule;
    j->schedule = NULL;
    if (!mismatched_build(j->name, &j->o, j->theirs, j->run.input.count,
                          &j->mismatch, err))
        return false;
    j->schedule = mismatch_seen(&j->mismatch, err);
    j->run.mismatch = &j->mismatch;
    j->run.free = true;
    return j->schedule != NULL;
}

static bool
set_run(struct job *j, struct err *err)
{
    const struct collective *c = j->schedule->collective;
    const struct options *o = &j->o;

    if (!c->reduces && options_given(o, FOR_RUN, "op"))
        return err_set(err, "%s reduces nothing: leave out --op", c->name);
    if (c->reduces && !redop_check(o->op, o->type, err))
        return err_prefix(err, "--op");
    j->run = (struct run_options){
        .input = {o->type, c->reduces ? o->op : REDOP_SUM,
                  build_count(o, j->schedule->nranks), NULL},
        .free = o->free, .fault = o->fault, .native = o->native,
        .native_algorithm = o->native_algorithm,
        .launcher = o->launcher, .platform = o->platform,
    };
    return (o->input == NULL || parse_input(j, err)) && set_delays(j, err) &&
           (o->fault.kind == FAULT_NONE ||
            fault_shows(j->schedule, j->run.input.count, o, err)) &&
           set_network(j, err) &&
           set_mismatch(j, err);
}

/* From options to a schedule, a backend and a run.  Returns an exit status;
 * unless it is EXIT_RIGHT, *err has the reason. */
static int
plan(struct job *j, struct err *err)
{
    const struct algorithm *algorithm;
    int status;

    j->schedule = build_schedule(j->name, &j->o, &algorithm, &status, err);
    if (j->schedule == NULL)
        return status;
    if (!find_backend(j, err) || !set_run(j, err))
        return EXIT_USAGE;
    return job_fits(job_bytes(j), err) ? EXIT_RIGHT : EXIT_WRONG;
}

/* Takes ownership of the options, also on failure. */
static struct job *
make(const char *name, struct options *o, int *status, struct err *err)
{
    struct job *j = mem_new(1, sizeof *j);

    j->o = *o;
    j->o.noperands = 0;
    j->o.operands = NULL;
    j->name = mem_string(name);
    session_init(&j->session);
    j->session.timeout_ns = o->timeout * INT64_C(1000000000);
    *status = plan(j, err);
    if (*status == EXIT_RIGHT)
        return j;
    job_free(j);
    return NULL;
}

struct job *
job_new(const char *name, const struct options *o, int *status,
        struct err *err)
{
    struct options copy;

    options_copy(&copy, o);
    return make(name, &copy, status, err);
}

void
job_free(struct job *j)
{
    if (j == NULL)
        return;
    session_done(&j->session);
    schedule_free(j->schedule);
    schedule_free(j->theirs);
    schedule_free(j->mismatch.its);
    free(j->input);
    free(j->delays);
    free(j->name);
    options_done(&j->o);
    free(j);
}

/* NULL: the run has the backend's clock. */
static struct network_clock *
make_clock(const struct job *j)
{
    return j->network.name[0] == '\0'
               ? NULL
               : network_clock_new(j->schedule, &j->run.input, &j->network,
                                   j->delays);
}

bool
job_start(struct job *j, bool in_turn, struct err *err)
{
    struct run *run;

    j->run.in_turn = in_turn;
    run = run_open(j->backend, j->schedule, &j->run, err);
    if (run != NULL)
        session_start(&j->session, run, make_clock(j));
    return run != NULL;
}

static bool
is_number(const char *word)
{
    return word[0] != '\0' && word[strspn(word, "0123456789")] == '\0';
}

/* Splits the text at blanks into an argv; a number that is not the value of an
 * option becomes --gpus's.  The words point into `text`, which is changed. */
static char **
split(char *text, int *count)
{
    size_t most = strlen(text) + 3; /* "5" becomes two */
    char **words = mem_new(most, sizeof *words), *word, *rest = NULL;
    bool value = false;
    int n = 1;

    words[0] = (char *)"";
    for (word = strtok_r(text, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest)) {
        if (!value && is_number(word))
            words[n++] = (char *)"--gpus";
        value = word[0] == '-' && strchr(word, '=') == NULL;
        words[n++] = word;
    }
    *count = n;
    return words;
}

/* Drops delays of ranks that no longer exist, and an input or a shape for
 * another number of ranks or elements.  There are as many elements as before,
 * if these are enough for all ranks.  So "and with 3?" needs only a number. */
static void
forget_missing_ranks(struct options *o, const struct options *base)
{
    int64_t count_before = build_count(base, build_ranks(base));
    size_t kept = 0;

    if (o->nranks != base->nranks &&
        memcmp(o->dims, base->dims, sizeof o->dims) == 0)
        memset(o->dims, 0, sizeof o->dims);
    for (size_t i = 0; i < o->ndelays; i++)
        if (i >= base->ndelays || o->delays[i].rank < build_ranks(o))
            o->delays[kept++] = o->delays[i];
    o->ndelays = kept;
    if (o->input != NULL && base->input != NULL &&
        strcmp(o->input, base->input) == 0 &&
        (build_ranks(o) != build_ranks(base) ||
         o->count != base->count)) {
        if (o->count < 0 && count_before >= build_ranks(o))
            o->count = count_before;
        free(o->input);
        o->input = NULL;
    }
}

bool
job_options(struct options *o, const struct options *base, const char *text,
            char **name, struct err *err)
{
    char *copy = mem_string(text), **words;
    int count;
    bool ok;

    *name = NULL;
    words = split(copy, &count);
    ok = options_change(o, base, count, words, err);
    if (ok && o->noperands > 1)
        ok = err_set(err, "'%s': one ALGORITHM at a time", o->operands[1]);
    if (ok && o->noperands == 1)
        *name = mem_string(o->operands[0]);
    o->noperands = 0;
    o->operands = NULL;
    free(words);
    free(copy);
    return ok;
}

struct job *
job_changed(const struct job *j, const char *text, struct err *err)
{
    struct job *changed = NULL;
    struct options o;
    char *name;
    int status;

    if (job_options(&o, &j->o, text, &name, err)) {
        forget_missing_ranks(&o, &j->o);
        changed = make(name != NULL ? name : j->name, &o, &status, err);
    } else {
        options_done(&o);
    }
    free(name);
    return changed;
}
