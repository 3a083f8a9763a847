/* SPDX-License-Identifier: MIT */
#include "play/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/translate.h"
#include "base/whole.h"
#include "play/build.h"
#include "play/play.h"
#include "run/pool.h"
#include "run/stopwatch.h"
#include "schedule/network_curve.h"
#include "text/text.h"

/* Drops --chunks and --shape for entrants that do not take them. */
static bool
options_for(const char *name, const struct options *o, struct options *mine,
            struct err *err)
{
    const struct algorithm *a;

    if (!coll_find(name, &a, err))
        return false;
    options_copy(mine, o);
    mine->fault.kind = FAULT_NONE; /* only the algorithm may differ */
    mine->ndelays = 0;
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
            int *status, struct err *err)
{
    struct entrant *e = &c->entrants[c->nentrants];
    const struct schedule *s, *first;
    struct options mine;

    *status = EXIT_USAGE;
    if (!options_for(name, o, &mine, err))
        return false;
    e->job = job_new(name, &mine, status, err);
    options_done(&mine);
    if (e->job == NULL)
        return false;
    c->nentrants++;
    s = e->job->schedule;
    first = c->entrants[0].job->schedule;
    *status = EXIT_USAGE;
    if (s->collective != first->collective)
        return err_set(err, "compare takes algorithms of one collective; %s "
                       "is for %s, %s for %s", c->entrants[0].job->name,
                       first->collective->name, name, s->collective->name);
    if (s->nranks != first->nranks)
        return err_set(err, "compare takes algorithms on the same number "
                       "of ranks; %s has %d, %s has %d: say --gpus",
                       c->entrants[0].job->name, first->nranks, name,
                       s->nranks);
    *status = EXIT_WRONG;
    c->bytes += 2 * job_bytes(e->job); /* the race runs every job again */
    return job_fits(c->bytes, err) &&
           (schedule_check(s, e->job->run.input.count, &e->counts, err) ||
            err_prefix(err, "%s is wrong", name));
}

static bool
measure(struct comparison *c, struct err *err)
{
    struct timed all[COMPARE_MAX];
    bool ok;

    for (int i = 0; i < c->nentrants; i++)
        all[i] = (struct timed){.schedule = c->entrants[i].job->schedule,
                                .input = c->entrants[i].job->run.input};
    ok = stopwatch(all, c->nentrants, err);
    for (int i = 0; ok && i < c->nentrants; i++) {
        struct entrant *e = &c->entrants[i];
        const struct input *in = &all[i].input;
        struct load load = cost_load(all[i].schedule, in->count,
                                     dtype_size(in->type), all[i].workers);
        e->measured_ns = all[i].ns;
        e->low_ns = all[i].low_ns;
        e->high_ns = all[i].high_ns;
        e->right = all[i].right;
        if (c->times == TIMES_MEASURED)
            e->modelled_ns = cost_time(&c->model, &load);
    }
    return ok;
}

void
compare_span(const struct world *w, int64_t *begin_ns, int64_t *end_ns)
{
    *begin_ns = INT64_MAX;
    *end_ns = 0;
    for (int step = 1; step <= w->nsteps; step++)
        for (size_t i = 0; i < w->steps[step].count; i++) {
            const struct event *e = &w->steps[step].events[i];
            *begin_ns = e->begin_ns < *begin_ns ? e->begin_ns : *begin_ns;
            *end_ns = e->end_ns > *end_ns ? e->end_ns : *end_ns;
        }
}

/* A time of 0 and 0 bytes have no place on a curve. */
static const double least_ns = 1e-6, least_bytes = 1;

/* Adds an entrant's time by the bytes of a rank's input. */
static void
put_time(struct series *s, double bytes, double ns)
{
    series_put(s, (struct series_point){
        .bytes = bytes, .us = fmax(ns, least_ns) / 1000, .algbw = NAN,
        .busbw = NAN});
}

/* Which entrant is the fastest from what size on; there is a series for each
 * one, from least_bytes on. */
static void
find_winners(struct comparison *c, const struct series_set *set)
{
    struct reigns r = curve_reigns(set, (struct axes){OVER_BYTES, OF_TIME});

    c->nwinners = r.n;
    c->more_winners = r.more;
    for (int i = 0; i < r.n; i++)
        c->winners[i] = (struct winner){
            r.all[i].series, i > 0 ? whole(ceil(r.all[i].from)) : 0};
}

static void
model_network(struct comparison *c)
{
    struct series_set set = {0};

    for (int i = 0; i < c->nentrants; i++) {
        struct job *job = c->entrants[i].job;
        struct series *s = series_add(&set, job->name);
        struct network_curve curve;

        c->entrants[i].modelled_ns = job_modelled_ns(job);
        network_curve_of(job->schedule, &c->network, &curve);
        put_time(s, least_bytes, network_curve_at(&curve, least_bytes));
        for (int k = 0; k < curve.n; k++)
            if (curve.points[k].bytes > least_bytes)
                put_time(s, curve.points[k].bytes, curve.points[k].ns);
    }
    find_winners(c, &set);
    series_done(&set);
}

static bool
simulate(struct comparison *c, struct err *err)
{
    for (int i = 0; i < c->nentrants; i++) {
        struct entrant *e = &c->entrants[i];
        struct session *s = &e->job->session;
        int64_t begin, end;

        if (!job_start(e->job, true, err) || !play_through(s, true, err))
            return err_prefix(err, "%s", e->job->name);
        if (!s->world->has_result)
            return err_set(err, "a signal asks collviz to end");
        compare_span(s->world, &begin, &end);
        e->measured_ns = end > begin ? (double)(end - begin) : 0;
        e->low_ns = e->high_ns = e->measured_ns;
        e->right = s->world->result.correct;
    }
    return true;
}

/* The model is fitted to one algorithm that adds and one that only moves data.
 * They run on a few bytes, and on sizes around the compared one, because a
 * byte takes longer outside the caches and one beta cannot express that.  The
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

static int
make_points(const struct comparison *c, int64_t bytes, struct timed *all)
{
    const int64_t sizes[FIT_SIZES] = {FIT_LEAST, bytes / 4, bytes, 4 * bytes};
    struct coll_options o = {
        .nranks = c->entrants[0].job->schedule->nranks, .in_place = true};
    enum dtype type = c->entrants[0].job->run.input.type;
    size_t size = dtype_size(type);
    int n = 0;

    for (int i = 0; i < FIT_NAMES; i++)
        for (int k = 0; k < FIT_SIZES; k++) {
            const struct algorithm *a;
            struct err ignored;
            int64_t input = sizes[k] < FIT_LEAST ? FIT_LEAST : sizes[k];
            if (!coll_find(fit_names[i], &a, &ignored) ||
                (all[n].schedule = coll_build(a, &o, &ignored)) == NULL)
                continue;
            input /= collective_units(all[n].schedule->collective->output,
                                      o.nranks);
            all[n++].input = (struct input){
                type, REDOP_SUM,
                input / (int64_t)size > 0 ? input / (int64_t)size : 1, NULL};
        }
    return n;
}

static bool
fit(struct comparison *c, struct err *err)
{
    const struct job *job = c->entrants[0].job;
    int64_t bytes =
        job->run.input.count * (int64_t)dtype_size(job->run.input.type);
    struct timed all[FIT_POINTS] = {{0}};
    struct cost_point points[FIT_POINTS];
    int n;
    bool ok;

    bytes = bytes < FIT_LARGE ? FIT_LARGE : bytes;
    bytes = bytes > FIT_MOST / 4 ? FIT_MOST / 4 : bytes;
    n = make_points(c, bytes, all);
    ok = stopwatch(all, n, err);
    for (int i = 0; ok && i < n; i++)
        points[i] = (struct cost_point){
            cost_load(all[i].schedule, all[i].input.count,
                      dtype_size(job->run.input.type), all[i].workers),
            all[i].ns};
    if (ok)
        c->model = cost_fit(points, (size_t)n);
    for (int i = 0; i < n; i++)
        schedule_free(all[i].schedule);
    c->fitted_from = FIT_LEAST;
    c->fitted_to = 4 * bytes;
    return ok;
}

/* The modelled time is linear.  Inputs of 1000 elements a chunk are so large
 * that unequal chunk lengths do not matter. */
static void
put_fitted(const struct comparison *c, const struct entrant *e,
           struct series *line)
{
    static const double most = 1e15; /* bytes; later crossings do not count */
    const struct schedule *s = e->job->schedule;
    int64_t count = (int64_t)s->nchunks * 1000;
    int lanes = pool_cores() < s->nranks ? pool_cores() : s->nranks;
    struct load load = cost_load(s, count, 1, lanes);
    double start = c->model.alpha * load.messages, rate;

    load.messages = 0;
    rate = cost_time(&c->model, &load) / (double)count;
    put_time(line, least_bytes, start + rate * least_bytes);
    put_time(line, most, start + rate * most);
}

static void
model_fitted(struct comparison *c)
{
    struct series_set set = {0};

    for (int i = 0; i < c->nentrants; i++)
        put_fitted(c, &c->entrants[i],
                   series_add(&set, c->entrants[i].job->name));
    find_winners(c, &set);
    series_done(&set);
}

/* Plain runs, which report no transfers, are measured; only threads have
 * them. */
static bool
find_clock(struct comparison *c, struct err *err)
{
    const struct options *o = &c->entrants[0].job->o;
    const struct backend *b = c->entrants[0].job->backend;

    c->network = c->entrants[0].job->network;
    c->times = c->network.name[0] != '\0' ? TIMES_MODELLED
               : b == &backend_smpi       ? TIMES_SIMULATED
                                          : TIMES_MEASURED;
    return c->times == TIMES_SIMULATED || b == &backend_threads ||
           strcmp(o->backend, "auto") == 0 ||
           err_set(err, "compare measures --backend threads and simulates "
                   "--backend smpi; it has nothing to measure %s with",
                   b->name);
}

static bool
time_all(struct comparison *c, struct err *err)
{
    switch (c->times) {
    case TIMES_SIMULATED:
        return simulate(c, err);
    case TIMES_MODELLED:
        model_network(c);
        return measure(c, err);
    default:
        if (!fit(c, err) || !measure(c, err))
            return false;
        model_fitted(c);
        return true;
    }
}

bool
compare(struct comparison *c, const struct options *o, int *status,
        struct err *err)
{
    *c = (struct comparison){0};
    *status = EXIT_USAGE;
    if (o->noperands < 2 || o->noperands > COMPARE_MAX)
        return err_set(err, "'collviz compare' needs 2 to %d algorithms of one "
                       "collective, as in collviz compare ring-allreduce "
                       "butterfly-allreduce", COMPARE_MAX);
    for (int i = 0; i < o->noperands; i++)
        if (!add_entrant(c, o->operands[i], o, status, err))
            return false;
    *status = EXIT_USAGE;
    if (!find_clock(c, err))
        return false;
    *status = EXIT_WRONG;
    if (!time_all(c, err))
        return false;
    for (int i = 0; i < c->nentrants; i++) {
        struct entrant *e = &c->entrants[i];
        e->race_ns = c->times == TIMES_MODELLED ? e->modelled_ns
                                                : e->measured_ns;
    }
    *status = EXIT_RIGHT;
    return true;
}

bool
compare_is_faster(const struct entrant *a, const struct entrant *b)
{
    return a->high_ns < b->low_ns;
}

void
compare_title(const struct comparison *c, struct buf *out)
{
    const struct job *job = c->entrants[0].job;
    const struct input *in = &job->run.input;
    int64_t bytes = in->count * (int64_t)dtype_size(in->type);

    buf_addf(out, ngettext("%1$s of %2$s on %3$d rank, %4$s a rank",
                           "%1$s of %2$s on %3$d ranks, %4$s a rank",
                           (unsigned long)job->schedule->nranks),
             _(job->schedule->collective->title), dtype_name(in->type),
             job->schedule->nranks, text_of_bytes(bytes).text);
}

void
compare_done(struct comparison *c)
{
    for (int i = 0; i < c->nentrants; i++)
        job_free(c->entrants[i].job);
}
