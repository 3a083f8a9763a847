/* SPDX-License-Identifier: MIT */
/* collviz chart ALGORITHM...: the times of algorithms on a network, by its
 * model: a chart on the screen, a table, or an SVG. */
#include <math.h>

#include "app/command.h"
#include "base/bounds.h"
#include "base/json.h"
#include "base/print.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "play/modelled.h"
#include "screen/charts.h"
#include "screen/watch.h"
#include "web/publish.h"

enum { X_COLUMNS = 12, GAP = 2, COLUMN_LEAST = 12, CHUNKS_COLUMNS = 8 };

static int
column_of(const struct series *s)
{
    return GAP + most(utf8_columns(s->name), COLUMN_LEAST);
}

/* Whether it has a column for the number of chunks. */
static bool
is_pipelined(const struct series *s)
{
    return s->n > 0 && s->points[0].chunks > 0;
}

static void
print_series(const struct chart *c)
{
    OWN(buf) sentence = {0};
    struct extent x, y;
    double last = 0;
    int chunks;

    print("%s, %s\n%s\n\n", c->title,
          c->axes.of == OF_TIME ? _("time of a call") : _("bus bandwidth"),
          c->source);
    print("%*s", X_COLUMNS, "");
    for (size_t i = 0; i < c->set->n; i++) {
        const struct series *s = &c->set->series[i];
        print_right(s->name, column_of(s));
        if (is_pipelined(s))
            print_right(_("chunks"), CHUNKS_COLUMNS);
    }
    print("\n");
    if (!curve_extent(c->set, c->axes, &x, &y))
        x.least = 0;
    for (double at = x.least; at > last;
         at = curve_next(c->set, c->axes, at, true)) {
        print_right(curve_word_x(c->axes, at).text, X_COLUMNS);
        for (size_t i = 0; i < c->set->n; i++) {
            const struct series *s = &c->set->series[i];
            print_right(curve_word_y(c->axes, curve_at(s, c->axes, at)).text,
                        column_of(s));
            if (!is_pipelined(s))
                continue;
            if ((chunks = curve_chunks(s, c->axes, at)) > 0)
                print("%*d", CHUNKS_COLUMNS, chunks);
            else
                print("%*s", CHUNKS_COLUMNS, "-");
        }
        print("\n");
        last = at;
    }
    curve_sentence(c->set, c->axes, &sentence);
    if (sentence.length > 0)
        print("\n%s\n", buf_text(&sentence));
    if (c->note != NULL)
        print("%s\n", c->note);
}

static void
print_chart_json(const struct modelled *m, const struct series_set *set)
{
    OWN(buf) network = {0}, name = {0};

    network_add_name(&m->network, &name);
    json_add_string(&network, buf_text(&name));
    for (size_t i = 0; i < set->n; i++) {
        buf_clear(&name);
        json_add_string(&name, set->series[i].name);
        for (size_t k = 0; k < set->series[i].n; k++) {
            const struct series_point *p = &set->series[i].points[k];
            print("{\"type\":\"modelled\",\"collective\":\"%s\","
                  "\"algorithm\":%s,\"network\":%s,\"ranks\":%.0f,"
                  "\"bytes\":%.0f,\"ns\":%.6g,\"busbw\":%.6g",
                  m->collective->name, buf_text(&name), buf_text(&network),
                  p->ranks, p->bytes, p->us * 1000, p->busbw);
            if (p->chunks > 0)
                print(",\"chunks\":%d", p->chunks);
            print("}\n");
        }
    }
}

int
cmd_chart(const struct options *o, struct err *err)
{
    const struct axes axes = {o->over_gpus ? OVER_RANKS : OVER_BYTES,
                              o->busbw ? OF_BUSBW : OF_TIME};
    const struct canvas like = {
        .columns = o->columns, .rows = o->rows,
        .glyphs = o->ascii ? GLYPHS_ASCII : GLYPHS_FULL};
    struct model_chart made = {.chart.axes = axes};
    struct modelled m;
    bool ok = true;

    if (o->noperands == 0)
        return command_misuse(err, "which ALGORITHM? As in collviz chart "
                              "ring-allreduce tree-allreduce");
    if (o->sized && !o->svg)
        return command_misuse(err, "--size is for --svg");
    if (o->output != NULL && !o->svg)
        return command_misuse(err, "-o is for --svg; a table goes into a file "
                              "with > %s", o->output);
    if (o->svg + o->json + o->plain > 1)
        return command_misuse(err, "--svg, --json and --plain: only one of "
                              "them at a time");
    if (!modelled_init(&m, o, err))
        return EXIT_USAGE;
    if (!o->svg && !o->json && !o->plain && watch_can())
        return command_status(charts_watch_model(&m, axes, o->ascii, err),
                              err);
    model_chart_fill(&made, &m);
    if (o->svg)
        ok = publish_chart(o->output, &made.chart, &like, GROUND_DARK, err);
    else if (o->json)
        print_chart_json(&m, &made.set);
    else
        print_series(&made.chart);
    model_chart_done(&made);
    return command_status(ok, err);
}
