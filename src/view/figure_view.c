/* SPDX-License-Identifier: MIT */
#include "view/figure_view.h"

#include <math.h>

#include "base/utf8.h"
#include "draw/plot.h"

enum {
    MARGIN = 2,
    LEGEND_GAP = 3,    /* between two names */
    ROWS_LEAST = 3     /* of the curves */
};

static const struct pen quiet = {.fg = ROLE_QUIET}, plain = {0},
                        strong = {.attrs = ATTR_BOLD};

struct curve {
    const struct figure_series *series;
    bool linear_x, linear_y;
};

/* Between two points a curve is straight on its axes. */
static double
value_at(const void *state, double x)
{
    const struct curve *curve = state;
    const struct figure_series *s = curve->series;
    const struct figure_point *p = s->points;
    double part;

    if (s->n == 0 || x < p->x || x > p[s->n - 1].x)
        return NAN;
    while (p + 1 < s->points + s->n && p[1].x <= x)
        p++;
    if (p->x >= x)
        return p->y;
    part = curve->linear_x ? (x - p->x) / (p[1].x - p->x)
                           : log(x / p->x) / log(p[1].x / p->x);
    return curve->linear_y ? p->y + part * (p[1].y - p->y)
                           : p->y * pow(p[1].y / p->y, part);
}

static bool
point_at(const void *state, size_t k, double *x, double *y)
{
    const struct curve *curve = state;

    *x = curve->series->points[k].x;
    *y = curve->series->points[k].y;
    return true;
}

/* The name of y above its axis, and then those of the curves, in as many rows
 * as they need; returns their number.  Without a canvas it only counts. */
static int
put_legend(const struct figure *f, enum glyph_set glyphs, struct canvas *c,
           struct rect area)
{
    int name = utf8_columns(f->y), right = area.x + area.width;
    int first = name < PLOT_LEFT ? area.x + PLOT_LEFT : area.x + name + 1;
    int x = first + 1, rows = 1;

    if (c != NULL)
        canvas_puts(c, first - 1 - name, area.y, f->y, quiet);
    for (size_t i = 0; i < f->n; i++) {
        int columns = 2 + utf8_columns(f->series[i].name);
        if (x > first + 1 && x + columns > right) {
            x = first + 1;
            rows++;
        }
        if (c != NULL) {
            canvas_put(c, x, area.y + rows - 1, plot_mark(glyphs, i),
                       plot_pen(i));
            canvas_puts_within(c, x + 2, area.y + rows - 1, right - x - 2,
                               f->series[i].name, plain);
        }
        x += columns + LEGEND_GAP;
    }
    return rows;
}

/* The scale of x ends where the points end. */
static void
draw_curves(const struct figure *f, enum glyph_set glyphs, struct canvas *c,
            struct rect area)
{
    struct plot p = {.area = area, .glyphs = glyphs};
    struct curve curves[FIGURE_SERIES_MOST];
    struct plot_curve drawn[FIGURE_SERIES_MOST];
    struct extent x, y;

    figure_extent(f, &x, &y);
    p.x = plot_is_flat(x.least, x.most)
              ? plot_scale(x.least, x.most, true)
              : (struct scale){x.least, x.most, !figure_is_log(x)};
    p.y = plot_scale(y.least, y.most, !figure_is_log(y));
    for (size_t i = 0; i < f->n; i++) {
        curves[i] = (struct curve){&f->series[i], p.x.linear, p.y.linear};
        drawn[i] = (struct plot_curve){value_at, point_at, &curves[i],
                                       f->series[i].n};
    }
    plot_axes(&p, f->x_unit, f->y_unit, c);
    plot_curves(&p, drawn, f->n, c);
}

void
figure_draw(const struct figure *f, enum glyph_set glyphs, struct canvas *c,
            struct rect area)
{
    struct rect text = {area.x + MARGIN, area.y + 1, area.width - 2 * MARGIN,
                        1};
    int legend = put_legend(f, glyphs, NULL, text);
    int name = utf8_columns(f->x);
    struct rect curves = {text.x + PLOT_LEFT, text.y + legend,
                          text.width - PLOT_LEFT - name - 1,
                          area.height - 1 - legend - PLOT_BELOW};

    canvas_puts_within(c, text.x, area.y, text.width, f->title, strong);
    if (curves.height < ROWS_LEAST || curves.width < PLOT_LEFT)
        return;
    put_legend(f, glyphs, c, text);
    draw_curves(f, glyphs, c, curves);
    canvas_puts(c, curves.x + curves.width + 1, curves.y + curves.height, f->x,
                quiet);
}
