/* SPDX-License-Identifier: MIT */
#include "play/bench.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "play/build.h"
#include "play/plan.h"
#include "run/verify.h"
#include "schedule/collective.h"
#include "schedule/simulation.h"
#include "text/word.h"

/* The facts in which rows differ. */
struct cell {
    enum dtype type;
    enum redop op;
    int root;
    int64_t bytes; /* as asked for */
};

struct bench {
    const char *operand;
    const struct options *o;
    const struct collective *collective;
    int nranks;
    struct buf name;
    size_t ntransfers; /* of one call */
    double sent;       /* bytes that a call sends, by those of an input */
    double checked; /* elements that a check has (verify_work()), by the same */
    struct cell next;
    bool in_place; /* the placement of that row which is next */

    /* The run of that placement, or of the one before. */
    struct plan *plan; /* NULL: nothing is open */
    struct run *run;
    bool running; /* it has not ended */
    bool granted, ended;
    struct run_info info; /* where its ranks ran */
    struct run_result result; /* bytes_sent is NULL */

    struct bench_rows rows;
    int nops; /* -o all: operators 0 .. nops-1 of those that the type has */
    bool over;
    bool ran; /* `info` is filled in */
    char native[RUN_NAME_MAX];
    void (*on_run)(const char *what);
};

/* nccl-tests does not check these in place, and NCCL has none of them. */
static bool
is_only_ours(const struct bench *b, bool in_place)
{
    const char *name = b->collective->name;

    return in_place && (strcmp(name, "alltoall") == 0 ||
                        strcmp(name, "sendrecv") == 0);
}

/* Whether a placement is judged. */
static bool
is_checked(const struct bench *b, bool in_place)
{
    return b->o->bench.checks > 0 && !is_only_ours(b, in_place);
}

/* Whether rows differ in the operator.  sendrecv_perf has one, which it does
 * not use. */
static bool
has_operator(const struct bench *b)
{
    return b->collective->reduces ||
           strcmp(b->collective->name, "sendrecv") == 0;
}

/* Sets *o to the options of one placement of a row. */
static void
set_placement(const struct bench *b, const struct cell *c, bool in_place,
              struct options *o)
{
    struct bandwidth_size size = bandwidth_size(
        b->collective, b->nranks, dtype_size(c->type), c->bytes);

    options_copy(o, b->o);
    o->count = size.input;
    o->type = c->type;
    o->op = c->op;
    o->root = c->root;
    o->out_of_place = !in_place;
    if (o->chunks <= 0) /* both placements have the same */
        o->chunks = in_place && b->rows.ours.chunks > 0 ? b->rows.ours.chunks
                                                        : CHUNKS_AUTO;
    if (is_only_ours(b, in_place)) {
        o->native = false;
        free(o->native_algorithm);
        o->native_algorithm = NULL;
    }
}

static struct plan *
make_plan(const struct bench *b, const struct cell *c, bool in_place,
          struct err *err)
{
    OWN(options) o = {0};
    struct plan *plan;

    set_placement(b, c, in_place, &o);
    plan = plan_new(b->operand, NULL, &o, err);
    if (plan != NULL)
        plan->run.timing =
            (struct timing){.calls = b->o->bench.calls,
                            .warm_up = b->o->bench.warm_up,
                            .unchecked = !is_checked(b, in_place)};
    return plan;
}

/* Nothing is run with --network: times are the model's. */
static bool
is_modelled(const struct bench *b)
{
    return b->o->network.name[0] != '\0';
}

/* Builds the largest runs, so that a sweep does not fail half way.  What is
 * modelled needs no memory for its data. */
static bool
check_largest(struct bench *b, struct err *err)
{
    struct cell largest = b->next;
    bool ok = true;

    largest.bytes = is_modelled(b) ? 0 : b->o->bench.max_bytes;
    for (int in_place = 0; ok && in_place < 2; in_place++) {
        struct plan *plan = make_plan(b, &largest, in_place, err);

        if (plan == NULL)
            return false;
        b->nops = plan->o.native ? plan->backend->native_ops : REDOPS;
        ok = plan_fits(plan_bytes(plan), err);
        plan_free(plan);
    }
    return ok;
}

static bool
check_sizes(const struct bench_options *o, struct err *err)
{
    if (o->min_bytes > o->max_bytes)
        return err_set(err, "--minbytes %" PRId64 " is above --maxbytes %"
                       PRId64, o->min_bytes, o->max_bytes);
    if (o->factor > 1 ? o->min_bytes == 0
                      : o->min_bytes < o->max_bytes && o->step_bytes == 0)
        return err_set(err, "the size would never grow from --minbytes %"
                       PRId64 ": take another %s", o->min_bytes,
                       o->factor > 1 ? "--minbytes" : "--stepbytes");
    return true;
}

/* The collective and the number of ranks, which do not depend on the size. */
static bool
find_collective(struct bench *b, struct err *err)
{
    struct built built;
    OWN(options) o = {0};
    OWNS(schedule) *s = NULL;

    options_copy(&o, b->o);
    o.root = most(o.root, 0);
    o.type = o.type == DTYPES ? DTYPE_FLOAT32 : o.type;
    s = build_schedule(b->operand, &o, &built, err);
    if (s == NULL)
        return false;
    b->collective = s->collective;
    b->nranks = schedule_members(s);
    b->ntransfers = s->ntransfers;
    for (size_t i = 0; i < s->ntransfers; i++)
        b->sent += s->transfers[i].nslots;
    b->sent /= s->nchunks;
    b->checked = verify_work(s) / s->nchunks;
    build_name(b->operand, built.algorithm, &b->name);
    return true;
}

struct bench *
bench_new(const char *name, const struct options *o,
          void (*on_run)(const char *what), struct err *err)
{
    struct bench *b = mem_new(1, sizeof *b);
    struct cell *c = &b->next;
    int type = 0;

    b->operand = name;
    b->o = o;
    b->on_run = on_run;
    if (!(check_sizes(&o->bench, err) || err_typed(err)) ||
        !find_collective(b, err)) {
        bench_free(b);
        return NULL;
    }
    /* A collective without an operator gets one that every type has, so that no
     * type is refused or left out. */
    *c = (struct cell){.type = o->type, .bytes = o->bench.min_bytes,
                       .root = most(o->root, 0)};
    if (has_operator(b) && o->op != REDOPS)
        c->op = o->op;
    while ((int)c->op >= redop_count((enum dtype)type))
        type++;
    if (c->type == DTYPES)
        c->type = (enum dtype)type; /* the first that has it */
    if (check_largest(b, err))
        return b;
    bench_free(b);
    return NULL;
}

static void
close_run(struct bench *b)
{
    run_close(b->run);
    plan_free(b->plan);
    b->run = NULL;
    b->plan = NULL;
    b->running = false;
}

void
bench_free(struct bench *b)
{
    if (b == NULL)
        return;
    close_run(b);
    buf_done(&b->name);
    free(b);
}

struct bench_table
bench_table(const struct bench *b, bool native)
{
    const struct bench_options *o = &b->o->bench;

    return (struct bench_table){
        .name = native ? b->native : buf_text(&b->name),
        .where = b->ran ? &b->info : NULL, .nranks = b->nranks,
        .min_bytes = o->min_bytes, .max_bytes = o->max_bytes,
        .step = o->factor > 1 ? o->factor : o->step_bytes,
        .factor = o->factor > 1, .warm_up = o->warm_up, .calls = o->calls,
        .checks = is_modelled(b) ? 0 : o->checks};
}

/* Sets *value, which goes from 0 to end - 1 if `all`, to the next one.  Returns
 * false, and begins again, after the last one. */
static bool
step_value(int *value, bool all, int end)
{
    if (!all)
        return false;
    *value = (*value + 1) % end;
    return *value > 0;
}

/* Goes on to the next operator below `ops` that the collective takes, if all
 * are measured: there is no average of other numbers of inputs (plan.c). */
static bool
step_op(const struct bench *b, int *op, int ops)
{
    bool all = b->o->op == REDOPS && has_operator(b);

    return step_value(op, all, ops) &&
           (*op != REDOP_AVG || b->collective->reduces <= SUM_ALL ||
            step_value(op, all, ops));
}

/* Sizes change the fastest, types the slowest, as in nccl-tests. */
static void
advance_cell(struct bench *b)
{
    const struct bench_options *o = &b->o->bench;
    struct cell *c = &b->next;
    int type = (int)c->type, op = (int)c->op, ops = redop_count(c->type);
    int64_t most = o->max_bytes;

    if (o->factor > 1 ? c->bytes <= most / o->factor
                      : o->step_bytes > 0 && c->bytes <= most - o->step_bytes) {
        c->bytes = o->factor > 1 ? c->bytes * o->factor
                                 : c->bytes + o->step_bytes;
        return;
    }
    c->bytes = o->min_bytes;
    if (step_value(&c->root, b->o->root < 0 && collective_rooted(b->collective),
                   b->nranks))
        return;
    ops = b->nops < ops ? b->nops : ops;
    if (!step_op(b, &op, ops))
        do
            b->over = !step_value(&type, b->o->type == DTYPES, DTYPES);
        while (!b->over && op >= redop_count((enum dtype)type));
    c->op = (enum redop)op;
    c->type = (enum dtype)type;
}

static struct bench_side
make_side(const struct bench *b, int64_t bytes, double ns, int64_t wrong)
{
    double algbw = ns > 0 ? (double)bytes / ns : 0;

    return (struct bench_side){
        .there = true, .us = ns / 1000, .algbw = algbw,
        .busbw = algbw * bandwidth_factor(b->collective, b->nranks),
        .wrong = wrong};
}

/* A row of which nothing is measured yet. */
static struct bench_row
make_row(const struct bench *b, const struct cell *c)
{
    struct bandwidth_size size = bandwidth_size(
        b->collective, b->nranks, dtype_size(c->type), c->bytes);

    return (struct bench_row){
        .bytes = size.bytes, .count = size.count, .type = c->type,
        .redop = has_operator(b) ? redop_name(c->op) : "none",
        .root = collective_rooted(b->collective) ? c->root : -1};
}

/* Makes the ranks for the placement that is next; they take the place of those
 * before, if there are any (run_again()). */
static bool
begin_run(struct bench *b, struct err *err)
{
    const struct cell *c = &b->next;
    struct plan *before = b->plan, *plan = make_plan(b, c, b->in_place, err);
    OWN(buf) text = {0};

    if (plan == NULL)
        return false;
    if (!b->in_place)
        b->rows.ours = b->rows.native = make_row(b, c);
    buf_addf(&text, "%s, %s, %s, %s", buf_text(&b->name),
             bench_type_name(c->type), word_bytes(c->bytes).text,
             b->in_place ? _("in place") : _("out of place"));
    if (b->on_run != NULL)
        b->on_run(buf_text(&text));
    b->run = run_again(b->run, plan->backend, plan->seen, &plan->run, err);
    plan_free(before);
    b->plan = plan;
    b->rows.ours.chunks = plan->chunks;
    b->running = b->run != NULL;
    b->granted = b->ended = false;
    return b->running;
}

/* Goes on as far as the run can.  Ranks that are threads of this process run
 * during this call.  RUN_CAUGHT_UP: the run has ended. */
static enum run_got
continue_run(struct bench *b, struct err *err)
{
    struct item item;
    enum run_got got;

    for (;;) {
        got = run_next(b->run, &item, err);
        if (got == RUN_CAUGHT_UP && !b->ended) {
            if (b->granted)
                err_set(err, "the run has no result");
            if (b->granted ||
                !run_grant(b->run, b->plan->seen->nsteps, err))
                return RUN_FAILED;
            b->granted = true;
        } else if (got == RUN_ITEM) {
            if (item.type == ITEM_RUN)
                b->info = *item.run;
            if (item.type == ITEM_RESULT) {
                b->result = *item.result;
                b->result.bytes_sent = NULL; /* the backend's */
            }
            b->ended = item.type == ITEM_END;
        } else {
            b->running = got == RUN_LATER;
            return got;
        }
    }
}

/* Puts the time of a call on the network where a measured one would be. */
static bool
model_placement(struct bench *b, struct err *err)
{
    OWN(options) o = {0};
    struct built built;
    OWNS(schedule) *s = NULL;
    double ns;

    set_placement(b, &b->next, b->in_place, &o);
    s = build_schedule(b->operand, &o, &built, err);
    if (s == NULL || !simulation_holds(s, &o.network, err))
        return false;
    if (!b->in_place)
        b->rows.ours = make_row(b, &b->next);
    ns = simulation_time(&(struct simulation_spec){
        .schedule = s, .count = o.count, .network = &o.network,
        .size = (double)dtype_size(o.type)});
    b->rows.ours.chunks = built.chunks;
    *(b->in_place ? &b->rows.ours.in : &b->rows.ours.out) =
        make_side(b, b->rows.ours.bytes, ns, BENCH_NOT_CHECKED);
    snprintf(b->info.network, sizeof b->info.network, "%s", o.network.name);
    b->info.hosts = network_hosts(&o.network);
    b->ran = true;
    b->in_place = !b->in_place;
    return true;
}

/* Takes what was measured, ours and the library's, into the row. */
static void
end_run(struct bench *b)
{
    const struct run_result *r = &b->result;
    int64_t bytes = b->rows.ours.bytes;
    bool checked = is_checked(b, b->in_place);
    double calls = b->o->bench.calls;

    b->ran = true;
    b->rows.ours.alone = b->info.place == PLACE_CORE && b->info.nplaces == 1;
    *(b->in_place ? &b->rows.ours.in : &b->rows.ours.out) = make_side(
        b, bytes, (double)r->timed_ns / calls,
        checked ? r->wrong : BENCH_NOT_CHECKED);
    if (r->native.name[0] != '\0') {
        memcpy(b->native, r->native.name, sizeof b->native);
        *(b->in_place ? &b->rows.native.in : &b->rows.native.out) =
            make_side(b, bytes, (double)r->native.timed_ns / calls,
                      checked ? r->native.wrong : BENCH_NOT_CHECKED);
    }
    b->in_place = !b->in_place;
}

enum bench_got
bench_next(struct bench *b, struct bench_rows *rows, struct err *err)
{
    enum run_got got = RUN_FAILED;

    if (b->over) {
        close_run(b);
        return BENCH_OVER;
    }
    if (is_modelled(b))
        got = model_placement(b, err) ? RUN_CAUGHT_UP : RUN_FAILED;
    else if (b->running || begin_run(b, err))
        got = continue_run(b, err);
    if (got == RUN_LATER)
        return BENCH_LATER;
    if (got == RUN_FAILED) {
        err_prefix(err, "%s, %" PRId64 " byte%s", buf_text(&b->name),
                   b->next.bytes, err_plural(b->next.bytes));
        return BENCH_FAILED;
    }
    if (!is_modelled(b))
        end_run(b);
    if (b->in_place)
        return BENCH_LATER;
    *rows = b->rows;
    advance_cell(b);
    return BENCH_ROWS;
}

int
bench_fd(const struct bench *b)
{
    return b->running ? run_fd(b->run) : -1;
}

/* How long one placement of a row may take on a slow core, in nanoseconds. */
static double
placement_ns(const struct bench *b, const struct cell *c)
{
    enum { LEAST = 1024 }; /* bytes that a call, or a transfer, counts as */
    static const double byte_ns = 0.5, element_ns = 15;
    const struct bench_options *o = &b->o->bench;
    struct bandwidth_size size = bandwidth_size(
        b->collective, b->nranks, dtype_size(c->type), c->bytes);
    double calls = 1.0 + o->warm_up + o->calls;
    double bytes = b->sent * (double)size.input * (double)dtype_size(c->type) +
                   LEAST * (double)(b->ntransfers + 1);
    double elements = b->nranks + (o->checks > 0 ? b->checked : 0);

    return calls * bytes * byte_ns +
           elements * (double)size.input * element_ns;
}

int
bench_plan(const struct bench *b, int most, struct bench_row *rows,
           struct bench_work *work)
{
    struct bench rest = *b;
    struct err why;
    const struct backend *backend = backend_find(b->o->backend, &why);
    bool elsewhere = backend != NULL && backend->worker != NULL;
    int nrows = 0;

    *work = (struct bench_work){0};
    for (; !rest.over && nrows <= most; nrows++) {
        double ns = placement_ns(b, &rest.next);
        work->all += 2 * ns;
        if (!elsewhere && ns > work->longest)
            work->longest = ns;
        if (nrows < most)
            rows[nrows] = make_row(b, &rest.next);
        advance_cell(&rest);
    }
    return nrows;
}
