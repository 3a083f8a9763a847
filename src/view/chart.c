/* SPDX-License-Identifier: MIT */
#include "view/chart.h"

#include <math.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"
#include "draw/layout.h"
#include "draw/wrap.h"
#include "view/chart_curves.h"

enum {
    MARGIN = 1,
    HEAD_ROWS = 2,        /* the title, the source */
    BAND_ROWS = 1,        /* who is the fastest where */
    SIDE_COLUMNS = 36,    /* of the text beside the curves, at least */
    SIDE_GAP = 3,
    ENTRY_COLUMNS = 30,   /* of a series in the legend, at least */
    ENTRY_GAP = 3,        /* between two of them side by side */
    VALUE_COLUMNS = 10,   /* "1.23 ms", "12.3 GB/s" */
    RATIO_COLUMNS = 7,    /* "1.9x" */
    NOTE_ROWS_MOST = 4,
};

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD},
                        title_pen = {.fg = ROLE_ACCENT, .attrs = ATTR_BOLD};

const struct symbol chart_signs[] = {
    {"-----", .meaning = N_("a curve: its colour and its marks are its own")},
    {.glyph = GLYPH_CROSSING,
     .meaning = N_("from here on another one is the fastest")},
    {.glyph = GLYPH_UP,
     .meaning = N_("the point that is read; its values are in the legend")},
    {"1.9x", .meaning = N_("so many times as slow as the fastest")},
    {NULL, .meaning = NULL},
};

/* Where the parts are. */
struct parts {
    bool wide; /* the text is beside the curves */
    int a_row; /* series in a row of the legend */
    int legend; /* its rows */
    struct rect curves, text;
};

static const char *
name_of(const struct chart *chart, size_t series)
{
    return chart->set->series[series].name;
}

static int
longest_name(const struct chart *chart)
{
    int longest = 0;

    for (size_t i = 0; i < chart->set->n; i++) {
        int columns = utf8_columns(name_of(chart, i));
        longest = columns > longest ? columns : longest;
    }
    return longest;
}

/* The columns of an entry of the legend: mark, name, value, ratio. */
static int
entry_columns(const struct chart *chart)
{
    int columns = 3 + longest_name(chart) + VALUE_COLUMNS + RATIO_COLUMNS;

    return columns > ENTRY_COLUMNS ? columns : ENTRY_COLUMNS;
}

/* How many entries are side by side. */
static int
entries_a_row(const struct chart *chart, int columns)
{
    int most = columns / (entry_columns(chart) + ENTRY_GAP);

    return most > 0 ? most : 1;
}

/* The columns of the text beside the curves, which have at least as many. */
static int
side_columns(const struct chart *chart, int columns)
{
    int side = entry_columns(chart);

    side = side > SIDE_COLUMNS ? side : SIDE_COLUMNS;
    return side < columns / 2 ? side : columns / 2;
}

static void
add_sentences(const struct chart *chart, struct buf *out)
{
    curve_sentence(chart->set, chart->axes, out);
    if (chart->note != NULL)
        buf_addf(out, "%s%s", out->length > 0 ? "\n" : "", chart->note);
}

static int
sentence_rows(const struct chart *chart, int columns)
{
    struct buf text = {0};
    int rows;

    add_sentences(chart, &text);
    rows = text.length > 0 ? wrap_rows(buf_text(&text), columns) : 0;
    buf_done(&text);
    return rows < NOTE_ROWS_MOST ? rows : NOTE_ROWS_MOST;
}

/* The legend has a heading, and no more rows than leave the curves theirs. */
static int
legend_rows(const struct chart *chart, const struct parts *parts, int rows)
{
    int most = parts->wide ? rows - NOTE_ROWS_MOST - 1 : rows / 3;
    int needed = ((int)chart->set->n + parts->a_row - 1) / parts->a_row;

    return 1 + (needed < most ? needed : most);
}

/* Returns false if there is no room. */
static bool
place(const struct chart *chart, const struct canvas *c, struct parts *parts)
{
    int rows = c->rows - 1 - HEAD_ROWS; /* the last row is for the keys */
    int width = c->columns - 2 * MARGIN, below = PLOT_BELOW + BAND_ROWS;

    *parts = (struct parts){.wide = c->columns >= CHART_COLUMNS_WIDE};
    parts->a_row = parts->wide ? 1 : entries_a_row(chart, width);
    parts->legend = legend_rows(chart, parts, rows);
    parts->text = (struct rect){MARGIN, 0, width, 0};
    parts->curves = (struct rect){MARGIN + PLOT_LEFT, HEAD_ROWS,
                                  width - PLOT_LEFT - MARGIN, rows - below};
    if (parts->wide) {
        int side = side_columns(chart, width);
        parts->curves.width -= side + SIDE_GAP;
        parts->text = (struct rect){c->columns - MARGIN - side, HEAD_ROWS,
                                    side, rows};
    } else {
        parts->text.height = parts->legend + sentence_rows(chart, width);
        parts->curves.height -= parts->text.height;
        parts->text.y = parts->curves.y + parts->curves.height + below;
    }
    return c->columns >= LAYOUT_COLUMNS_FULL &&
           c->rows >= LAYOUT_ROWS_FULL - 1 && parts->curves.height > 2;
}

static void
draw_value(const struct chart *chart, size_t i, int best, struct canvas *c,
           int right, int y)
{
    const struct series *s = chart->set->series;
    double value = curve_at(&s[i], chart->axes, chart->cursor);
    double ratio = best >= 0 ? value / curve_at(&s[best], chart->axes,
                                                chart->cursor)
                             : NAN;
    struct buf text = {0};

    curve_add_y(chart->axes, value, &text);
    canvas_puts(c, right - RATIO_COLUMNS - utf8_columns(buf_text(&text)), y,
                buf_text(&text), (int)i == best ? strong : plain);
    buf_clear(&text);
    ratio = ratio < 1 ? 1 / ratio : ratio;
    if (isfinite(ratio) && (int)i != best)
        buf_addf(&text, ratio < 99.95 ? "%.1fx" : "%.0fx", ratio);
    canvas_puts(c, right - utf8_columns(buf_text(&text)), y, buf_text(&text),
                quiet);
    buf_done(&text);
}

static void
draw_entry(const struct chart *chart, size_t i, int best, struct canvas *c,
           struct rect at)
{
    int name = at.width - 2;

    canvas_put(c, at.x, at.y, plot_mark(chart->glyphs, i), plot_pen(i));
    if (chart->cursor > 0) {
        name -= VALUE_COLUMNS + RATIO_COLUMNS + 1;
        draw_value(chart, i, best, c, at.x + at.width, at.y);
    }
    canvas_puts_within(c, at.x + 2, at.y, name, name_of(chart, i),
                       (int)i == best ? strong : plain);
}

/* The last entry says how many others have no room. */
static void
draw_entries(const struct chart *chart, const struct parts *parts, int best,
             struct canvas *c)
{
    int n = (int)chart->set->n, room = (parts->legend - 1) * parts->a_row;
    int width = parts->text.width / parts->a_row;
    struct buf text = {0};

    for (int i = 0; i < n && i < room; i++) {
        struct rect at = {parts->text.x + i % parts->a_row * width,
                          parts->text.y + 1 + i / parts->a_row,
                          width - (parts->a_row > 1 ? ENTRY_GAP : 0), 1};
        if (i < room - 1 || n <= room) {
            draw_entry(chart, (size_t)i, best, c, at);
            continue;
        }
        buf_addf(&text, _("and %d more"), n - i);
        canvas_puts(c, at.x, at.y, buf_text(&text), quiet);
    }
    buf_done(&text);
}

static void
draw_legend(const struct chart *chart, const struct parts *parts,
            struct canvas *c)
{
    int best = curve_best(chart->set, chart->axes, chart->cursor);
    struct buf at = {0}, text = {0};

    if (chart->cursor > 0) {
        curve_add_x(chart->axes, chart->cursor, &at);
        buf_addf(&text, _("at %s"), buf_text(&at));
        canvas_puts(c, parts->text.x, parts->text.y, buf_text(&text), strong);
    }
    draw_entries(chart, parts, chart->set->n > 1 ? best : -1, c);
    buf_done(&at);
    buf_done(&text);
}

static void
draw_sentences(const struct chart *chart, struct canvas *c, struct rect at)
{
    struct buf text = {0};
    struct wrap w = {.columns = at.width};

    add_sentences(chart, &text);
    w.text = buf_text(&text);
    for (int row = 0; row < at.height && text.length > 0 && wrap_next(&w);
         row++) {
        struct buf line = {0};
        buf_add(&line, w.line, w.length);
        canvas_puts(c, at.x, at.y + row, buf_text(&line), plain);
        buf_done(&line);
    }
    buf_done(&text);
}

static void
draw_text(const struct chart *chart, const struct parts *parts,
          struct canvas *c)
{
    struct rect at = parts->text;

    draw_legend(chart, parts, c);
    at.y += parts->legend + parts->wide;
    at.height = parts->text.y + parts->text.height - at.y;
    draw_sentences(chart, c, at);
}

static void
draw_head(const struct chart *chart, struct canvas *c)
{
    const char *of = chart->axes.of == OF_TIME    ? _("time of a call")
                     : chart->axes.of == OF_BUSBW ? _("bus bandwidth")
                                                  : _("bandwidth");
    int x = canvas_puts(c, MARGIN, 0, "collviz", title_pen) + MARGIN + 2;
    int right = c->columns - MARGIN - utf8_columns(of);

    canvas_puts_within(c, x, 0, right - x - 2, chart->title, strong);
    canvas_puts(c, right, 0, of, strong);
    canvas_puts_within(c, MARGIN, 1, c->columns - 2 * MARGIN, chart->source,
                       quiet);
}

void
chart_draw(const struct chart *chart, struct canvas *c)
{
    struct parts parts;

    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    if (!place(chart, c, &parts)) {
        canvas_puts_within(c, 0, c->rows / 2, c->columns, _("too small"),
                           plain);
        return;
    }
    draw_head(chart, c);
    chart_curves_draw(chart, parts.curves, c);
    draw_text(chart, &parts, c);
}

double
chart_x_at(const struct chart *chart, const struct canvas *c, struct point at)
{
    struct parts parts;
    struct plot p;
    double x;

    if (!place(chart, c, &parts) || !rect_contains(parts.curves, at) ||
        !chart_curves_plot(chart, parts.curves, &p))
        return 0;
    x = plot_x(&p, at.x);
    plot_done(&p);
    return x;
}
