/* SPDX-License-Identifier: MIT */
#include "screen/charts.h"

#include "base/translate.h"
#include "screen/window.h"
#include "web/publish.h"

struct charts {
    struct window window;
    struct model_chart shown;
    struct chart *chart;    /* in it */
    struct modelled *model; /* NULL: the series are not modelled */
    int network;            /* its index; -1: the one of the command line */
    struct network first;   /* that one */
};

void
model_chart_done(struct model_chart *c)
{
    series_set_done(&c->set);
    buf_done(&c->title);
    buf_done(&c->source);
    buf_done(&c->note);
}

void
model_chart_fill(struct model_chart *made, const struct modelled *m)
{
    struct chart *c = &made->chart;

    model_chart_done(made);
    modelled_series(m, c->axes.over, &made->set, &made->note);
    modelled_title(m, c->axes.over, &made->title);
    modelled_source(m, &made->source);
    c->set = &made->set;
    c->title = buf_text(&made->title);
    c->source = buf_text(&made->source);
    c->note = made->note.length > 0 ? buf_text(&made->note) : NULL;
    c->cursor = c->axes.over == OVER_BYTES ? m->bytes : m->nranks;
}

static struct help
charts_help(void *self, const struct canvas *c)
{
    const struct charts *s = self;

    (void)c;
    return (struct help){
        .on = ON_CHART, .signs = chart_signs,
        .state = (s->model != NULL ? KEY(MODELLED) : 0) |
                 (s->chart->axes.over == OVER_RANKS ? KEY(OVER_RANKS) : 0)};
}

static bool
charts_draw(void *self, struct canvas *c)
{
    struct charts *s = self;
    const struct key_line keys = {.on = ON_CHART,
                                  .state = charts_help(s, c).state};

    chart_draw(s->chart, c);
    keys_draw(&keys, c, 1, c->rows - 1);
    return true;
}

static void
move_cursor(struct charts *s, double x)
{
    s->chart->cursor = x;
    if (s->model != NULL && s->chart->axes.over == OVER_BYTES)
        s->model->bytes = x;
    else if (s->model != NULL)
        s->model->nranks = (int)(x + 0.5);
}

/* Changes what the axis does not show: GPUs or the size. */
static void
change_other(struct charts *s, bool more)
{
    struct modelled *m = s->model;
    double bytes = more ? m->bytes * 2 : m->bytes / 2;
    int nranks = more ? m->nranks * 2 : m->nranks / 2;

    if (s->chart->axes.over == OVER_RANKS) {
        if (bytes >= MODELLED_BYTES_LEAST && bytes <= MODELLED_BYTES_MOST)
            m->bytes = bytes;
    } else if (nranks >= 2 && nranks <= COLL_RANKS_MODELLED) {
        m->nranks = nranks;
    }
    model_chart_fill(&s->shown, s->model);
}

/* The chart is written as it is shown, in the screen's size. */
static bool
write_chart(void *self, const char *path, struct err *err)
{
    struct charts *s = self;

    if (!publish_may_write(path, s->window.replaced, err) ||
        !publish_chart(path, s->chart, &s->window.canvas,
                       screen_facts(s->window.screen)->ground, err))
        return false;
    window_notify(&s->window, false, _("written to %s"), path);
    return true;
}

static const struct ask file = {N_("write an SVG to:"), "", write_chart,
                                NULL};

static bool
charts_request(void *self, int request, struct err *err)
{
    struct charts *s = self;
    enum curve_over *over = &s->chart->axes.over;
    const struct network *next;
    int by = keys_by(request);
    double x;

    (void)err;
    switch (request) {
    case DO_POINT:
        x = chart_x_at(s->chart, &s->window.canvas,
                       screen_facts(s->window.screen)->pointed);
        if (x > 0)
            move_cursor(s, curve_near(s->chart->set, s->chart->axes, x));
        break;
    case DO_BUSBW:
    case DO_TIME:
        s->chart->axes.of = curve_of(s->chart->set, *over,
                                     request == DO_TIME ? OF_TIME : OF_BUSBW);
        break;
    case DO_OVER:
        *over = *over == OVER_BYTES ? OVER_RANKS : OVER_BYTES;
        model_chart_fill(&s->shown, s->model);
        break;
    case DO_MORE:
    case DO_LESS:
        change_other(s, request == DO_MORE);
        break;
    case DO_FIXED:
        window_notify(&s->window, false,
                      _("only the chart of a model can be changed"));
        break;
    case DO_NETWORK:
        next = network_at(++s->network);
        if (next == NULL)
            s->network = -1;
        s->model->network = next != NULL ? *next : s->first;
        model_chart_fill(&s->shown, s->model);
        break;
    case DO_WRITE:
        window_ask(&s->window, &file, NULL);
        break;
    default:
        for (x = 0; by != 0 && x != s->chart->cursor; by -= by > 0 ? 1 : -1) {
            x = s->chart->cursor; /* where it stays at the end */
            move_cursor(s, curve_next(s->chart->set, s->chart->axes, x,
                                      by > 0));
        }
        window_answer(&s->window, request);
    }
    return true;
}

static const struct window_kind kind = {
    .accent = ROLE_WATCH, .draw = charts_draw, .help = charts_help,
    .request = charts_request};

bool
charts_watch_model(struct modelled *m, struct axes axes, bool ascii,
                   struct err *err)
{
    struct charts s = {.model = m, .shown.chart.axes = axes,
                       .chart = &s.shown.chart, .network = -1,
                       .first = m->network};
    bool ok;

    model_chart_fill(&s.shown, m);
    ok = window_run(&s.window, NULL, ascii, &kind, &s, err);
    model_chart_done(&s.shown);
    return ok;
}

bool
charts_suit(const struct series_set *set)
{
    size_t points = 0;

    for (size_t i = 0; i < set->n; i++)
        points += set->series[i].n;
    return points > 0 && points <= CHARTS_POINTS_MOST &&
           set->n <= CHARTS_SERIES_MOST;
}

bool
charts_watch(const struct chart *chart, bool ascii, struct err *err)
{
    struct charts s = {.shown.chart = *chart, .chart = &s.shown.chart};
    struct extent x, y;

    s.chart->axes.of = curve_of(chart->set, chart->axes.over, chart->axes.of);
    if (s.chart->cursor <= 0 &&
        curve_extent(chart->set, s.chart->axes, &x, &y))
        s.chart->cursor = x.most;
    return window_run(&s.window, NULL, ascii, &kind, &s, err);
}
