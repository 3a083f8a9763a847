/* SPDX-License-Identifier: MIT */
#include "view/chart_curves.h"

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"

static const struct pen quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD};

struct curve {
    const struct series *series;
    struct axes axes;
};

static double
value_at(const void *state, double x)
{
    const struct curve *curve = state;

    return curve_drawn(curve->series, curve->axes, x);
}

static bool
point_at(const void *state, size_t k, double *x, double *y)
{
    const struct curve *curve = state;

    return curve_point(&curve->series->points[k], curve->axes, x, y);
}

static void
draw_crossings(const struct chart *chart, const struct plot *p,
               const struct reigns *r, struct canvas *c)
{
    for (int i = 1; i < r->n; i++) {
        double x = r->all[i].from;
        double y = curve_at(&chart->set->series[r->all[i].series],
                            chart->axes, x);
        canvas_put(c, plot_column(p, x), plot_row(p, y),
                   glyph(chart->glyphs, GLYPH_CROSSING), strong);
    }
}

/* The cursor is behind the curves, but its readings are before them. */
static void
draw_cursor(const struct chart *chart, const struct plot *p, struct canvas *c)
{
    int x = plot_column(p, chart->cursor);

    for (int y = 0; y < p->area.height; y++)
        canvas_put(c, x, p->area.y + y, glyph(chart->glyphs, GLYPH_CUT),
                   quiet);
    canvas_put(c, x, p->area.y + p->area.height,
               glyph(chart->glyphs, GLYPH_UP), strong);
}

static void
draw_readings(const struct chart *chart, const struct plot *p,
              struct canvas *c)
{
    for (size_t i = chart->set->n; i-- > 0;) {
        double y = curve_at(&chart->set->series[i], chart->axes,
                            chart->cursor);
        struct pen pen = plot_pen(i);
        pen.attrs = ATTR_BOLD;
        if (y > 0)
            canvas_put(c, plot_column(p, chart->cursor), plot_row(p, y),
                       plot_mark(chart->glyphs, i), pen);
    }
}

/* The band below the curves: a part for each reign, with its series' name. */
static void
draw_reign(const struct chart *chart, int series, struct canvas *c,
           struct rect at)
{
    enum role hue = (enum role)plot_pen((size_t)series).fg;
    struct pen pen = {.fg = (uint8_t)palette_ink(hue), .bg = (uint8_t)hue};

    canvas_fill(c, at.x, at.y, at.width, ' ', pen);
    canvas_put(c, at.x, at.y, glyph(chart->glyphs, GLYPH_VERTICAL), pen);
    if (at.width > 3)
        canvas_put(c, at.x + 1, at.y,
                   plot_mark(chart->glyphs, (size_t)series), pen);
    if (at.width > 6)
        canvas_puts_within(c, at.x + 3, at.y, at.width - 4,
                           chart->set->series[series].name, pen);
}

static void
draw_band(const struct chart *chart, const struct plot *p,
          const struct reigns *r, struct canvas *c)
{
    const char *heading = _("fastest");
    int y = p->area.y + p->area.height + PLOT_BELOW;

    canvas_puts(c, p->area.x - 2 - utf8_columns(heading), y, heading, quiet);
    for (int i = 0; i < r->n; i++) {
        int from = plot_column(p, r->all[i].from);
        int to = i + 1 < r->n ? plot_column(p, r->all[i + 1].from)
                              : plot_column(p, r->to) + 1;
        if (to > from)
            draw_reign(chart, r->all[i].series, c,
                       (struct rect){from, y, to - from, 1});
    }
}

bool
chart_curves_plot(const struct chart *chart, struct rect area, struct plot *p)
{
    struct extent x, y;

    if (!curve_extent(chart->set, chart->axes, &x, &y))
        return false;
    if (x.most <= x.least)
        x = (struct extent){x.least / 2, x.most * 2};
    plot_init(p, area, (struct scale){.from = x.least, .to = x.most},
              plot_scale(y.least, y.most), chart->glyphs);
    return true;
}

void
chart_curves_draw(const struct chart *chart, struct rect area,
                  struct canvas *c)
{
    struct reigns r = curve_reigns(chart->set, chart->axes);
    struct plot p;

    if (!chart_curves_plot(chart, area, &p))
        return;
    plot_axes(&p,
              chart->axes.over == OVER_BYTES ? UNIT_BYTES : UNIT_RANKS,
              chart->axes.of == OF_TIME ? UNIT_TIME : UNIT_RATE, c);
    if (chart->cursor > 0)
        draw_cursor(chart, &p, c);
    for (size_t i = chart->set->n; i-- > 0;) {
        struct curve curve = {&chart->set->series[i], chart->axes};
        plot_curve(&p, value_at, &curve, plot_pen(i));
    }
    plot_draw(&p, c);
    for (size_t i = chart->set->n; i-- > 0;) {
        struct curve curve = {&chart->set->series[i], chart->axes};
        struct plot_points points = {curve.series->n, point_at, &curve};
        plot_marks(&p, &points, i, chart->set->n, c);
    }
    draw_crossings(chart, &p, &r, c);
    if (chart->cursor > 0)
        draw_readings(chart, &p, c);
    if (chart->set->n > 1 && r.n > 0)
        draw_band(chart, &p, &r, c);
    plot_done(&p);
}
