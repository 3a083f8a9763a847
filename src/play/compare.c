/* SPDX-License-Identifier: MIT */
#include "play/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/translate.h"
#include "play/build.h"
#include "play/modelled.h"
#include "play/play.h"
#include "run/pool.h"
#include "run/stopwatch.h"
#include "schedule/simulation.h"
#include "text/word.h"

/* Drops --chunks and --shape for entrants that do not take them. */
static bool
fit_options(const char *name, const struct options *o, struct options *mine,
            struct err *err)
{
    const struct algorithm *a;
    struct algorithm own;

    if (!build_find(name, o, &own, &a, err))
        return false;
    options_copy(mine, o);
    mine->broken.given = false;
    mine->fault.kind = FAULT_NONE; /* only the algorithm may differ */
    mine->ndelays = 0;
    if (mine->chunks == 0)
        mine->chunks = CHUNKS_AUTO;
    if (a->chunks == 0)
        mine->chunks = 0;
    if (a->dims == 0 && o->dims[0] > 0) {
        mine->nranks = build_ranks(o);
        memset(mine->dims, 0, sizeof mine->dims);
    }
    return true;
}

static bool
add_entrant(struct comparison *c, const char *name, const struct options *o,
            struct err *err)
{
    struct entrant *e = &c->entrants[c->nentrants];
    const struct schedule *s, *first;
    struct options mine;

    if (!fit_options(name, o, &mine, err))
        return err_typed(err);
    e->job = job_new(plan_new(name, NULL, &mine, err));
    options_done(&mine);
    if (e->job == NULL)
        return false;
    c->nentrants++;
    e->plan = e->job->plan;
    s = e->plan->seen;
    first = c->entrants[0].plan->seen;
    if (s->collective != first->collective) {
        err_set(err, "compare takes algorithms of one collective; %s "
                "is for %s, %s for %s", c->entrants[0].plan->name,
                first->collective->name, name, s->collective->name);
        return err_typed(err);
    }
    if (schedule_members(s) != schedule_members(first)) {
        err_set(err, "compare takes algorithms on the same number "
                "of ranks; %s has %d, %s has %d: say --gpus",
                c->entrants[0].plan->name, schedule_members(first), name,
                schedule_members(s));
        return err_typed(err);
    }
    if (e->plan->o.network.gpus > 0) {
        int64_t in;
        e->busiest_nic = simulation_busiest_nic(
            s, e->plan->run.input.count, &e->plan->o.network, &in);
    }
    c->bytes += 2 * plan_bytes(e->plan); /* the race runs every job again */
    return plan_fits(c->bytes, err) &&
           (schedule_check(s, e->plan->run.input.count, &e->counts, err) ||
            s->script != NULL || err_prefix(err, "%s is wrong", name));
}

static bool
measure_entrants(struct comparison *c, struct err *err)
{
    struct timed all[COMPARE_MAX];
    bool ok;

    for (int i = 0; i < c->nentrants; i++)
        all[i] = (struct timed){.schedule = c->entrants[i].plan->seen,
                                .input = c->entrants[i].plan->run.input};
    ok = stopwatch(all, c->nentrants, err);
    for (int i = 0; ok && i < c->nentrants; i++) {
        struct entrant *e = &c->entrants[i];
        e->measured_ns = all[i].ns;
        e->low_ns = all[i].low_ns;
        e->high_ns = all[i].high_ns;
        e->right = all[i].right;
        if (!c->modelled && all[i].workers > c->network.cores)
            c->network.cores = all[i].workers;
    }
    return ok;
}

/* The figures are fitted to one algorithm that adds and one that only moves
 * data.  They run on a few bytes, and on sizes around the compared one, because
 * a byte takes longer outside the caches and one beta cannot express that.  The
 * element type is the entrants': adding a byte of float16 takes longer than
 * one of float32.  The entrants' own times are not used, unless they are these
 * two. */
static const char *const fit_names[] = {"ring-allreduce", "ring-allgather"};

enum {
    FIT_NAMES = sizeof fit_names / sizeof fit_names[0],
    FIT_SIZES = 4,
    FIT_POINTS = FIT_NAMES * FIT_SIZES,
    FIT_LEAST = 64,      /* bytes a rank */
    FIT_LARGE = 16 << 10, /* at least this much, so that bytes dominate */
    FIT_MOST = 16 << 20, /* keeps the fit shorter than the rest */
};

/* Chunks of equal length. */
static void
fit_run(const char *name, int64_t bytes, const struct plan *plan,
        struct timed *run, struct path *path)
{
    struct coll_options o = {.nranks = schedule_members(plan->seen),
                             .in_place = true};
    enum dtype type = plan->run.input.type;
    const struct algorithm *a;
    int64_t chunk;
    int pieces;
    struct err never;

    coll_find(name, &a, &never);
    coll_path(a, &o, path, &pieces, &never);
    run->schedule = build_row(a, &o, &never);
    chunk = bytes / o.nranks / (int64_t)dtype_size(type);
    run->input = (struct input){.type = type, .op = REDOP_SUM,
                                .count = pieces * (chunk > 1 ? chunk : 1)};
}

static bool
fit_here(struct comparison *c, struct err *err)
{
    const struct plan *plan = c->entrants[0].plan;
    const struct input *in = &plan->run.input;
    int64_t bytes = in->count * (int64_t)dtype_size(in->type);
    struct timed runs[FIT_POINTS] = {{0}};
    struct path paths[FIT_POINTS];
    struct network_fit_point points[FIT_POINTS];
    bool ok;

    bytes = bytes < FIT_LARGE ? FIT_LARGE : bytes;
    bytes = bytes > FIT_MOST / 4 ? FIT_MOST / 4 : bytes;
    c->fitted_from = FIT_LEAST;
    c->fitted_to = 4 * bytes;
    for (int i = 0; i < FIT_POINTS; i++) {
        const int64_t sizes[FIT_SIZES] = {FIT_LEAST, bytes / 4, bytes,
                                          4 * bytes};
        fit_run(fit_names[i / FIT_SIZES], sizes[i % FIT_SIZES], plan, &runs[i],
                &paths[i]);
    }
    ok = stopwatch(runs, FIT_POINTS, err);
    for (int i = 0; i < FIT_POINTS; i++) {
        const struct timed *t = &runs[i];
        /* A ring's ranks all do the same, and take turns if they share
         * cores. */
        double share = ok ? (double)t->schedule->nranks / t->workers : 0;
        double length = (double)t->input.count *
                        (double)dtype_size(t->input.type) * share /
                        t->schedule->pieces;
        points[i] = (struct network_fit_point){
            paths[i].messages * share, paths[i].chunks * length,
            paths[i].added * length, t->ns};
        schedule_free((struct schedule *)t->schedule);
    }
    if (ok) {
        c->network = (struct network){.ports = 1};
        network_fit(&c->network, points, FIT_POINTS);
    }
    return ok;
}

static int
by_point_bytes(const void *a, const void *b)
{
    double x = ((const struct series_point *)a)->bytes;
    double y = ((const struct series_point *)b)->bytes;

    return (x > y) - (x < y);
}

/* A time of 0 has no place on a curve. */
static void
add_point(struct series *s, double bytes, double ns)
{
    series_put(s, (struct series_point){.bytes = bytes,
                                        .us = fmax(ns, 1e-6) / 1000,
                                        .algbw = NAN, .busbw = NAN});
}

/* A point of --chunks auto is the time of the best number of chunks at its
 * size, chosen on the network on which the entrants' numbers were chosen. */
static void
model_pipeline(const struct comparison *c, const struct plan *plan,
               struct series *s)
{
    const struct collective *k = plan->seen->collective;
    struct coll_options o = build_coll(&plan->o);
    double data = prediction_bytes(k, o.nranks, 1);
    double least = (double)dtype_size(plan->o.type) *
                   collective_units(k->input, o.nranks);
    const struct algorithm *a;
    struct algorithm own;
    struct network network = build_network(&plan->o);
    struct prediction p;
    struct pipeline all;
    struct err never;
    bool ok;

    if (!build_find(plan->name, &plan->o, &own, &a, &never))
        return;
    ok = pipeline_open(&all, a, &o, &network, &never);
    for (double bytes = least; ok && bytes <= MODELLED_BYTES_MOST;
         bytes *= 2) {
        pipeline_ns(&all, bytes * data, &o.chunks);
        if (prediction_open(&p, a, &o, &c->network, &never))
            add_point(s, bytes, prediction_ns(&p, bytes * data));
        prediction_close(&p);
    }
    pipeline_close(&all);
}

/* An entrant's times by the bytes of a rank's input: at the size that is
 * compared, and at sizes that double.  Chunks are as they are where there are
 * fewer elements than chunks, and equally long beyond.  There, if the line from
 * one point to the next leads to the last one, to a thousandth, what is between
 * is taken to be on it, too: where no message waits for a port, the time is
 * that of the longest of several paths.  Where some do, it can fall or jump in
 * between: by 10 % at most, at 31 of 84,000 sizes of all algorithms on up to 9
 * ranks. */
static void
model_entrant(const struct comparison *c, struct entrant *e, struct series *s)
{
    const struct plan *plan = e->plan;
    const struct schedule *of = plan->seen;
    struct simulation_spec spec = {
        .schedule = of, .count = plan->run.input.count,
        .size = (double)dtype_size(plan->run.input.type),
        .network = &c->network};
    static const double largest = 64.0 * (1 << 30); /* bytes */
    int64_t last = of->nchunks;
    double ns, before = NAN, end;
    bool straight = false;

    e->modelled_ns = simulation_time(&spec);
    add_point(s, (double)spec.count * spec.size, e->modelled_ns);
    for (int k = 1; of->counts != NULL && k < 32; k++) { /* all grow alike */
        spec.size *= 2;
        add_point(s, (double)spec.count * spec.size, simulation_time(&spec));
    }
    if (of->counts != NULL)
        return;
    if (plan->o.chunks == CHUNKS_AUTO) {
        model_pipeline(c, plan, s);
        qsort(s->points, s->n, sizeof *s->points, by_point_bytes);
        return;
    }
    for (spec.count = of->nchunks / of->pieces; spec.count < of->nchunks;
         spec.count *= 2)
        add_point(s, (double)spec.count * spec.size, simulation_time(&spec));
    while ((double)last * spec.size <= largest / 2)
        last *= 2;
    spec.count = last;
    end = simulation_time(&spec);
    add_point(s, (double)last * spec.size, end);
    for (spec.count = of->nchunks; spec.count < last && !straight;
         spec.count *= 2) {
        double left = (double)(last - spec.count) / (double)spec.count;
        ns = simulation_time(&spec);
        add_point(s, (double)spec.count * spec.size, ns);
        straight = fabs(ns + 2 * (ns - before) * left - end) <= 1e-3 * end;
        before = ns;
    }
    qsort(s->points, s->n, sizeof *s->points, by_point_bytes);
}

/* Finds which entrant is the fastest from each size on. */
static void
model_entrants(struct comparison *c)
{
    OWN(series_set) set = {0};

    for (int i = 0; i < c->nentrants; i++)
        model_entrant(c, &c->entrants[i],
                      series_add(&set, c->entrants[i].plan->name));
    c->winners = curve_reigns(&set, (struct axes){OVER_BYTES, OF_TIME});
    for (int i = 0; i < c->winners.n; i++)
        c->winners.all[i].from = i > 0 ? ceil(c->winners.all[i].from) : 0;
}

/* Plain runs, which report no transfers, are measured; only threads have
 * them. */
static bool
find_clock(struct comparison *c, struct err *err)
{
    const struct plan *plan = c->entrants[0].plan;
    const struct backend *b = plan->backend;

    c->network = plan->o.network;
    c->modelled = c->network.name[0] != '\0';
    return b == &backend_threads || strcmp(plan->o.backend, "auto") == 0 ||
           err_set(err, "compare measures --backend threads; it has nothing "
                   "to measure %s with", b->name);
}

bool
compare(struct comparison *c, const struct options *o, struct err *err)
{
    *c = (struct comparison){0};
    if (o->noperands < 2 || o->noperands > COMPARE_MAX) {
        err_set(err, "'collviz compare' needs 2 to %d algorithms of one "
                "collective, as in collviz compare ring-allreduce "
                "butterfly-allreduce", COMPARE_MAX);
        return err_typed(err);
    }
    for (int i = 0; i < o->noperands; i++)
        if (!add_entrant(c, o->operands[i], o, err))
            return false;
    if (!find_clock(c, err))
        return err_typed(err);
    if ((!c->modelled && !fit_here(c, err)) || !measure_entrants(c, err))
        return false;
    model_entrants(c);
    for (int i = 0; i < c->nentrants; i++) {
        struct entrant *e = &c->entrants[i];
        e->race_ns = c->modelled ? e->modelled_ns : e->measured_ns;
    }
    return true;
}

bool
compare_is_faster(const struct entrant *a, const struct entrant *b)
{
    return a->high_ns < b->low_ns;
}

void
compare_title(const struct comparison *c, bool gpus, struct buf *out)
{
    const struct plan *plan = c->entrants[0].plan;
    const struct input *in = &plan->run.input;
    const char *what = _(plan->seen->collective->title);
    struct word bytes = word_input_bytes(plan->seen, in->count, in->type);
    int n = schedule_members(plan->seen);

    if (gpus)
        buf_addf(out, _("%1$s of %2$s on %3$s, %4$s each"), what,
                 dtype_name(in->type), word_gpus(n).text, bytes.text);
    else
        buf_addf(out, ngettext("%1$s of %2$s on %3$d rank, %4$s a rank",
                               "%1$s of %2$s on %3$d ranks, %4$s a rank",
                               (unsigned long)n),
                 what, dtype_name(in->type), n, bytes.text);
}

void
compare_done(struct comparison *c)
{
    for (int i = 0; i < c->nentrants; i++)
        job_free(c->entrants[i].job);
}
