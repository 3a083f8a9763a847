/* SPDX-License-Identifier: MIT */
/* The verb `chart` with the words of a command line: the times of algorithms by
 * a model, as collviz chart has them, as a figure. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "play/build.h"
#include "play/modelled.h"
#include "tutor/tutor.h"

static const struct axes axes = {OVER_BYTES, OF_TIME};

static struct figure *
draw(const struct modelled *m)
{
    struct buf what = {0}, title = {0}, note = {0};
    struct figure *f;

    modelled_title(m, axes.over, &what);
    buf_addf(&title, _("%1$s, modelled: %2$s"), buf_text(&what),
             m->network.name);
    f = figure_new(buf_text(&title), "S", _("time of a call"));
    f->x_unit = UNIT_BYTES;
    f->y_unit = UNIT_TIME;
    modelled_series(m, axes.over, &f->set, &note);
    buf_done(&what);
    buf_done(&title);
    buf_done(&note);
    return f;
}

static json_t *
describe_curves(const struct series_set *set)
{
    json_t *all = json_array();

    for (size_t i = 0; i < set->n; i++) {
        const struct series *s = &set->series[i];
        json_t *points = json_array();
        for (size_t k = 0; k < s->n; k++)
            json_array_append_new(points, json_pack("[ff]", s->points[k].bytes,
                                                    s->points[k].us));
        json_array_append_new(all, json_pack("{ss so}", "name", s->name,
                                             "points", points));
    }
    return all;
}

/* Which algorithm is the fastest from which size on. */
static json_t *
describe_reigns(const struct series_set *set)
{
    struct reigns r = curve_reigns(set, axes);
    json_t *all = json_array();

    for (int i = 0; i < r.n; i++)
        json_array_append_new(
            all, json_pack("{ss sf}", "name",
                           set->series[r.all[i].series].name, "from",
                           r.all[i].from));
    return all;
}

static bool
read_model(struct tutor *t, struct options *o, struct modelled *m,
           struct err *err)
{
    if (o->noperands == 0 || o->noperands > FIGURE_SERIES_MOST)
        return err_set(err, "chart takes from 1 to %d algorithms: chart "
                       "\"ring-allreduce tree-allreduce --gpus 8\"",
                       FIGURE_SERIES_MOST);
    if (build_ranks(o) > SCHEDULE_RANKS_MAX)
        return err_set(err, "--gpus %d: a lesson's chart has at most %d",
                       build_ranks(o), SCHEDULE_RANKS_MAX);
    return tutor_reads_no_network(t, o, err) && modelled_init(m, o, err);
}

static bool
show(struct tutor *t, const struct modelled *m, json_t **reply,
     struct err *err)
{
    struct buf table = {0};
    struct figure *f = draw(m);
    bool ok = figure_table(f, &table, err);

    if (ok) {
        tutor_put_table(t, &table, f);
        *reply = json_pack("{so so}", "curves", describe_curves(&f->set),
                           "fastest", describe_reigns(&f->set));
    } else {
        figure_free(f);
        err_prefix(err, "chart");
    }
    buf_done(&table);
    return ok;
}

enum tutor_did
tutor_chart_model(struct tutor *t, const char *command, json_t **reply,
                  struct err *err)
{
    struct modelled m;
    struct options o;
    bool ok = options_add(&o, t->options, FOR_CHART | FOR_CHANGE, command,
                          err) &&
              read_model(t, &o, &m, err) && show(t, &m, reply, err);

    options_done(&o);
    return ok ? DID_REPLY : DID_REFUSE;
}
