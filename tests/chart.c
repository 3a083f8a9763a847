/* SPDX-License-Identifier: MIT */
/* Charts: pictures at several sizes and in each set of characters, and what
 * holds for all of them. */
#include "view/chart.h"

#include <math.h>
#include <unistd.h>

#include "album.h"
#include "canvas_text.h"
#include "draw/plot.h"
#include "patience.h"
#include "tap.h"

enum { SERIES_MOST = 8 };

static const char *const names[SERIES_MOST] = {
    "ring", "tree", "butterfly", "halving-doubling",
    "naive", "server", "double-tree", "torus2d"};

/* Times in us: alpha + beta * bytes. */
static const double lines[SERIES_MOST][2] = {
    {280, 1.4e-4}, {200, 4.0e-4}, {60, 2.4e-4}, {120, 1.5e-4},
    {140, 5.6e-4}, {281, 1.1e-3}, {180, 2.6e-4}, {120, 1.5e-4}};

static void
add_line(struct series_set *set, const char *name, const double line[2])
{
    struct series *s = series_add(set, name);

    for (double bytes = 8; bytes <= 1 << 30; bytes *= 2) {
        double us = line[0] + line[1] * bytes;
        series_put(s, (struct series_point){.bytes = bytes, .us = us,
                                            .algbw = bytes / us / 1000,
                                            .busbw = 1.75 * bytes / us / 1000,
                                            .ranks = 8});
    }
}

static struct series_set
series_of(int count)
{
    struct series_set set = {0};

    for (int i = 0; i < count; i++)
        add_line(&set, names[i], lines[i]);
    return set;
}

static struct chart
chart_of(const struct series_set *set)
{
    return (struct chart){.set = set, .title = "all-reduce on 8 GPUs",
                          .source = "modelled, not measured: ethernet",
                          .cursor = 1 << 20};
}

static struct album album;
static enum glyph_set glyphs;

static void
check_chart(const struct chart *chart, int columns, int rows,
            const char *title)
{
    OWN(canvas) c = {.glyphs = glyphs};
    OWN(buf) text = {0};

    canvas_resize(&c, columns, rows);
    chart_draw(chart, &c);
    canvas_text(&c, &text);
    album_check(&album, title, buf_text(&text));
}

static void
test_pictures(void)
{
    struct series_set set = series_of(3), all = series_of(SERIES_MOST);
    struct chart c = chart_of(&set);

    check_chart(&c, 80, 24, "three curves");
    check_chart(&c, 120, 40, "with room: the text beside them");
    check_chart(&c, 200, 60, "with more room");
    c.axes.of = OF_BUSBW;
    check_chart(&c, 80, 24, "bus bandwidths");
    glyphs = GLYPHS_ASCII;
    check_chart(&c, 80, 24, "in ASCII");
    glyphs = GLYPHS_CONSOLE;
    check_chart(&c, 80, 24, "on the Linux console");
    glyphs = GLYPHS_FULL;
    c = chart_of(&all);
    check_chart(&c, 80, 24, "eight curves");
    series_set_done(&set);
    series_set_done(&all);
}

/* A table that was measured has no cursor at first, few points, names of any
 * kind, and a note. */
static void
test_measured(void)
{
    struct series_set set = {0};
    struct chart c = {.set = &set, .title = "两次测量", .source = "a.txt, b.txt",
                      .note = "b.txt: 3 rows were wrong"};

    for (int i = 0; i < 4; i++) {
        double bytes = 1 << (10 + 3 * i);
        if (i == 0) {
            series_add(&set, "环形 all_reduce_perf");
            series_add(&set, "osu_allreduce");
            series_add(&set, "a single point, whose name is very long");
        }
        series_put(&set.series[0], (struct series_point){
            .bytes = bytes, .us = 20 + bytes / 1e4});
        series_put(&set.series[1], (struct series_point){
            .bytes = bytes, .us = 35 + bytes / 2e4});
    }
    series_put(&set.series[2], (struct series_point){.bytes = 4096, .us = 90});
    check_chart(&c, 80, 24, "measured series");
    series_set_done(&set);
}

/* The number of cells in the area of the curves with a mark of series i. */
static int
marks(const struct canvas *c, int columns, int i)
{
    int count = 0;

    for (int y = 2; y < c->rows; y++)
        for (int x = 0; x < columns; x++)
            count += canvas_at(c, x, y)->code ==
                     glyph(c->glyphs, GLYPH_MARK + (enum glyph)i);
    return count;
}

static bool
has_text(const struct canvas *c, const char *what)
{
    OWN(buf) text = {0};
    bool has;

    canvas_text(c, &text);
    has = strstr(buf_text(&text), what) != NULL;
    return has;
}

/* At any size, with any number of curves, in any set: each curve has marks and
 * a name, and the keys' row stays empty. */
static void
test_all_shown(void)
{
    int wrong = 0, full = 0, shown = 0;

    for (int count = 1; count <= SERIES_MOST; count++)
        for (int columns = 60; columns <= 240; columns += 13)
            for (int rows = 10; rows <= 70; rows += 7) {
                struct series_set set = series_of(count);
                struct chart chart = chart_of(&set);
                struct canvas c = {
                    .glyphs = (enum glyph_set)(shown++ % GLYPH_SETS)};
                canvas_resize(&c, columns, rows);
                chart_draw(&chart, &c);
                for (int i = 0; i < count && !has_text(&c, "too small"); i++) {
                    wrong += marks(&c, columns, i) < 3;
                    wrong += !has_text(&c, names[i]);
                    full += used_columns(&c, rows - 1) > 0;
                }
                if (columns >= 80 && rows >= 24)
                    wrong += has_text(&c, "too small");
                canvas_done(&c);
                series_set_done(&set);
            }
    is_int(wrong, 0, "each curve has marks and a name");
    is_int(full, 0, "the last row is left for the keys");
}

static void
test_colours(void)
{
    struct series_set set = series_of(SERIES_MOST);
    struct chart chart = chart_of(&set);
    struct canvas c = {0};
    int hues[SERIES_MOST] = {0}, grey = 0;

    canvas_resize(&c, 120, 40);
    chart_draw(&chart, &c);
    for (int y = 2; y < 39; y++)
        for (int x = 10; x < 75; x++) {
            const struct cell *cell = canvas_at(&c, x, y);
            bool dots = cell->code > 0x2800 && cell->code <= 0x28ff;
            if (dots && cell->pen.fg >= ROLE_ORIGIN)
                hues[cell->pen.fg - ROLE_ORIGIN]++;
            grey += dots && cell->pen.fg < ROLE_ORIGIN;
        }
    is_int(grey, 0, "every dot has a curve's colour");
    for (int i = 0; i < SERIES_MOST; i++)
        ok(hues[i] > 10, "the curve of %s is seen, also where curves lie upon "
           "each other", names[i]);
    canvas_done(&c);
    series_set_done(&set);
}

/* Two curves never have the same colour and the same mark, even if there are
 * more curves than hues. */
static void
test_legend(void)
{
    enum { MANY = 3 * HUES };
    struct series_set set = {0};
    struct chart chart = chart_of(&set);
    struct canvas c = {0};
    const struct cell *at[MANY]; /* the names; marks are two columns before */
    char name[20];
    int missing = 0, same = 0;

    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "curve%02d", i);
        add_line(&set, name, lines[i % SERIES_MOST]);
    }
    canvas_resize(&c, 130, 60);
    chart_draw(&chart, &c);
    for (int i = 0; i < MANY; i++) {
        at[i] = canvas_find(&c, set.series[i].name);
        missing += at[i] == NULL || at[i][-2].code == ' ';
        for (int k = 0; k < i && missing == 0; k++)
            same += cell_same(&at[i][-2], &at[k][-2]);
    }
    is_int(missing, 0, "%d curves have a mark each beside their names", MANY);
    is_int(same, 0, "no two of which look alike");
    canvas_done(&c);
    series_set_done(&set);
}

/* Whether a unit is followed by a digit: two texts of ticks touch. */
static bool
has_touching(const struct canvas *c, int y)
{
    for (int x = 0; x + 1 < c->columns; x++) {
        uint32_t next = canvas_at(c, x + 1, y)->code;
        if (canvas_at(c, x, y)->code == 'B' && next >= '0' && next <= '9')
            return true;
    }
    return false;
}

static void
test_ticks(void)
{
    struct series_set set = series_of(2);
    struct chart chart = chart_of(&set);
    int touching = 0, missing = 0;

    for (int columns = 80; columns <= 240; columns++) {
        OWN(canvas) c = {0};
        canvas_resize(&c, columns, 30);
        chart_draw(&chart, &c);
        for (int y = 0; y < c.rows; y++)
            touching += has_touching(&c, y);
        missing += !has_text(&c, " 1 KiB ") || !has_text(&c, " 1 MiB ");
    }
    is_int(touching, 0, "the texts of two ticks do not touch");
    is_int(missing, 0, "1 KiB and 1 MiB have ticks");
    series_set_done(&set);
}

/* A click reads the value of the point that is drawn there. */
static void
test_clicks(void)
{
    struct series_set set = series_of(2);
    struct chart chart = chart_of(&set);
    struct canvas c = {0};
    int cursor = -1;

    canvas_resize(&c, 80, 24);
    chart_draw(&chart, &c);
    for (int x = 0; x < 80; x++)
        if (canvas_at(&c, x, 3)->code == glyph(GLYPHS_FULL, GLYPH_CUT))
            cursor = x;
    ok(cursor > 0, "the cursor is drawn");
    ok(fabs(curve_near(&set, chart.axes,
                       chart_x_at(&chart, &c, (struct point){cursor, 3})) -
            chart.cursor) < 1,
       "a click on it leads there");
    ok(chart_x_at(&chart, &c, (struct point){3, 3}) <= 0 &&
           chart_x_at(&chart, &c, (struct point){40, 0}) <= 0 &&
           chart_x_at(&chart, &c, (struct point){40, 23}) <= 0,
       "a click beside the curves leads nowhere");
    canvas_done(&c);
    series_set_done(&set);
}

/* A scale whose ratio is no finite number. */
static void
test_long_scale(void)
{
    OWN(canvas) c = {0};
    const struct plot p = {{10, 0, 70, 20}, {.from = 1, .to = 1024},
                           {.from = 1e-300, .to = 1e300}};

    canvas_resize(&c, 80, 24);
    alarm(HUNG_S); /* instead of an endless loop */
    plot_axes(&p, UNIT_BYTES, UNIT_RATE, &c);
    alarm(0);
    ok(plot_row(&p, 1e-300) == 19 && plot_row(&p, 1e-150) == 14 &&
           plot_row(&p, 1e300) == 0,
       "an axis of 600 decades is drawn");
}

/* No points at all, or one value: something is drawn, and nothing fails. */
static void
test_degenerate(void)
{
    struct series_set set = {0};
    struct chart chart = chart_of(&set);
    struct canvas c = {0};

    canvas_resize(&c, 80, 24);
    chart_draw(&chart, &c);
    ok(has_text(&c, "all-reduce on 8 GPUs"), "a chart without series");
    series_add(&set, "nothing");
    chart_draw(&chart, &c);
    ok(has_text(&c, "nothing"), "a series without points");
    series_add(&set, "\033[2J");
    chart_draw(&chart, &c);
    ok(has_text(&c, "\\x1b[2J"), "names are escaped");
    series_put(&set.series[0],
               (struct series_point){.bytes = 1e15, .us = 1e-3});
    chart_draw(&chart, &c);
    ok(marks(&c, 80, 0) == 2, "a series of one point");
    canvas_done(&c);
    series_set_done(&set);
}

/* Figures: curves over any two quantities. */

static void
check_figure(const struct figure *f, const char *title)
{
    OWN(canvas) c = {.glyphs = glyphs};
    OWN(buf) text = {0};

    canvas_resize(&c, 80, 16);
    figure_draw(f, &c, (struct rect){0, 1, 80, 14});
    canvas_text(&c, &text);
    album_check(&album, title, buf_text(&text));
}

/* Adds a series y = a * b^x + c, of `count` points from x = 0 on. */
static void
add_power(struct figure *f, const char *name, const double abc[3], int count)
{
    struct err err;

    series_add(&f->set, name);
    for (int x = 0; x < count; x++)
        figure_put(f, x, abc[0] * pow(abc[1], x) + abc[2], &err);
}

static struct figure *
losses(void)
{
    struct figure *f = figure_new("Loss of three replicas", "step", "loss");

    add_power(f, "GPU 0", (double[]){10, 0.8, 0.5}, 31);
    add_power(f, "GPU 1", (double[]){10, 0.9, 2}, 31);
    add_power(f, "GPU 2", (double[]){-12, 0.8, 8}, 16);
    return f;
}

static void
test_figures(void)
{
    struct figure *f = losses();
    struct figure *steep = figure_new("一张图", "步", "a long name of y");
    struct err err;

    check_figure(f, "a figure with linear axes, below 0, too");
    glyphs = GLYPHS_ASCII;
    check_figure(f, "a figure in ASCII");
    glyphs = GLYPHS_FULL;
    add_power(steep, "a name that needs much room, so that the legend",
              (double[]){1, 0.5, 0}, 30);
    add_power(steep, "takes two rows", (double[]){1, 2, 0}, 8);
    check_figure(steep, "a figure with a logarithmic axis");
    figure_free(steep);
    steep = figure_new("Both axes", "bytes", "us");
    steep->x_unit = UNIT_BYTES;
    steep->y_unit = UNIT_TIME;
    series_add(&steep->set, "ring");
    for (double x = 32; x <= 1 << 20; x *= 4)
        figure_put(steep, x, 40 + x / 25, &err);
    check_figure(steep, "a figure of bytes and times");
    figure_free(steep);
    figure_free(f);
}

static void
test_figure_table(void)
{
    struct figure *f = losses();
    OWN(buf) text = {0};
    struct err err;

    if (!figure_table(f, &text, &err))
        buf_puts(&text, err.text);
    buf_putc(&text, '\n');
    album_check(&album, "the first and the last of many rows",
                buf_text(&text));
    figure_free(f);
}

/* The lines of a table are as long as the first, and no two x look alike. */
static void
test_figure_table_wide(void)
{
    static const double x[] = {-12345678, 12345678, 12345679, 12345679.25};
    struct figure *f = figure_new("f", "x", "y");
    OWN(buf) text = {0};
    struct err err;

    series_add(&f->set, "a");
    for (size_t i = 0; i < 4; i++)
        figure_put(f, x[i], -1.23456e-100, &err);
    ok(figure_table(f, &text, &err), "numbers that need room");
    is_str(buf_text(&text), "f (y)                  \n"
                            "         x            a\n"
                            " -12345678  -1.235e-100\n"
                            "  12345678  -1.235e-100\n"
                            "  12345679  -1.235e-100\n"
                            "12345679.2  -1.235e-100",
           "have it");
    figure_free(f);
}

/* The row of the canvas with the mark of a series, of which there is one. */
static int
row_of_mark(const struct canvas *c, size_t series)
{
    for (int y = 3; y < c->rows; y++)
        for (int x = 0; x < c->columns; x++)
            if (canvas_at(c, x, y)->code ==
                glyph(GLYPHS_FULL, plot_mark(series)))
                return y;
    return -1;
}

/* One value, the same value, the greatest and the smallest ones. */
static void
test_figure_degenerate(void)
{
    static const double values[][2] = {
        {0, 0}, {5, 5}, {-5, -5}, {1e100, 1e100}, {-1e100, 1e100},
        {1e-300, 1e-300}, {1e-300, 1e100}, {1e-100, 1e100}, {0, 1e-300},
        {1e9, 1e9 + 1e-3}, {-1e9 - 1e-3, -1e9}};
    struct rect small = {0, 0, 30, 6}, usual = {0, 0, 80, 14};

    alarm(HUNG_S); /* instead of an endless loop */
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct figure *f = figure_new("f", "x", "y");
        struct canvas c = {0};
        struct err err;
        canvas_resize(&c, 80, 14);
        series_add(&f->set, "low");
        figure_put(f, values[i][0], values[i][0], &err);
        series_add(&f->set, "high");
        figure_put(f, values[i][1], values[i][1], &err);
        figure_draw(f, &c, small);
        figure_draw(f, &c, usual);
        ok(row_of_mark(&c, 0) >= 3 || row_of_mark(&c, 1) >= 3,
           "%g and %g are drawn", values[i][0], values[i][1]);
        ok(row_of_mark(&c, 0) < 0 ||
               row_of_mark(&c, 0) >= row_of_mark(&c, 1),
           "the smaller one is not above the other");
        canvas_done(&c);
        figure_free(f);
    }
    alarm(0);
}

static void
test_figure_refused(void)
{
    struct figure *f = figure_new("f", "x", "y");
    struct err err;

    series_add(&f->set, "a");
    ok(!figure_put(f, NAN, 1, &err) && !figure_put(f, 1, NAN, &err) &&
           !figure_put(f, INFINITY, 1, &err) &&
           !figure_put(f, 1, -INFINITY, &err) && f->set.series[0].n == 0,
       "no point that is not finite");
    ok(figure_put(f, 1, 1, &err) && !figure_put(f, 1, 2, &err) &&
           !figure_put(f, 0.5, 2, &err) && figure_put(f, 2, 2, &err),
       "points are in the order of x");
    ok(figure_is_log((struct extent){1, 100}) &&
           !figure_is_log((struct extent){1, 99}) &&
           !figure_is_log((struct extent){0, 100}) &&
           !figure_is_log((struct extent){-1, 100}),
       "which axes are logarithmic");
    ok(plot_is_flat(0, 0) && plot_is_flat(-1e9 - 1, -1e9) &&
           !plot_is_flat(1, 1.001) && !plot_is_flat(0, 1e-300),
       "which values count as equal");
    figure_free(f);
}

int
main(void)
{
    album_open(&album, "charts");
    test_pictures();
    test_measured();
    test_figures();
    test_figure_table();
    album_close(&album);
    test_all_shown();
    test_colours();
    test_legend();
    test_ticks();
    test_clicks();
    test_figure_table_wide();
    test_long_scale();
    test_degenerate();
    test_figure_degenerate();
    test_figure_refused();
    return done_testing();
}
