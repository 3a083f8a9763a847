/* SPDX-License-Identifier: MIT */
#include "play/modelled.h"

#include <math.h>
#include <string.h>

#include "base/bounds.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "play/build.h"
#include "schedule/collective.h"
#include "text/word.h"

enum { GPUS = 8 }; /* by default */

static const char default_network[] = "ethernet";

static bool
add_modelled(struct modelled *m, const char *name, const struct options *o,
             struct err *err)
{
    const struct algorithm *a;
    const struct collective *c;

    if (m->count == MODELLED_MOST)
        return err_set(err, "a chart has at most %d algorithms",
                       MODELLED_MOST);
    if (!build_find(name, o, &m->own[m->count], &a, err))
        return false;
    c = collective_find(a->collective);
    if (m->count > 0 && c != m->collective)
        return err_set(err, "a chart is of one collective; %s is for %s, "
                       "%s for %s", coll_name(m->algorithms[0]).text,
                       m->collective->name, name, c->name);
    m->collective = c;
    m->algorithms[m->count++] = a;
    return true;
}

/* The options of an algorithm that takes only some of them.  A given shape is
 * used for the number of ranks that it was given for. */
static struct coll_options
options_on(const struct modelled *m, const struct algorithm *a, int nranks)
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
    struct pipeline p;

    *m = (struct modelled){.coll = build_coll(o),
                           .nranks = o->nranks > 0 || o->dims[0] > 0
                                         ? build_ranks(o)
                                         : GPUS,
                           .bytes = o->bytes};
    if (m->coll.chunks == 0)
        m->coll.chunks = CHUNKS_AUTO;
    if (m->nranks < 2)
        return err_set(err, "a chart needs at least 2 GPUs");
    if (o->bytes < MODELLED_BYTES_LEAST || o->bytes > MODELLED_BYTES_MOST)
        return err_set(err, "--bytes: a chart has sizes from %d B to %d GiB",
                       MODELLED_BYTES_LEAST, MODELLED_BYTES_MOST >> 30);
    for (int i = 0; i < o->noperands; i++)
        if (!add_modelled(m, o->operands[i], o, err))
            return false;
    m->network = o->network;
    if (m->network.name[0] == '\0' &&
        !network_parse(default_network, &m->network, err))
        return false;
    for (int i = 0; i < m->count; i++) {
        struct coll_options mine = options_on(m, m->algorithms[i], m->nranks);
        bool ok = pipeline_open(&p, m->algorithms[i], &mine, &m->network,
                                err);
        pipeline_close(&p);
        if (!ok)
            return false;
    }
    return true;
}

static void
add_predicted(struct series *s, struct pipeline *p, double bytes)
{
    int chunks, nranks = p->options.nranks;
    double ns = pipeline_ns(p, bytes, &chunks);
    double factor = bandwidth_factor(p->all[0].collective, nranks);

    series_put(s, (struct series_point){.bytes = bytes,
                                        .us = ns / 1000,
                                        .algbw = bytes / ns,
                                        .busbw = bytes / ns * factor,
                                        .ranks = nranks, .chunks = chunks});
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
note_nranks(struct buf *note, const char *name, int nranks, const char *what)
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
    struct pipeline kept[2] = {{.n = 0}}; /* of the last two numbers */
    int unknown = 0, extended = 0, i = 0;

    for (int n = over == OVER_RANKS ? 2 : last; n <= last;
         n = next_ranks(m, n)) {
        struct coll_options o = options_on(m, a, n);
        struct pipeline *p = &kept[i++ % 2];
        bool known = p->options.nranks * 2 == n && pipeline_double(p);
        struct err err;
        if (!known) {
            pipeline_close(p);
            known = pipeline_open(p, a, &o, &m->network, &err);
        }
        if (!known) {
            unknown = unknown == 0 ? n : unknown;
        } else if (over == OVER_RANKS) {
            add_predicted(s, p, m->bytes);
            if (extended == 0 && p->all[p->best].doublings > 0)
                extended = n;
        } else {
            for (double bytes = MODELLED_BYTES_LEAST;
                 bytes <= MODELLED_BYTES_MOST; bytes *= 2)
                add_predicted(s, p, bytes);
        }
    }
    pipeline_close(&kept[0]);
    pipeline_close(&kept[1]);
    if (extended > 0)
        note_nranks(note, s->name, extended,
                    _("extrapolated: each doubling adds about the same time"));
    if (unknown > 0)
        note_nranks(note, s->name, unknown,
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
    OWN(buf) figures = {0};

    network_figures(&m->network, &figures);
    utf8_addf(out, _("modelled, not measured: %s"), m->network.name);
    if (strcmp(m->network.name, buf_text(&figures)) != 0)
        buf_addf(out, ", %s", buf_text(&figures));
}
