/* SPDX-License-Identifier: MIT */
#include "play/modelled.h"

#include <math.h>
#include <string.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "base/whole.h"
#include "play/build.h"
#include "schedule/bandwidth.h"
#include "schedule/simulation.h"
#include "text/word.h"

/* The time of one algorithm on one number of ranks. */

/* Larger schedules take too long to be simulated while somebody waits. */
enum { TRANSFERS_MOST = 1 << 16 };

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
    if (!network_holds(network, o->nranks, err))
        return false;
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
    int units = collective_units(p->collective->input, schedule_members(s));

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

/* Curves. */

enum { GPUS = 8 }; /* by default */

static const char default_network[] = "ethernet";

static bool
add_algorithm(struct modelled *m, const char *name, struct err *err)
{
    const struct algorithm *a;
    const struct collective *c;

    if (!coll_find(name, &a, err))
        return false;
    c = collective_find(a->collective);
    if (m->count == MODELLED_MOST)
        return err_set(err, "a chart has at most %d algorithms",
                       MODELLED_MOST);
    if (m->count > 0 && c != m->collective)
        return err_set(err, "a chart is of one collective; %s-%s is for %s, "
                       "%s for %s", m->algorithms[0]->name,
                       m->algorithms[0]->collective, m->collective->name,
                       name, c->name);
    m->collective = c;
    m->algorithms[m->count++] = a;
    return true;
}

/* The options of an algorithm that takes only some of them.  A given shape is
 * used for the number of ranks that it was given for. */
static struct coll_options
options_for(const struct modelled *m, const struct algorithm *a, int nranks)
{
    struct coll_options o = m->coll;

    o.nranks = nranks;
    o.host = m->network.gpus;
    if (a->chunks == 0)
        o.chunks = 0;
    if (a->dims == 0 || nranks != m->coll.nranks)
        memset(o.dims, 0, sizeof o.dims);
    return o;
}

bool
modelled_init(struct modelled *m, const struct options *o, struct err *err)
{
    *m = (struct modelled){.coll = build_coll(o),
                           .nranks = o->nranks > 0 || o->dims[0] > 0
                                         ? build_ranks(o)
                                         : GPUS,
                           .bytes = o->bytes};
    if (m->nranks < 2)
        return err_set(err, "a chart needs at least 2 GPUs");
    if (o->bytes < MODELLED_BYTES_LEAST || o->bytes > MODELLED_BYTES_MOST)
        return err_set(err, "--bytes: a chart has sizes from %d B to %d GiB",
                       MODELLED_BYTES_LEAST, MODELLED_BYTES_MOST >> 30);
    for (int i = 0; i < o->noperands; i++)
        if (!add_algorithm(m, o->operands[i], err))
            return false;
    if (!options_network(o, &m->network, err) ||
        (m->network.name[0] == '\0' &&
         !network_parse(default_network, &m->network, err)))
        return false;
    for (int i = 0; i < m->count; i++) {
        struct coll_options mine = options_for(m, m->algorithms[i], m->nranks);
        struct prediction p;
        bool ok = prediction_open(&p, m->algorithms[i], &mine, &m->network,
                                  err);
        prediction_close(&p);
        if (!ok)
            return false;
    }
    return true;
}

static void
put(struct series *s, const struct prediction *p, double bytes)
{
    double ns = prediction_ns(p, bytes);
    double factor = bandwidth_factor(p->collective, p->nranks);

    series_put(s, (struct series_point){.bytes = bytes,
                                        .us = ns / 1000,
                                        .algbw = bytes / ns,
                                        .busbw = bytes / ns * factor,
                                        .ranks = p->nranks});
}

/* The next number of ranks with a point: 2, 3, 4, 6, 8, 12, ..., the powers of
 * two and what lies half way between; and m->nranks. */
static int
next_ranks(const struct modelled *m, int nranks)
{
    int next = 2;

    while (next <= nranks)
        next *= 2;
    if (nranks < next / 4 * 3)
        next = next / 4 * 3;
    if (nranks < m->nranks && m->nranks < next)
        next = m->nranks;
    return next;
}

static void
add_line(struct buf *note, const char *name, int nranks, const char *what)
{
    buf_addf(note, "%s%s: ", note->length > 0 ? "\n" : "", name);
    buf_addf(note, _("from %1$d GPUs on %2$s"), nranks, what);
}

/* One curve, and notes about the first numbers of ranks whose time is not
 * known, or follows from smaller ones. */
static void
add_curve(const struct modelled *m, const struct algorithm *a,
          enum curve_over over, struct series *s, struct buf *note)
{
    int last = over == OVER_RANKS ? COLL_RANKS_MODELLED : m->nranks;
    int unknown = 0, extended = 0;

    for (int n = over == OVER_RANKS ? 2 : last; n <= last;
         n = next_ranks(m, n)) {
        struct coll_options o = options_for(m, a, n);
        struct prediction p;
        struct err err;
        if (!prediction_open(&p, a, &o, &m->network, &err)) {
            unknown = unknown == 0 ? n : unknown;
        } else if (over == OVER_RANKS) {
            put(s, &p, m->bytes);
            extended = extended == 0 && p.doublings > 0 ? n : extended;
        } else {
            for (double bytes = MODELLED_BYTES_LEAST;
                 bytes <= MODELLED_BYTES_MOST; bytes *= 2)
                put(s, &p, bytes);
        }
        prediction_close(&p);
    }
    if (extended > 0)
        add_line(note, s->name, extended,
                 _("extrapolated: each doubling adds the same time"));
    if (unknown > 0)
        add_line(note, s->name, unknown,
                 s->n > 0 && s->points[s->n - 1].ranks > unknown
                     ? _("known for some numbers only") : _("not known"));
}

void
modelled_series(const struct modelled *m, enum curve_over over,
                struct series_set *set, struct buf *note)
{
    for (int i = 0; i < m->count; i++)
        add_curve(m, m->algorithms[i], over,
                  series_add(set, m->algorithms[i]->name), note);
}

void
modelled_title(const struct modelled *m, enum curve_over over,
               struct buf *out)
{
    if (over == OVER_BYTES)
        buf_addf(out, ngettext("%1$s on %2$d GPU", "%1$s on %2$d GPUs",
                               (unsigned long)m->nranks),
                 _(m->collective->title), m->nranks);
    else
        buf_addf(out, _("%1$s of %2$s"), _(m->collective->title),
                 word_bytes(whole(m->bytes)).text);
}

void
modelled_source(const struct modelled *m, struct buf *out)
{
    struct buf figures = {0};

    network_figures(&m->network, &figures);
    utf8_addf(out, _("modelled, not measured: %s"), m->network.name);
    if (strcmp(m->network.name, buf_text(&figures)) != 0)
        buf_addf(out, ", %s", buf_text(&figures));
    buf_done(&figures);
}
