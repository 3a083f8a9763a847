/* SPDX-License-Identifier: MIT */
#include "play/prediction.h"

#include <math.h>

#include "play/build.h"
#include "schedule/simulation.h"

/* Larger schedules take too long to be simulated while somebody waits.  Where
 * several candidates are, or two smaller schedules would do, half of that is
 * large. */
enum {
    TRANSFERS_MOST = 1 << 16,
    TRANSFERS_LARGE = TRANSFERS_MOST / 2,
    SLOTS_A_TRANSFER = 16 /* on average */
};

/* A measure of the time that a simulation takes, in transfers. */
static size_t
size_of(const struct schedule *s)
{
    size_t slots = 0;

    for (size_t i = 0; i < s->ntransfers; i++)
        slots += (size_t)s->transfers[i].nslots;
    return slots / SLOTS_A_TRANSFER > s->ntransfers ? slots / SLOTS_A_TRANSFER
                                                    : s->ntransfers;
}

/* A closed form holds where a rank has one port of its own, because a rank with
 * several overlaps messages of different steps, where links carry any number of
 * messages, and where all messages are on the same network. */
static bool
holds_on(const struct algorithm *a, const struct network *n)
{
    return n->ports == 1 && n->cores == 0 && n->gpus == 0 &&
           (a->topology == TOPOLOGY_ANY || n->links == 0);
}

static bool
build_bounded(struct schedule **s, const struct algorithm *a,
              const struct coll_options *o, struct err *err)
{
    struct coll_options bounded = *o;

    bounded.transfers_most = TRANSFERS_MOST;
    *s = build_row(a, &bounded, err);
    return *s != NULL &&
           (size_of(*s) <= TRANSFERS_MOST ||
            err_set(err, "the schedule of %s on %d ranks is too large to be "
                    "simulated", coll_name(a).text, o->nranks));
}

/* Simulates fewer ranks, and twice as many. */
static bool
build_pair(struct prediction *p, const struct algorithm *a,
           const struct coll_options *o, struct err *err)
{
    struct coll_options fewer = *o;

    if (!holds_on(a, p->network) ||
        !coll_steady(a, o, TRANSFERS_LARGE, &fewer.nranks, &p->doublings))
        return err_set(err, "the time of %s on %d ranks is not known: no "
                       "closed form holds, and schedules have at most %d ranks",
                       coll_name(a).text, o->nranks, SCHEDULE_RANKS_MAX);
    if (!build_bounded(&p->base, a, &fewer, err))
        return false;
    fewer.nranks *= 2;
    return build_bounded(&p->doubled, a, &fewer, err);
}

bool
prediction_open(struct prediction *p, const struct algorithm *a,
                const struct coll_options *o, const struct network *network,
                struct err *err)
{
    bool ok;

    *p = (struct prediction){.network = network,
                             .collective = collective_find(a->collective),
                             .nranks = o->nranks};
    if (!network_holds(network, o->nranks, err))
        return false;
    if (holds_on(a, network) && coll_path(a, o, &p->path, &p->pieces, err))
        return true;
    ok = build_pair(p, a, o, err);
    if (!ok && o->nranks <= SCHEDULE_RANKS_MAX) {
        prediction_close(p);
        p->doublings = 0;
        ok = build_bounded(&p->base, a, o, err);
    }
    ok = ok && simulation_holds(p->base, network, err);
    if (ok)
        p->pieces = p->base->pieces;
    else
        prediction_close(p);
    return ok;
}

void
prediction_close(struct prediction *p)
{
    schedule_free(p->base);
    schedule_free(p->doubled);
    p->base = p->doubled = NULL;
}

/* Elements of one byte. */
static double
simulated_ns(const struct prediction *p, const struct schedule *s,
             double chunk)
{
    int units = collective_units(p->collective->input, schedule_members(s));

    return simulation_time(&(struct simulation_spec){
        .schedule = s, .count = llround(chunk) * p->pieces * units, .size = 1,
        .network = p->network});
}

double
prediction_bytes(const struct collective *c, int nranks, double input)
{
    return input * fmax(1, (double)collective_units(c->output, nranks) /
                               collective_units(c->input, nranks));
}

double
prediction_ns(struct prediction *p, double bytes)
{
    const struct network *n = p->network;
    double units = prediction_bytes(p->collective, p->nranks,
                                    collective_units(p->collective->input,
                                                     p->nranks));
    double chunk = fmax(bytes / units / p->pieces, 1);

    if (p->base != NULL && p->chunk != chunk) {
        p->chunk = chunk;
        p->base_ns = simulated_ns(p, p->base, chunk);
        if (p->doublings > 0)
            p->added_ns = simulated_ns(p, p->doubled, chunk) - p->base_ns;
    }
    if (p->base != NULL)
        return p->base_ns + p->doublings * p->added_ns;
    return n->alpha * p->path.messages + n->beta * p->path.chunks * chunk +
           n->gamma * p->path.added * chunk;
}

bool
pipeline_open(struct pipeline *p, const struct algorithm *a,
              const struct coll_options *o, const struct network *network,
              struct err *err)
{
    bool chooses = o->chunks == CHUNKS_AUTO && a->chunks > 0;

    *p = (struct pipeline){.algorithm = a, .network = network, .options = *o,
                           .n = 1, .most = chooses ? PIPELINE_CANDIDATES : 1};
    if (a->chunks == 0)
        p->options.chunks = 0;
    else if (o->chunks <= 0)
        p->options.chunks = chooses ? 1 : a->chunks;
    return prediction_open(&p->all[0], a, &p->options, network, err);
}

void
pipeline_close(struct pipeline *p)
{
    for (int i = 0; i < p->n; i++)
        prediction_close(&p->all[i]);
}

bool
pipeline_double(struct pipeline *p)
{
    for (int i = 0; i < p->n; i++)
        if (p->all[i].doubled == NULL)
            return false;
    for (int i = 0; i < p->n; i++) {
        p->all[i].nranks *= 2;
        p->all[i].doublings++;
    }
    p->options.nranks *= 2;
    return p->n > 0;
}

/* Opens the next candidate, if there is one. */
static bool
open_next(struct pipeline *p)
{
    struct prediction *next = &p->all[p->n];
    struct coll_options o = p->options;
    struct err ignored;

    if (p->n == p->most)
        return false;
    o.chunks <<= p->n;
    if (prediction_open(next, p->algorithm, &o, p->network, &ignored) &&
        (next->base == NULL || size_of(next->base) <= TRANSFERS_LARGE)) {
        p->n++;
        return true;
    }
    prediction_close(next);
    p->most = p->n;
    return false;
}

double
pipeline_ns(struct pipeline *p, double bytes, int *chunks)
{
    double least = INFINITY, ns;

    p->best = 0;
    for (int i = 0; i <= p->best + 2 && (i < p->n || open_next(p)); i++)
        if ((ns = prediction_ns(&p->all[i], bytes)) < least) {
            least = ns;
            p->best = i;
        }
    *chunks = p->options.chunks << p->best;
    return least;
}
