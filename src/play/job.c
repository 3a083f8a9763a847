/* SPDX-License-Identifier: MIT */
#include "play/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "play/build.h"
#include "play/fault.h"

/* Where only the root brings data, one row is its own. */
static bool
is_roots_row(const struct job *j, int rows)
{
    const struct schedule *s = j->schedule;

    return rows == 1 && s->collective->input_at == AT_ROOT;
}

static void
move_to_root(struct job *j, size_t row_size)
{
    const struct schedule *s = j->schedule;
    unsigned char *rows = mem_new((size_t)s->nranks, row_size > 0 ? row_size : 1);

    memcpy(rows + (size_t)s->root * row_size, j->input, row_size);
    free(j->input);
    j->input = rows;
}

/* --input: '1,1/2,2/3,3', every rank as many. */
static bool
parse_input(struct job *j, struct err *err)
{
    int nranks = j->schedule->nranks;
    size_t size = dtype_size(j->o.type);
    char *text = mem_string(j->o.input), *rest = text, *row;
    size_t capacity = 0, length = 0;
    int64_t count = -1;
    int rank = 0;
    bool ok = true;

    for (; ok && (row = strsep(&rest, "/")) != NULL; rank++) {
        int64_t in_row = 0;
        char *word;
        while (ok && (word = strsep(&row, ",")) != NULL) {
            j->input = mem_grow(j->input, length, &capacity, size);
            ok = dtype_parse(j->o.type, word, j->input + length * size) ||
                 err_set(err, "--input: rank %d's '%s' is no %s", rank, word,
                         dtype_name(j->o.type));
            length++;
            in_row++;
        }
        if (ok && count >= 0 && in_row != count)
            ok = err_set(err, "--input: rank %d has %" PRId64 " element%s, "
                         "rank 0 has %" PRId64 "; all must have as many",
                         rank, in_row, err_plural(in_row), count);
        count = in_row;
    }
    free(text);
    if (ok && rank != nranks && is_roots_row(j, rank))
        move_to_root(j, (size_t)count * size);
    else if (ok && rank != nranks)
        return err_set(err, "--input is for %d rank%s, --gpus says %d", rank,
                       err_plural(rank), nranks);
    if (ok && j->o.count >= 0 && j->o.count != count)
        return err_set(err, "--input has %" PRId64 " element%s a rank, --count "
                       "says %" PRId64, count, err_plural(count), j->o.count);
    j->run.input.given = j->input;
    j->run.input.count = count;
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
job_fits(double want, struct err *err)
{
    double have = (double)sysconf(_SC_PHYS_PAGES) *
                  (double)sysconf(_SC_PAGESIZE);

    if (have <= 0 || want < 0.75 * have)
        return true;
    return err_set(err, "this run needs %.1f GiB, the machine has %.1f: take "
                   "fewer ranks or elements", want / (1 << 30),
                   have / (1 << 30));
}

/* The exit status that goes with *err. */
static int
plan(struct job *j, struct err *err)
{
    const struct options *o = &j->o;
    const struct algorithm *algorithm;
    bool exists;

    j->schedule = build_schedule(j->name, o, &algorithm, err);
    if (j->schedule == NULL)
        return EXIT_USAGE;
    j->backend = backend_find(o->backend, &exists, err);
    if (j->backend == NULL)
        return exists ? EXIT_WRONG : EXIT_USAGE;
    j->run = (struct run_options){
        .input = {o->type, o->op, build_count(o, j->schedule->nranks),
                  NULL},
        .free = o->free, .fault = o->fault, .native = o->native,
    };
    if (o->native && !j->backend->native) {
        err_set(err, "--native: %s has no collectives of its own to compare "
                "with, --backend nccl has", j->backend->name);
        return EXIT_USAGE;
    }
    if ((o->input != NULL && !parse_input(j, err)) || !set_delays(j, err) ||
        (o->fault.kind != FAULT_NONE &&
         !fault_shows(j->schedule, j->run.input.count, o, err)))
        return EXIT_USAGE;
    return job_fits(job_bytes(j), err) ? EXIT_RIGHT : EXIT_WRONG;
}

/* Takes over the options, whatever comes of it. */
static struct job *
make(const char *name, struct options *o, int *status, struct err *err)
{
    struct job *j = mem_new(1, sizeof *j);

    j->o = *o;
    j->o.noperands = 0;
    j->o.operands = NULL;
    j->name = mem_string(name);
    session_init(&j->session);
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
    free(j->input);
    free(j->delays);
    free(j->name);
    options_done(&j->o);
    free(j);
}

bool
job_start(struct job *j, bool in_turn, struct err *err)
{
    struct run *run;

    j->run.in_turn = in_turn;
    run = run_open(j->backend, j->schedule, &j->run, err);
    if (run != NULL)
        session_start(&j->session, run);
    return run != NULL;
}

static bool
is_number(const char *word)
{
    return word[0] != '\0' && word[strspn(word, "0123456789")] == '\0';
}

/* Words at blanks, behind an argv[0]; a number that is no option's value
 * becomes --gpus's.  Words are `text`'s, which is cut up. */
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

/* What was said of ranks that there no longer are is forgotten, and so is the
 * input of other ranks or of another number of elements: "and with 3?" needs no
 * more than a number. */
static void
forget_missing_ranks(struct options *o, const struct options *base)
{
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
