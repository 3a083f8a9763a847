/* SPDX-License-Identifier: MIT */
#include "screen/charts.h"

#include "base/translate.h"
#include "screen/publish.h"
#include "screen/stage.h"
#include "term/prompt.h"
#include "view/help.h"

struct charts {
    struct stage stage;
    struct chart chart;
    struct modelled *model; /* NULL: the series are not modelled */
    int network;            /* its index; -1: the one of the command line */
    struct network first;   /* that one */
    struct series_set set;  /* of the model */
    struct buf title, source, note;
    struct prompt prompt;
    char replaced[PROMPT_MAX]; /* the file that Enter again replaces */
    struct err notice;
    int help; /* its page; 0: none */
    bool quit;
};

/* Makes the model's series and texts anew. */
static void
refresh(struct charts *s)
{
    struct chart *c = &s->chart;

    if (s->model == NULL)
        return;
    series_done(&s->set);
    buf_clear(&s->title);
    buf_clear(&s->source);
    buf_clear(&s->note);
    modelled_series(s->model, c->axes.over, &s->set, &s->note);
    modelled_title(s->model, c->axes.over, &s->title);
    modelled_source(s->model, &s->source);
    c->set = &s->set;
    c->title = buf_text(&s->title);
    c->source = buf_text(&s->source);
    c->note = s->note.length > 0 ? buf_text(&s->note) : NULL;
    c->cursor = c->axes.over == OVER_BYTES ? s->model->bytes
                                           : s->model->nranks;
}

static unsigned
state_of(const struct charts *s)
{
    return (s->model != NULL ? KEY_MODELLED : 0) |
           (s->chart.axes.over == OVER_RANKS ? KEY_OVER_RANKS : 0);
}

static struct help
help_of(const struct charts *s)
{
    return (struct help){.on = ON_CHART, .state = state_of(s),
                         .signs = chart_signs};
}

static void
draw(struct charts *s)
{
    struct canvas *c = stage_canvas(&s->stage);
    const struct key_line keys = {.on = ON_CHART, .state = state_of(s),
                                  .glyphs = s->stage.glyphs};
    struct help help = help_of(s);

    chart_draw(&s->chart, c);
    if (s->notice.text[0] != '\0')
        canvas_puts_within(c, 1, c->rows - 1, c->columns - 2, s->notice.text,
                           (struct pen){.attrs = ATTR_BOLD});
    else if (s->prompt.open)
        keys_draw_prompt(s->prompt.text, s->stage.glyphs, c, c->rows - 1);
    else
        keys_draw(&keys, c, 1, c->rows - 1);
    if (s->help > 0)
        help_draw(&help, s->help, s->stage.glyphs, c);
    stage_show(&s->stage);
}

static void
move_cursor(struct charts *s, double x)
{
    s->chart.cursor = x;
    if (s->model != NULL && s->chart.axes.over == OVER_BYTES)
        s->model->bytes = x;
    else if (s->model != NULL)
        s->model->nranks = (int)(x + 0.5);
}

static void
step_cursor(struct charts *s, bool right, int times)
{
    for (int i = 0; i < times; i++)
        move_cursor(s, curve_next(s->chart.set, s->chart.axes,
                                  s->chart.cursor, right));
}

static void
move_to_end(struct charts *s, bool right)
{
    struct extent x, y;

    if (curve_extent(s->chart.set, s->chart.axes, &x, &y))
        move_cursor(s, right ? x.most : x.least);
}

/* Changes what the axis does not show: GPUs or the size. */
static void
change_other(struct charts *s, bool more)
{
    struct modelled *m = s->model;
    double bytes = more ? m->bytes * 2 : m->bytes / 2;
    int nranks = more ? m->nranks * 2 : m->nranks / 2;

    if (s->chart.axes.over == OVER_RANKS) {
        if (bytes >= MODELLED_BYTES_LEAST && bytes <= MODELLED_BYTES_MOST)
            m->bytes = bytes;
    } else if (nranks >= 2 && nranks <= COLL_RANKS_MODELLED) {
        m->nranks = nranks;
    }
    refresh(s);
}

static void
change_network(struct charts *s)
{
    const struct network *next = network_at(++s->network);

    if (next == NULL) {
        s->network = -1;
        next = &s->first;
    }
    s->model->network = *next;
    refresh(s);
}

static void
click(struct charts *s)
{
    double x = chart_x_at(&s->chart, &s->stage.canvas,
                          screen_pointed(s->stage.screen));

    if (x > 0)
        move_cursor(s, curve_near(s->chart.set, s->chart.axes, x));
}

/* The chart is written as it is shown, in the screen's size.  A name that was
 * refused stays in the prompt. */
static void
write_svg(struct charts *s)
{
    const char *path = s->prompt.typed;
    int columns, rows;
    struct err why;

    s->prompt.open = path[0] != '\0';
    if (!s->prompt.open)
        return;
    screen_size(s->stage.screen, &columns, &rows);
    if (publish_may_write(path, s->replaced, &why) &&
        publish_chart(path, &s->chart, columns, rows,
                      screen_ground(s->stage.screen), &why)) {
        s->prompt.open = false;
        err_set(&s->notice, _("written to %s"), path);
    } else {
        err_set(&s->notice, "%s", why.text);
    }
}

static void
answer_key(struct charts *s, int key)
{
    enum curve_over *over = &s->chart.axes.over;

    switch (keys_request(ON_CHART, state_of(s), key)) {
    case DO_BACK:
        step_cursor(s, false, 1);
        break;
    case DO_NEXT:
        step_cursor(s, true, 1);
        break;
    case DO_PAGE_BACK:
        step_cursor(s, false, KEY_STEPS);
        break;
    case DO_PAGE_NEXT:
        step_cursor(s, true, KEY_STEPS);
        break;
    case DO_FIRST:
        move_to_end(s, false);
        break;
    case DO_LAST:
        move_to_end(s, true);
        break;
    case DO_POINT:
        click(s);
        break;
    case DO_BUSBW:
        s->chart.axes.of = curve_of(s->chart.set, *over, OF_BUSBW);
        break;
    case DO_TIME:
        s->chart.axes.of = curve_of(s->chart.set, *over, OF_TIME);
        break;
    case DO_OVER:
        *over = *over == OVER_BYTES ? OVER_RANKS : OVER_BYTES;
        refresh(s);
        break;
    case DO_MORE:
        change_other(s, true);
        break;
    case DO_LESS:
        change_other(s, false);
        break;
    case DO_FIXED:
        err_set(&s->notice, "%s",
                _("only the chart of a model can be changed"));
        break;
    case DO_NETWORK:
        change_network(s);
        break;
    case DO_WRITE:
        s->replaced[0] = '\0';
        prompt_open(&s->prompt, _("write an SVG to:"), NULL);
        break;
    case DO_HELP:
        s->help = 1;
        break;
    case DO_QUIT:
        s->quit = true;
        break;
    }
}

static void
press(struct charts *s, int key)
{
    struct help help = help_of(s);

    s->notice.text[0] = '\0';
    if (s->help > 0)
        s->help = help_after(&help, s->help, key, s->stage.canvas.columns,
                             s->stage.canvas.rows);
    else if (!s->prompt.open)
        answer_key(s, key);
    else if (prompt_key(&s->prompt, key) == PROMPT_ENTERED)
        write_svg(s);
}

static void
turn(struct charts *s)
{
    int key;

    switch (stage_wait(&s->stage, -1, INT64_MAX, false, &key)) {
    case SCREEN_KEY:
        press(s, key);
        break;
    case SCREEN_SIGNAL:
        s->quit = true;
        break;
    default:
        break;
    }
}

static bool
show(struct charts *s, bool ascii, struct err *err)
{
    struct screen *screen;

    if (!screen_open(&screen, err))
        return false;
    stage_init(&s->stage, screen, ascii, ROLE_WATCH);
    s->chart.glyphs = s->stage.glyphs;
    refresh(s);
    while (!s->quit) {
        if (stage_wants_frame(&s->stage))
            draw(s);
        turn(s);
    }
    stage_done(&s->stage);
    screen_close(screen);
    series_done(&s->set);
    buf_done(&s->title);
    buf_done(&s->source);
    buf_done(&s->note);
    return true;
}

bool
charts_watch_model(struct modelled *m, struct axes axes, bool ascii,
                   struct err *err)
{
    struct charts s = {.model = m, .chart.axes = axes, .network = -1,
                       .first = m->network};

    return show(&s, ascii, err);
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
    struct charts s = {.chart = *chart};
    struct extent x, y;

    s.chart.axes.of = curve_of(chart->set, chart->axes.over, chart->axes.of);
    if (s.chart.cursor <= 0 &&
        curve_extent(chart->set, s.chart.axes, &x, &y))
        s.chart.cursor = x.most;
    return show(&s, ascii, err);
}
