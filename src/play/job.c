/* SPDX-License-Identifier: MIT */
#include "play/job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/memory.h"
#include "play/build.h"
#include "schedule/check.h"
#include "schedule/sums.h"

enum { MEMORY_PERCENT = 75 }; /* that a run may take */

/* Reads '1,1' into the rank's place in j->input.  Overwrites the row's
 * commas. */
static bool
parse_row(struct job *j, int rank, char *row, struct err *err)
{
    int64_t count = j->run.input.count;
    int64_t in_row = build_parts(row, strlen(row), ',');
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

/* --input: '1,1/2,2/3,3', as many elements for every rank.  A collective whose
 * input is at the root alone needs only the root's row. */
static bool
parse_input(struct job *j, struct err *err)
{
    const struct schedule *s = j->schedule;
    const char *input = j->o.input;
    int64_t rows = build_parts(input, strlen(input), '/');
    int64_t count = build_parts(input, strcspn(input, "/"), ',');
    int members = schedule_members(s), rank = rows == members ? 0 : s->root;
    OWN_MEMORY char *text = mem_string(input);
    char *rest = text, *row;
    bool ok = true;

    if (rows != members &&
        !(rows == 1 && s->collective->input_at == AT_ROOT))
        return err_set(err, "--input is for %" PRId64 " rank%s, --gpus says %d",
                       rows, err_plural(rows), members);
    if (j->o.count >= 0 && j->o.count != count)
        return err_set(err, "--input has %" PRId64 " element%s a rank, --count "
                       "says %" PRId64, count, err_plural(count), j->o.count);
    j->input = mem_new((size_t)s->nranks * (size_t)count,
                       dtype_size(j->o.type));
    j->run.input.given = j->input;
    j->run.input.count = count;
    for (; ok && (row = strsep(&rest, "/")) != NULL; rank++)
        ok = parse_row(j, rank, row, err);
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

/* Ranks that are processes send what their slots hold at first, and their
 * outputs, to one of them: both the sender and the receiver have copies.  The
 * library's own collective has buffers of its own.  A timed run, which may be
 * large, has no contents, and its staging slots are counted, too. */
double
job_bytes(const struct job *j)
{
    const struct schedule *s = j->schedule;
    bool timed = j->run.timing.calls > 0;
    struct program *p = timed ? program_lower(s) : NULL;
    double payloads = (double)s->nranks * (timed ? p->nslots : s->nslots);
    double contents = timed ? 0 : 8 * payloads * content_words(s->nranks);
    double chunk = (double)schedule_chunk_length(s, j->run.input.count, 0) *
                   (double)dtype_size(j->run.input.type);
    double outputs = 0;

    program_free(p);
    for (int rank = 0; rank < s->nranks; rank++)
        outputs += schedule_output(s, rank).count;
    if (j->backend->worker != NULL) {
        payloads += 2 * outputs;
        contents *= 3;
    }
    if (j->o.native)
        payloads +=
            2 * outputs + (double)s->nranks * schedule_input(s, 0).count;
    return payloads * chunk + contents;
}

bool
job_fits(double needed, struct err *err)
{
    bool limited;
    double most = memory_most("", &limited);

    if (most <= 0 || needed < MEMORY_PERCENT / 100.0 * most)
        return true;
    needed /= 1 << 30;
    most /= 1 << 30;
    if (limited)
        return err_set(err, "this run needs %.1f GiB, and may take %d %% of "
                       "the %.1f GiB to which its control group is limited: "
                       "take fewer ranks or elements",
                       needed, MEMORY_PERCENT, most);
    return err_set(err, "this run needs %.1f GiB, and may take %d %% of the "
                   "%.1f GiB of this machine: take fewer ranks or elements",
                   needed, MEMORY_PERCENT, most);
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

/* Whether one rank breaks the order in which the others send, so that sends
 * that block wait for ever. */
static bool
is_blocking(const struct job *j)
{
    return j->broken.whole != NULL && j->broken.rank >= 0;
}

static bool
find_backend(struct job *j, struct err *err)
{
    bool mismatch = j->o.mismatch.kind != MISMATCH_NONE || is_blocking(j);
    bool switches = j->schedule->topology.switches > 0;
    bool any = strcmp(j->o.backend, "auto") == 0;

    j->backend = backend_find((mismatch || switches) && any ? "threads"
                                                            : j->o.backend,
                              err);
    if (j->backend == NULL)
        return false;
    if (switches && !j->backend->switches)
        return err_set(err, "%s needs a switch that adds, which %s does not "
                       "have; --backend threads and mpi have it",
                       j->schedule->algorithm, j->backend->name);
    if (switches && (mismatch || j->o.native))
        return err_set(err, "--%s: only without switches; %s has one",
                       mismatch ? "mismatch" : "native",
                       j->schedule->algorithm);
    if (mismatch && !j->backend->mismatch)
        return err_set(err, "--mismatch: ranks of %s cannot differ, --backend "
                       "threads and mpi have it", j->backend->name);
    if (is_blocking(j) && j->backend != &backend_threads)
        return err_set(err, "--broken deadlock: only --backend threads can "
                       "make every send wait for its receiver");
    return check_native(j, err);
}

/* The times of a network are those of a run that ends, and of nothing else. */
static bool
set_network(struct job *j, struct err *err)
{
    const struct network *n = &j->o.network;

    if (n->name[0] == '\0')
        return true;
    if (!simulation_holds(j->schedule, n, err))
        return false;
    if (j->o.mismatch.kind != MISMATCH_NONE || is_blocking(j))
        return err_set(err, "--network needs ranks that all follow one "
                       "schedule; leave --mismatch out");
    if (j->o.native)
        return err_set(err, "--network is modelled, --native is measured; "
                       "leave one of them out");
    for (size_t i = 0; i < j->o.ndelays; i++)
        if (j->o.delays[i].ns == DELAY_FOREVER)
            return err_set(err, "--network needs delays that end, not "
                           "--delay %d=inf", j->o.delays[i].rank);
    return true;
}

/* Faults. */

static bool
is_hit(const struct transfer *t, int src)
{
    return t->src == src && t->dst != src;
}

/* The elements that a rank sends in a step. */
struct moved {
    const struct schedule *s;
    int64_t count, elements;
    int step, src;
};

/* A walk_fn: chunks are as long as what is sent, not as the slots that it may
 * be sent through. */
static void
add_moved(void *state, int step, const struct transfer *t, int k, int chunk)
{
    struct moved *m = state;

    (void)k;
    if (step == m->step && is_hit(t, m->src))
        m->elements += schedule_chunk_length(m->s, m->count, chunk);
}

/* Refuses a fault that could not show in the result. */
static bool
check_fault(const struct job *j, struct err *err)
{
    const struct schedule *s = j->schedule;
    int step = j->o.fault.step, src = j->o.fault.src;
    int hit = 0, copies = 0;
    struct moved moved = {s, j->run.input.count, 0, step, src};
    size_t ntransfers;
    const struct transfer *t = schedule_transfers(s, step, &ntransfers);

    if (src >= s->nranks)
        return err_set(err, "--fault: there is no rank %d, the ranks are 0 "
                       "to %d", src, s->nranks - 1);
    if (step > s->nsteps)
        return err_set(err, "--fault: there is no step %d, this run has %d",
                       step, s->nsteps);
    for (size_t i = 0; i < ntransfers; i++, t++) {
        if (!is_hit(t, src))
            continue;
        hit++;
        copies += t->op == TRANSFER_COPY;
    }
    if (hit == 0)
        return err_set(err, "--fault: rank %d sends nothing in step %d", src,
                       step);
    schedule_walk(s, add_moved, &moved);
    if (moved.elements == 0)
        return err_set(err, "--fault: the chunk that rank %d sends in step %d "
                       "is empty; with more elements (--count) it is not",
                       src, step);
    if (j->o.fault.kind == FAULT_REPEAT && copies == hit)
        return err_set(err, "--fault: rank %d's data is copied in step %d, "
                       "and copying it twice changes nothing", src, step);
    if (!sums_spoilt(s, j->run.input.count, &j->o.fault))
        return err_set(err, "--fault: nothing depends on what rank %d sends "
                       "in step %d", src, step);
    return true;
}

/* Mismatches. */

static bool
goes_with_others(const struct options *o, struct err *err)
{
    const char *one = o->broken.given ? "--broken deadlock" : "--mismatch";
    const char *other = o->fault.kind != FAULT_NONE ? "--fault"
                        : o->ndelays > 0            ? "--delay"
                        : o->native                 ? "--native"
                        : o->input != NULL          ? "--input"
                                                    : NULL;

    return other == NULL ||
           err_set(err, "%s and %s: only one of them at a time", one, other);
}

static const struct schedule *
with_root(const char *name, const struct options *o,
          const struct schedule *theirs, struct err *err)
{
    struct options other = *o;

    other.root = (int)o->mismatch.number;
    if (!collective_rooted(theirs->collective))
        err_set(err, "%s has no root", theirs->collective->name);
    else if (other.root == theirs->root)
        err_set(err, "rank %d is the root already", theirs->root);
    else
        return build_schedule(name, &other, NULL, err);
    return NULL;
}

/* "tree" is the tree of the run's collective. */
static const struct schedule *
with_algorithm(const struct options *o, const struct schedule *theirs,
               struct err *err)
{
    const char *name = o->mismatch.algorithm;
    const char *collective = theirs->collective->name;
    const struct algorithm *a;
    char full[2 * SCHEDULE_NAME_MAX];
    struct coll_options c = {.nranks = theirs->nranks, .root = theirs->root,
                             .in_place = theirs->in_place};

    snprintf(full, sizeof full, "%s-%s", name, collective);
    if (!coll_find(full, &a, NULL) && !coll_find(name, &a, err))
        return NULL;
    if (strcmp(a->collective, collective) != 0)
        err_set(err, "%s-%s is another collective than %s", a->name,
                a->collective, collective);
    else if (strcmp(a->name, theirs->algorithm) == 0)
        err_set(err, "%s is the algorithm of all ranks already", a->name);
    else if (a->switches != NULL)
        err_set(err, "only without switches; %s has one", a->name);
    else
        return coll_build(a, &c, err);
    return NULL;
}

/* The job's schedule is the one to show from here on. */
static bool
show_mismatch(struct job *j, struct err *err)
{
    j->schedule = mismatch_seen(&j->mismatch, err);
    j->run.mismatch = &j->mismatch;
    j->run.free = true;
    return j->schedule != NULL;
}

/* Messages that MPI carries meet by MPI's rules.  Ranks that are threads can
 * follow NCCL's as well, if these are asked for. */
static bool
choose_rules(struct job *j, struct err *err)
{
    bool nccl = j->o.rules == RULES_NCCL;

    if (nccl && j->backend != &backend_threads)
        return err_set(err, "--rules nccl: only --backend threads moves data "
                       "as NCCL does, %s has MPI's rules", j->backend->name);
    j->mismatch.rules = nccl ? RULES_NCCL : RULES_MPI;
    return true;
}

/* A rank's schedule by NCCL's rules, for a call with so many elements. */
static struct schedule *
make_nccl_call(const struct job *j, const struct schedule *s, int64_t count)
{
    bool discards = mismatch_discards(&j->mismatch, count);
    struct schedule *call = schedule_copy(s, discards ? 0 : s->nsteps);

    call->align = mismatch_align(RULES_NCCL, dtype_size(j->o.type));
    schedule_free(s);
    return call;
}

static void
follow_rules(struct job *j)
{
    struct mismatch *m = &j->mismatch;

    if (m->rules != RULES_NCCL)
        return;
    m->its = make_nccl_call(j, m->its, m->its_count);
    m->theirs = j->theirs =
        make_nccl_call(j, j->theirs, j->run.input.count);
}

/* Gives the rank of --mismatch, or of a deadlock, a schedule of its own. */
static bool
set_mismatch(struct job *j, struct err *err)
{
    enum { MESSAGE_BYTES_MAX = 1 << 30 }; /* MPI moves them in one piece */
    const struct purpose_mismatch *given = &j->o.mismatch;
    int64_t most = MESSAGE_BYTES_MAX / (int64_t)dtype_size(j->o.type);
    int64_t count = j->run.input.count;
    const struct schedule *theirs = j->schedule;
    struct mismatch *m = &j->mismatch;

    if (given->kind == MISMATCH_NONE && j->o.rules != RULES_AUTO)
        return err_set(err, "--rules needs --mismatch");
    if (given->kind == MISMATCH_NONE && !is_blocking(j))
        return true;
    j->theirs = j->schedule;
    j->schedule = NULL;
    if (!goes_with_others(&j->o, err))
        return false;
    if (is_blocking(j)) {
        *m = (struct mismatch){
            .rank = j->broken.rank, .theirs = theirs,
            .turn = j->broken.edit.step,
            .its = schedule_share(j->broken.schedule), .its_count = count};
        return show_mismatch(j, err);
    }
    if (given->rank >= theirs->nranks)
        return err_set(err, "--mismatch: there is no rank %d, the ranks are 0 "
                       "to %d", given->rank, theirs->nranks - 1);
    *m = (struct mismatch){.rank = given->rank, .theirs = theirs,
                           .its_count = count};
    if (!choose_rules(j, err))
        return false;
    if (given->kind == MISMATCH_ROOT) {
        m->its = with_root(j->name, &j->o, theirs, err);
    } else if (given->kind == MISMATCH_ALGORITHM) {
        m->its = with_algorithm(&j->o, theirs, err);
    } else if (given->number == count) {
        err_set(err, "%lld is the count of all ranks already",
                (long long)count);
    } else {
        m->its = schedule_share(theirs);
        m->its_count = given->number;
    }
    if (m->its != NULL &&
        (schedule_chunk_length(m->its, m->its_count, 0) > most ||
         schedule_chunk_length(theirs, count, 0) > most))
        err_set(err, "messages of more than 1 GiB cannot be mismatched; take "
                "fewer elements");
    else if (m->its != NULL) {
        follow_rules(j);
        return show_mismatch(j, err);
    }
    return err_prefix(err, "--mismatch");
}

/* Breaks. */

/* Breaks the schedule before anything else is made of it.  Where only one rank
 * follows the broken schedule, the run is a mismatch whose sends block. */
static bool
set_broken(struct job *j, struct err *err)
{
    const struct broken_option *given = &j->o.broken;
    struct broken *b = &j->broken;
    OWNS(schedule) *other = NULL;
    struct options o = j->o;

    if (!given->given)
        return true;
    if (j->o.mismatch.kind != MISMATCH_NONE || j->o.fault.kind != FAULT_NONE)
        return err_set(err, "--broken is not for a run with --mismatch or "
                       "--fault");
    o.root = (j->schedule->root + 1) % schedule_members(j->schedule);
    if (collective_rooted(j->schedule->collective))
        other = build_schedule(j->name, &o, NULL, err);
    if (!break_schedule(b, j->schedule, other, given->kind, given->seed, err))
        return err_prefix(err, "--broken");
    schedule_free(j->schedule);
    j->schedule = b->rank < 0 ? b->schedule : b->whole;
    schedule_share(j->schedule);
    return true;
}

/* All of it. */

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
        .input = {.type = o->type, .op = c->reduces ? o->op : REDOP_SUM,
                  .count = build_count(o, schedule_members(j->schedule))},
        .free = o->pace > 0, .fault = o->fault, .native = o->native,
        .native_algorithm = o->native_algorithm,
        .launcher = o->launcher,
    };
    return (o->input == NULL || parse_input(j, err)) && set_delays(j, err) &&
           (o->fault.kind == FAULT_NONE || check_fault(j, err)) &&
           set_network(j, err) && set_mismatch(j, err);
}

/* The schedule is given, or NULL: the name and the options ask for it. */
static struct job *
job_make(const char *name, struct schedule *given, const struct options *o,
         struct err *err)
{
    struct job *j = mem_new(1, sizeof *j);
    struct built built = {.chunks = 0};

    options_copy(&j->o, o);
    j->o.noperands = 0;
    j->o.scripted = false; /* the learner may change it */
    j->o.operands = NULL;
    j->name = mem_string(name);
    session_init(&j->session);
    j->session.timeout_ns = o->timeout * INT64_C(1000000000);
    j->given = given != NULL;
    j->schedule = given != NULL
                      ? given
                      : build_schedule(j->name, &j->o, &built, err);
    j->chunks = built.chunks;
    if (j->schedule != NULL &&
        ((set_broken(j, err) && find_backend(j, err) && set_run(j, err)) ||
         err_typed(err)) &&
        job_fits(job_bytes(j), err))
        return j;
    job_free(j);
    return NULL;
}

struct job *
job_new(const char *name, const struct options *o, struct err *err)
{
    return job_make(name, NULL, o, err);
}

struct job *
job_given(struct schedule *s, const struct options *o, struct err *err)
{
    return job_make(s->algorithm, s, o, err);
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
    broken_done(&j->broken);
    free(j->input);
    free(j->delays);
    free(j->name);
    options_done(&j->o);
    free(j);
}

bool
job_proved(const struct job *j, struct err *err)
{
    return schedule_check(j->schedule, j->run.input.count, NULL, err);
}

bool
job_start(struct job *j, bool in_turn, struct err *err)
{
    j->run.in_turn = in_turn;
    j->session.run = run_open(j->backend, j->schedule, &j->run, err);
    if (j->session.run != NULL && j->o.network.name[0] != '\0')
        session_model(&j->session, &j->o.network, j->schedule, &j->run.input,
                      j->delays);
    return j->session.run != NULL;
}

/* Drops delays of ranks and switches that no longer exist, and an input or a
 * shape for another number of ranks or elements.  There are as many elements as
 * before, if these are enough for all ranks.  So "and with 3?" needs only a
 * number. */
static void
forget_missing_ranks(struct options *o, const struct options *base,
                     bool other_algorithm)
{
    int64_t count_before = build_count(base, build_ranks(base));
    size_t kept = 0;

    if (o->nranks != base->nranks &&
        memcmp(o->dims, base->dims, sizeof o->dims) == 0)
        memset(o->dims, 0, sizeof o->dims);
    for (size_t i = 0; i < o->ndelays; i++)
        if (i >= base->ndelays || o->delays[i].rank < build_ranks(o) ||
            (build_ranks(o) == build_ranks(base) && !other_algorithm))
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
    bool ok = options_add(o, base, FOR_CHANGE, text, err);

    *name = NULL;
    if (ok && o->noperands > 1)
        ok = err_set(err, "'%s': one ALGORITHM at a time", o->operands[1]);
    if (ok && o->noperands == 1)
        *name = mem_string(o->operands[0]);
    o->noperands = 0;
    o->operands = NULL;
    return ok;
}

struct job *
job_changed(const struct job *j, const char *text, struct err *err)
{
    OWN(options) o = {0};
    OWN_MEMORY char *name = NULL;

    if (j->given) {
        err_set(err, "this run was wired by hand: wire another one to change "
                "it");
        return NULL;
    }
    if (!job_options(&o, &j->o, text, &name, err))
        return NULL;
    forget_missing_ranks(&o, &j->o, name != NULL);
    return job_new(name != NULL ? name : j->name, &o, err);
}
