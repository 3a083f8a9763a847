/* SPDX-License-Identifier: MIT */
#include "play/prediction.h"

#include <math.h>

#include "schedule/simulation.h"

/* Larger schedules take too long to be simulated while somebody waits. */
enum { TRANSFERS_MOST = 1 << 16 };

/* A closed form holds where a rank has one port of its own, because a rank with
 * several overlaps messages of different steps, and where links carry any
 * number of messages. */
static bool
holds_on(const struct algorithm *a, const struct network *n)
{
    return n->ports == 1 && n->cores == 0 &&
           (a->topology == TOPOLOGY_ANY || n->links == 0);
}

static bool
build(struct schedule **s, const struct algorithm *a,
      const struct coll_options *o, struct err *err)
{
    *s = coll_build(a, o, err);
    return *s != NULL &&
           ((*s)->ntransfers <= TRANSFERS_MOST ||
            err_set(err, "the schedule of %s-%s on %d ranks is too large to be "
                    "simulated", a->name, a->collective, o->nranks));
}

/* Simulates as many ranks as a schedule can have, and twice as many. */
static bool
build_pair(struct prediction *p, const struct algorithm *a,
           const struct coll_options *o, struct err *err)
{
    struct coll_options fewer = *o;

    if (!holds_on(a, p->network) ||
        !coll_steady(a, o, &fewer.nranks, &p->doublings))
        return err_set(err, "the time of %s-%s on %d ranks is not known: no "
                       "closed form holds, and schedules have at most %d ranks",
                       a->name, a->collective, o->nranks, SCHEDULE_RANKS_MAX);
    if (!build(&p->base, a, &fewer, err))
        return false;
    fewer.nranks *= 2;
    return build(&p->doubled, a, &fewer, err);
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
    if (holds_on(a, network) && coll_path(a, o, &p->path, &p->pieces, err))
        return true;
    ok = o->nranks > SCHEDULE_RANKS_MAX ? build_pair(p, a, o, err)
                                        : build(&p->base, a, o, err);
    p->pieces = ok ? p->base->pieces : 0;
    return ok;
}

void
prediction_close(struct prediction *p)
{
    schedule_free(p->base);
    schedule_free(p->doubled);
}

/* Elements of one byte. */
static double
simulated_ns(const struct prediction *p, const struct schedule *s,
             double chunk)
{
    int units = collective_units(p->collective->input, s->nranks);

    return simulation_time(&(struct simulation_spec){
        .schedule = s, .count = llround(chunk) * p->pieces * units, .size = 1,
        .network = p->network});
}

/* The bytes of a chunk: the data is as large as the larger one of a rank's
 * input and output. */
static double
chunk_of(const struct prediction *p, double bytes)
{
    int input = collective_units(p->collective->input, p->nranks);
    int output = collective_units(p->collective->output, p->nranks);
    double chunk = bytes / (input > output ? input : output) / p->pieces;

    return chunk > 1 ? chunk : 1;
}

double
prediction_ns(const struct prediction *p, double bytes)
{
    const struct network *n = p->network;
    double chunk = chunk_of(p, bytes), ns;

    if (p->base != NULL) {
        ns = simulated_ns(p, p->base, chunk);
        return p->doublings == 0
                   ? ns
                   : ns + p->doublings *
                              (simulated_ns(p, p->doubled, chunk) - ns);
    }
    return n->alpha * p->path.messages + n->beta * p->path.chunks * chunk +
           n->gamma * p->path.added * chunk;
}
