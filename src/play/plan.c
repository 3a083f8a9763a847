/* SPDX-License-Identifier: MIT */
#include "play/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "play/build.h"
#include "schedule/simulation.h"
#include "schedule/sums.h"

enum { MEMORY_PERCENT = 75 }; /* that a run may take */

/* Reads '1,1' into the rank's place in p->input.  Overwrites the row's
 * commas. */
static bool
parse_row(struct plan *p, int rank, char *row, struct err *err)
{
    int64_t count = p->run.input.count;
    int64_t in_row = (int64_t)utf8_parts(row, strlen(row), ',');
    size_t size = dtype_size(p->o.type);
    unsigned char *element = p->input + (size_t)rank * (size_t)count * size;
    char *word;

    if (in_row != count)
        return err_set(err, "--input: rank %d has %" PRId64 " element%s, "
                       "rank 0 has %" PRId64 "; all must have the same number",
                       rank, in_row, err_plural(in_row), count);
    for (; (word = strsep(&row, ",")) != NULL; element += size)
        if (!dtype_parse(p->o.type, word, element))
            return err_set(err, "--input: rank %d's '%s' is not a valid %s",
                           rank, word,
                           dtype_name(p->o.type));
    return true;
}

/* --input: '1,1/2,2/3,3', as many elements for every rank.  A collective whose
 * input is at the root alone needs only the root's row. */
static bool
parse_input(struct plan *p, struct err *err)
{
    const struct schedule *s = p->theirs;
    const char *input = p->o.input;
    int64_t rows = (int64_t)utf8_parts(input, strlen(input), '/');
    int64_t count = (int64_t)utf8_parts(input, strcspn(input, "/"), ',');
    int members = schedule_members(s), rank = rows == members ? 0 : s->root;
    OWN_MEMORY char *text = mem_string(input);
    char *rest = text, *row;
    bool ok = true;

    if (rows != members &&
        !(rows == 1 && s->collective->input_at == AT_ROOT))
        return err_set(err, "--input is for %" PRId64 " rank%s, --gpus says %d",
                       rows, err_plural(rows), members);
    if (p->o.count >= 0 && p->o.count != count)
        return err_set(err, "--input has %" PRId64 " element%s a rank, --count "
                       "says %" PRId64, count, err_plural(count), p->o.count);
    p->input = mem_new((size_t)s->nranks * (size_t)count,
                       dtype_size(p->o.type));
    p->run.input.given = p->input;
    p->run.input.count = count;
    for (; ok && (row = strsep(&rest, "/")) != NULL; rank++)
        ok = parse_row(p, rank, row, err);
    return ok;
}

static bool
set_delays(struct plan *p, struct err *err)
{
    int nranks = p->theirs->nranks;

    if (p->o.ndelays == 0)
        return true;
    p->delays = mem_new((size_t)nranks, sizeof *p->delays);
    for (size_t i = 0; i < p->o.ndelays; i++) {
        if (p->o.delays[i].rank >= nranks)
            return err_set(err, "--delay: there is no rank %d, the ranks are "
                           "0 to %d", p->o.delays[i].rank, nranks - 1);
        p->delays[p->o.delays[i].rank] = p->o.delays[i].ns;
    }
    p->run.delays = p->delays;
    return true;
}

/* Ranks that are processes send what their slots hold at first, and their
 * outputs, to one of them: both the sender and the receiver have copies.  The
 * library's own collective has buffers of its own.  A timed run, which may be
 * large, has no contents, and its staging slots are counted, too. */
double
plan_bytes(const struct plan *p)
{
    const struct schedule *s = p->seen;
    bool timed = p->run.timing.calls > 0;
    struct program *lowered = timed ? program_lower(s) : NULL;
    double payloads = (double)s->nranks * (timed ? lowered->nslots : s->nslots);
    double contents = timed ? 0 : 8 * payloads * content_words(s->nranks);
    double chunk = (double)schedule_chunk_length(s, p->run.input.count,
                                                 s->longest) *
                   (double)dtype_size(p->run.input.type);
    double outputs = 0;

    program_free(lowered);
    for (int rank = 0; rank < s->nranks; rank++)
        outputs += schedule_output(s, rank).count;
    if (p->backend->worker != NULL) {
        payloads += 2 * outputs;
        contents *= 3;
    }
    if (p->o.native)
        payloads +=
            2 * outputs + (double)s->nranks * schedule_input(s, 0).count;
    return payloads * chunk + contents;
}

bool
plan_fits(double needed, struct err *err)
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
check_native(const struct plan *p, struct err *err)
{
    const struct backend *b = p->backend;

    if (p->o.native && b->native_ops == 0)
        return err_set(err, "--native: %s has no collectives of its own to "
                       "compare with, --backend nccl and mpi have", b->name);
    if (p->o.native && p->theirs->collective->reduces &&
        (int)p->o.op >= b->native_ops)
        return err_set(err, "--native: %s has no %s of its own to compare "
                       "with, --backend mpi has", b->name,
                       redop_name(p->o.op));
    if (p->o.native_algorithm == NULL)
        return true;
    if (!p->o.native)
        return err_set(err, "--native-algorithm needs --native");
    return b->native_algorithms ||
           err_set(err, "--native-algorithm is for --backend mpi, not for %s",
                   b->name);
}

/* Whether one rank breaks the order in which the others send, so that sends
 * that block wait for ever. */
static bool
is_blocking(const struct plan *p)
{
    return p->broken.whole != NULL && p->broken.rank >= 0;
}

static bool
has_mismatch(const struct plan *p)
{
    return p->o.mismatch.kind != MISMATCH_NONE || is_blocking(p);
}

static bool
find_backend(struct plan *p, struct err *err)
{
    const struct schedule *s = p->theirs;
    bool mismatch = has_mismatch(p), switches = s->topology.switches > 0;
    bool any = strcmp(p->o.backend, "auto") == 0;
    const struct backend *b = backend_find(
        (mismatch || switches) && any ? "threads" : p->o.backend, err);

    p->backend = b;
    if (b == NULL)
        return false;
    if (switches && !b->switches)
        return err_set(err, "%s needs a switch that adds, which %s does not "
                       "have; --backend threads and mpi have it",
                       s->algorithm, b->name);
    if (switches && (mismatch || p->o.native))
        return err_set(err, "--%s: only without switches; %s has one",
                       mismatch ? "mismatch" : "native", s->algorithm);
    if (mismatch && !b->mismatch)
        return err_set(err, "--mismatch: ranks of %s cannot differ, --backend "
                       "threads and mpi have it", b->name);
    if (is_blocking(p) && b != &backend_threads)
        return err_set(err, "--broken deadlock: only --backend threads can "
                       "make every send wait for its receiver");
    return check_native(p, err);
}

/* The times of a network are those of a run that ends, and of nothing else. */
static bool
check_network(const struct plan *p, struct err *err)
{
    const struct network *n = &p->o.network;

    if (n->name[0] == '\0')
        return true;
    if (!simulation_holds(p->theirs, n, err))
        return false;
    if (has_mismatch(p))
        return err_set(err, "--network needs ranks that all follow one "
                       "schedule; leave --mismatch out");
    if (p->o.native)
        return err_set(err, "--network is modelled, --native is measured; "
                       "leave one of them out");
    return options_dead_rank(&p->o) < 0 ||
           err_set(err, "--network needs delays that end, not --delay %d=inf",
                   options_dead_rank(&p->o));
}

/* What a rank sends to others in a step. */
struct moved {
    const struct plan *plan;
    int slots, copied;
    int64_t elements;
};

/* A walk_fn: chunks are as long as what is sent, not as the slots that it may
 * be sent through. */
static void
add_moved(void *state, int step, const struct transfer *t, int k, int chunk)
{
    struct moved *m = state;
    const struct plan *p = m->plan;

    (void)k;
    if (step != p->o.fault.step || t->src != p->o.fault.src || t->dst == t->src)
        return;
    m->slots++;
    m->copied += t->op == TRANSFER_COPY;
    m->elements += schedule_chunk_length(p->theirs, p->run.input.count, chunk);
}

/* Refuses a fault that could not show in the result. */
static bool
check_fault(const struct plan *p, struct err *err)
{
    const struct schedule *s = p->theirs;
    int step = p->o.fault.step, src = p->o.fault.src;
    struct moved moved = {.plan = p};

    if (src >= s->nranks)
        return err_set(err, "--fault: there is no rank %d, the ranks are 0 "
                       "to %d", src, s->nranks - 1);
    if (step > s->nsteps)
        return err_set(err, "--fault: there is no step %d, this run has %d",
                       step, s->nsteps);
    schedule_walk(s, add_moved, &moved);
    if (moved.slots == 0)
        return err_set(err, "--fault: rank %d sends nothing in step %d", src,
                       step);
    if (moved.elements == 0)
        return err_set(err, "--fault: the chunk that rank %d sends in step %d "
                       "is empty; with more elements (--count) it is not",
                       src, step);
    if (p->o.fault.kind == FAULT_REPEAT && moved.copied == moved.slots)
        return err_set(err, "--fault: rank %d's data is copied in step %d, "
                       "and copying it twice changes nothing", src, step);
    if (!sums_spoilt(s, p->run.input.count, &p->o.fault))
        return err_set(err, "--fault: nothing depends on what rank %d sends "
                       "in step %d", src, step);
    return true;
}

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
with_root(const struct plan *p, struct err *err)
{
    const struct schedule *theirs = p->theirs;
    struct options other = p->o;

    other.root = (int)p->o.mismatch.number;
    if (!collective_rooted(theirs->collective))
        err_set(err, "%s has no root", theirs->collective->name);
    else if (other.root == theirs->root)
        err_set(err, "rank %d is the root already", theirs->root);
    else
        return build_schedule(p->name, &other, NULL, err);
    return NULL;
}

/* "tree" is the tree of the run's collective. */
static const struct schedule *
with_algorithm(const struct plan *p, struct err *err)
{
    const struct schedule *theirs = p->theirs;
    const char *name = p->o.mismatch.algorithm;
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
        return build_row(a, &c, err);
    return NULL;
}

/* The call of the rank of --mismatch: its schedule, and its elements. */
static const struct schedule *
its_call(const struct plan *p, int64_t *count, struct err *err)
{
    const struct purpose_mismatch *given = &p->o.mismatch;

    if (given->kind == MISMATCH_ROOT)
        return with_root(p, err);
    if (given->kind == MISMATCH_ALGORITHM)
        return with_algorithm(p, err);
    if (given->number != *count) {
        *count = given->number;
        return schedule_share(p->theirs);
    }
    err_set(err, "%lld is the count of all ranks already", (long long)*count);
    return NULL;
}

/* A call by the mismatch's rules.  Takes the schedule over. */
static const struct schedule *
follow_rules(const struct mismatch *m, const struct schedule *s, int64_t count,
             size_t element_bytes)
{
    struct schedule *call;

    if (m->rules != RULES_NCCL)
        return s;
    call = schedule_copy(s, mismatch_discards(m, count) ? 0 : s->nsteps);
    call->align = mismatch_align(RULES_NCCL, element_bytes);
    schedule_free(s);
    return call;
}

/* Messages that MPI carries meet by MPI's rules.  Ranks that are threads can
 * follow NCCL's as well, if these are asked for. */
static bool
set_mismatch(struct plan *p, struct err *err)
{
    enum { MESSAGE_BYTES_MAX = 1 << 30 }; /* MPI moves them in one piece */
    const struct schedule *theirs = p->theirs, *its;
    size_t size = dtype_size(p->o.type);
    int64_t most = MESSAGE_BYTES_MAX / (int64_t)size;
    int64_t count = p->run.input.count, its_count = count;
    int rank = p->o.mismatch.rank;
    bool nccl = p->o.rules == RULES_NCCL;
    struct mismatch *m = &p->mismatch;

    if (rank >= theirs->nranks)
        return err_set(err, "--mismatch: there is no rank %d, the ranks are 0 "
                       "to %d", rank, theirs->nranks - 1);
    if (nccl && p->backend != &backend_threads)
        return err_set(err, "--rules nccl: only --backend threads moves data "
                       "as NCCL does, %s has MPI's rules", p->backend->name);
    its = its_call(p, &its_count, err);
    if (its != NULL && (schedule_chunk_length(its, its_count, 0) > most ||
                        schedule_chunk_length(theirs, count, 0) > most)) {
        schedule_free(its);
        its = NULL;
        err_set(err, "messages of more than 1 GiB cannot be mismatched; take "
                "fewer elements");
    }
    if (its == NULL)
        return err_prefix(err, "--mismatch");
    *m = (struct mismatch){.rules = nccl ? RULES_NCCL : RULES_MPI,
                           .rank = rank, .its_count = its_count};
    m->its = follow_rules(m, its, its_count, size);
    m->theirs = follow_rules(m, schedule_share(theirs), count, size);
    return true;
}

/* Sets what is reported and shown: in a mismatch, of --mismatch or of a rank
 * that follows a broken schedule alone, what ranks receive in. */
static bool
set_seen(struct plan *p, struct err *err)
{
    if (p->o.mismatch.kind == MISMATCH_NONE && p->o.rules != RULES_AUTO)
        return err_set(err, "--rules needs --mismatch");
    if (!has_mismatch(p)) {
        p->seen = schedule_share(p->theirs);
        return true;
    }
    if (!goes_with_others(&p->o, err))
        return false;
    if (is_blocking(p))
        p->mismatch = (struct mismatch){
            .rank = p->broken.rank, .turn = p->broken.edit.step,
            .its = schedule_share(p->broken.schedule),
            .theirs = schedule_share(p->theirs),
            .its_count = p->run.input.count};
    else if (!set_mismatch(p, err))
        return false;
    p->seen = mismatch_seen(&p->mismatch, err);
    return p->seen != NULL;
}

/* Sets what ranks follow: the schedule as it was made, or broken.  Where only
 * one rank follows the broken one, the run is a mismatch whose sends block. */
static bool
set_theirs(struct plan *p, const struct schedule *made, struct err *err)
{
    const struct broken_option *given = &p->o.broken;
    struct broken *b = &p->broken;
    OWNS(schedule) *other = NULL;
    struct options o = p->o;

    if (!given->given) {
        p->theirs = schedule_share(made);
        return true;
    }
    if (p->o.mismatch.kind != MISMATCH_NONE || p->o.fault.kind != FAULT_NONE)
        return err_set(err, "--broken is not for a run with --mismatch or "
                       "--fault");
    o.root = (made->root + 1) % schedule_members(made);
    if (collective_rooted(made->collective))
        other = build_schedule(p->name, &o, NULL, err);
    if (!break_schedule(b, made, other, given->kind, given->seed, err))
        return err_prefix(err, "--broken");
    p->theirs = schedule_share(b->rank < 0 ? b->schedule : b->whole);
    return true;
}

static bool
set_run(struct plan *p, struct err *err)
{
    const struct collective *c = p->theirs->collective;
    const struct options *o = &p->o;

    if (!c->reduces && options_given(o, FOR_RUN, "op"))
        return err_set(err, "%s reduces nothing: leave out --op", c->name);
    if (c->reduces > SUM_ALL && o->op == REDOP_AVG)
        return err_set(err, "--op avg: %s adds up another number of inputs for "
                       "each rank", c->name);
    if (c->reduces && !redop_check(o->op, o->type, err))
        return err_prefix(err, "--op");
    p->run = (struct run_options){
        .input = {.type = o->type, .op = c->reduces ? o->op : REDOP_SUM,
                  .count = build_elements(o, p->theirs)},
        .free = o->pace > 0 || has_mismatch(p), .fault = o->fault,
        .mismatch = has_mismatch(p) ? &p->mismatch : NULL,
        .native = o->native, .native_algorithm = o->native_algorithm,
        .launcher = o->launcher,
    };
    return (o->input == NULL || parse_input(p, err)) && set_delays(p, err) &&
           (o->fault.kind == FAULT_NONE || check_fault(p, err)) &&
           check_network(p, err);
}

struct plan *
plan_new(const char *name, struct schedule *given, const struct options *o,
         struct err *err)
{
    struct plan *p = mem_new(1, sizeof *p);
    struct built built = {.chunks = 0};
    OWNS(schedule) *made = NULL;

    options_copy(&p->o, o);
    p->o.noperands = 0;
    p->o.scripted = false; /* the learner may change it */
    p->o.operands = NULL;
    p->name = mem_string(name);
    p->given = given != NULL;
    made = given != NULL ? given : build_schedule(name, &p->o, &built, err);
    p->chunks = built.chunks;
    if (made != NULL &&
        ((set_theirs(p, made, err) && find_backend(p, err) &&
          set_run(p, err) && set_seen(p, err)) ||
         err_typed(err)) &&
        plan_fits(plan_bytes(p), err))
        return p;
    plan_free(p);
    return NULL;
}

void
plan_free(struct plan *p)
{
    if (p == NULL)
        return;
    schedule_free(p->theirs);
    schedule_free(p->seen);
    schedule_free(p->mismatch.its);
    schedule_free(p->mismatch.theirs);
    broken_done(&p->broken);
    free(p->input);
    free(p->delays);
    free(p->name);
    options_done(&p->o);
    free(p);
}
