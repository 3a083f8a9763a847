/* SPDX-License-Identifier: MIT */
#include "view/chart.h"

#include <math.h>

#include "base/bounds.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/plot.h"
#include "draw/prose.h"
#include "view/frame.h"

enum {
    MARGIN = 1,
    HEAD_ROWS = 2,        /* the title, the source */
    BAND_ROWS = 1,        /* who is the fastest where */
    SIDE_COLUMNS = 36,    /* of the text beside the curves, at least */
    SIDE_GAP = 3,
    ENTRY_COLUMNS = 30,   /* of a series in the legend, at least: mark, name,
                           * value, ratio */
    ENTRY_GAP = 3,        /* between two of them side by side */
    VALUE_COLUMNS = 10,   /* "1.23 ms", "12.3 GB/s" */
    RATIO_COLUMNS = 7,    /* "1.9x" */
    CHUNKS_COLUMNS = 12,  /* "512 chunks" */
    NOTE_ROWS_MOST = 4,
    FIGURE_MARGIN = 2,
    FIGURE_ROWS = 3,      /* of a figure's curves, at least */
};

const struct symbol chart_signs[] = {
    {"-----", .meaning = N_("a curve, with a colour and marks of its own")},
    {.glyph = GLYPH_CROSSING,
     .meaning = N_("from here on another curve is the fastest")},
    {.glyph = GLYPH_UP,
     .meaning = N_("the point that is read; its values are in the legend")},
    {"1.9x", .meaning = N_("how many times slower than the fastest")},
    {NULL, .meaning = NULL},
};

/* The places of the parts. */
struct parts {
    bool wide; /* the text is beside the curves */
    int a_row; /* series in a row of the legend */
    int legend; /* its rows: a heading and the entries */
    struct rect curves, text;
};

static void
add_sentences(const struct chart *chart, struct buf *out)
{
    curve_sentence(chart->set, chart->axes, out);
    if (chart->note != NULL)
        buf_addf(out, "%s%s", out->length > 0 ? "\n" : "", chart->note);
}

/* The number of chunks at the cursor; 0: there is none. */
static int
chunks_of(const struct chart *chart, size_t series)
{
    return chart->cursor > 0 ? curve_chunks(&chart->set->series[series],
                                            chart->axes, chart->cursor)
                             : 0;
}

/* The text beside the curves has half of the columns at most; that below them
 * leaves the curves most of the rows. */
static struct parts
lay_out_chart(const struct chart *chart, const struct canvas *c)
{
    int rows = c->rows - 1 - HEAD_ROWS; /* the last row is for the keys */
    int width = c->columns - 2 * MARGIN, below = PLOT_BELOW + BAND_ROWS;
    int longest = 0, chunks = 0, entry, side, a_row, room, needed;
    bool wide = c->columns >= CHART_COLUMNS_WIDE;
    struct parts parts;

    for (size_t i = 0; i < chart->set->n; i++) {
        longest = most(utf8_columns(chart->set->series[i].name), longest);
        if (chunks_of(chart, i) > 0)
            chunks = CHUNKS_COLUMNS;
    }
    entry = most(3 + longest + chunks + VALUE_COLUMNS + RATIO_COLUMNS,
                     ENTRY_COLUMNS);
    side = most(entry, SIDE_COLUMNS);
    a_row = wide ? 1 : most(width / (entry + ENTRY_GAP), 1);
    room = wide ? rows - NOTE_ROWS_MOST - 1 : rows / 3;
    needed = ((int)chart->set->n + a_row - 1) / a_row;
    parts = (struct parts){
        .wide = wide, .a_row = a_row,
        .legend = 1 + least(needed, room),
        /* half of the last tick's text stands to the right of the curves */
        .curves = {MARGIN + PLOT_LEFT, HEAD_ROWS,
                   width - PLOT_LEFT - 3 * MARGIN,
                   rows - below}};
    if (wide) {
        side = least(side, width / 2);
        parts.curves.width -= side + SIDE_GAP;
        parts.text = (struct rect){c->columns - MARGIN - side, HEAD_ROWS,
                                    side, rows};
    } else {
        OWN(buf) text = {0};
        int height;
        add_sentences(chart, &text);
        height = parts.legend +
                 least(wrap_rows(buf_text(&text), width), NOTE_ROWS_MOST);
        parts.curves.height -= height;
        parts.text = (struct rect){
            MARGIN, HEAD_ROWS + parts.curves.height + below, width, height};
    }
    return parts;
}

/* Returns false if no series has a point. */
static bool
plot_of(const struct chart *chart, struct rect area, struct plot *p)
{
    struct extent x, y;

    if (!curve_extent(chart->set, chart->axes, &x, &y))
        return false;
    if (x.most <= x.least)
        x = (struct extent){x.least / 2, x.most * 2};
    *p = (struct plot){area, {.from = x.least, .to = x.most},
                       plot_scale(y.least, y.most, false)};
    return true;
}

/* The band below the curves: a part for each reign, with its series' name. */
static void
draw_band(const struct chart *chart, const struct plot *p,
          const struct reigns *r, struct canvas *c)
{
    const char *heading = _("fastest");
    int y = p->area.y + p->area.height + PLOT_BELOW;

    canvas_puts(c, p->area.x - 2 - utf8_columns(heading), y, heading, quiet);
    for (int i = 0; i < r->n; i++) {
        size_t series = (size_t)r->all[i].series;
        uint8_t hue = plot_pen(series).fg;
        struct pen pen = {.fg = (uint8_t)palette_ink(hue), .bg = hue};
        int x = plot_column(p, r->all[i].from);
        int width = (i + 1 < r->n ? plot_column(p, r->all[i + 1].from)
                                  : plot_column(p, r->to) + 1) - x;
        if (width <= 0)
            continue;
        canvas_fill(c, x, y, width, ' ', pen);
        canvas_glyph(c, x, y, GLYPH_VERTICAL, pen);
        if (width > 3)
            canvas_glyph(c, x + 1, y, plot_mark(series), pen);
        if (width > 6)
            canvas_puts_within(c, x + 3, y, width - 4,
                               chart->set->series[series].name, pen);
    }
}

/* The cursor is behind the curves, but its readings are before them.  The axes
 * and the band are outside of the area, at its left and below it. */
static void
draw_curves(const struct chart *chart, struct rect area, struct canvas *c)
{
    struct reigns r = curve_reigns(chart->set, chart->axes);
    bool has_cursor = chart->cursor > 0;
    struct plot p;

    if (!plot_of(chart, area, &p))
        return;
    plot_axes(&p, chart->axes.over == OVER_BYTES ? UNIT_BYTES : UNIT_RANKS,
              chart->axes.of == OF_TIME ? UNIT_TIME : UNIT_RATE, c);
    for (int y = 0; y <= area.height && has_cursor; y++) {
        bool end = y == area.height;
        canvas_glyph(c, plot_column(&p, chart->cursor), area.y + y,
                     end ? GLYPH_UP : GLYPH_CUT, end ? strong : quiet);
    }
    plot_curves(&p, chart->set, chart->axes, c);
    for (int i = 1; i < r.n; i++) {
        double x = r.all[i].from;
        double y = curve_at(&chart->set->series[r.all[i].series],
                            chart->axes, x);
        canvas_glyph(c, plot_column(&p, x), plot_row(&p, y), GLYPH_CROSSING,
                     strong);
    }
    for (size_t i = has_cursor ? chart->set->n : 0; i-- > 0;) {
        double y = curve_at(&chart->set->series[i], chart->axes,
                            chart->cursor);
        struct pen pen = plot_pen(i);
        pen.attrs = ATTR_BOLD;
        if (y > 0)
            canvas_glyph(c, plot_column(&p, chart->cursor), plot_row(&p, y),
                         plot_mark(i), pen);
    }
    if (chart->set->n > 1 && r.n > 0)
        draw_band(chart, &p, &r, c);
}

/* A series of the legend, with its value at the cursor, and how many times as
 * slow that is as the best one. */
static void
draw_entry(const struct chart *chart, size_t i, int best, struct canvas *c,
           struct rect at)
{
    const struct series *s = chart->set->series;
    struct pen pen = (int)i == best ? strong : plain;
    int name = at.width - 2, right = at.x + at.width;
    int chunks = chunks_of(chart, i);

    canvas_glyph(c, at.x, at.y, plot_mark(i), plot_pen(i));
    if (chart->cursor > 0) {
        double value = curve_at(&s[i], chart->axes, chart->cursor);
        double ratio = best < 0 || (int)i == best
                           ? NAN
                           : value / curve_at(&s[best], chart->axes,
                                              chart->cursor);
        name -= VALUE_COLUMNS + RATIO_COLUMNS + 1;
        canvas_puts_before(c, right - RATIO_COLUMNS, at.y,
                           curve_word_y(chart->axes, value).text, pen);
        ratio = ratio < 1 ? 1 / ratio : ratio;
        if (isfinite(ratio))
            canvas_puts_before(
                c, right, at.y,
                word_of(ratio < 99.95 ? "%.1fx" : "%.0fx", ratio).text, quiet);
    }
    if (chunks > 0) {
        canvas_puts_before(c, at.x + 2 + name, at.y, word_chunks(chunks).text,
                           quiet);
        name -= CHUNKS_COLUMNS;
    }
    canvas_puts_within(c, at.x + 2, at.y, name, s[i].name, pen);
}

/* The last entry says how many others have no room. */
static void
draw_curve_names(const struct chart *chart, const struct parts *parts,
                 struct canvas *c)
{
    int n = (int)chart->set->n, room = (parts->legend - 1) * parts->a_row;
    int best = n > 1 ? curve_best(chart->set, chart->axes, chart->cursor) : -1;
    int width = parts->text.width / parts->a_row;

    if (chart->cursor > 0)
        canvas_putf(c, parts->text.x, parts->text.y, strong, _("at %s"),
                    curve_word_x(chart->axes, chart->cursor).text);
    for (int i = 0; i < n && i < room; i++) {
        struct rect entry = {parts->text.x + i % parts->a_row * width,
                             parts->text.y + 1 + i / parts->a_row,
                             width - (parts->a_row > 1 ? ENTRY_GAP : 0), 1};
        if (i < room - 1 || n <= room)
            draw_entry(chart, (size_t)i, best, c, entry);
        else
            canvas_putf(c, entry.x, entry.y, quiet, _("and %d more"), n - i);
    }
}

void
chart_draw(const struct chart *chart, struct canvas *c)
{
    const struct pen name = {.fg = ROLE_ACCENT, .attrs = ATTR_BOLD};
    const char *of = chart->axes.of == OF_TIME    ? _("time of a call")
                     : chart->axes.of == OF_BUSBW ? _("bus bandwidth")
                                                  : _("bandwidth");
    int right = c->columns - MARGIN - utf8_columns(of), x, y;
    OWN(buf) text = {0};
    struct parts parts;
    struct wrap w;

    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    if (frame_too_small(c, LAYOUT_COLUMNS_FULL, LAYOUT_ROWS_FULL - 1))
        return;
    parts = lay_out_chart(chart, c);
    x = canvas_puts(c, MARGIN, 0, "collviz", name) + MARGIN + 2;
    canvas_puts_within(c, x, 0, right - x - 2, chart->title, strong);
    canvas_puts(c, right, 0, of, strong);
    canvas_puts_within(c, MARGIN, 1, c->columns - 2 * MARGIN, chart->source,
                       quiet);
    draw_curves(chart, parts.curves, c);
    draw_curve_names(chart, &parts, c);
    add_sentences(chart, &text);
    w = (struct wrap){.text = buf_text(&text), .columns = parts.text.width};
    y = parts.text.y + parts.legend + parts.wide;
    while (y < parts.text.y + parts.text.height && wrap_next(&w))
        wrap_put(&w, c, parts.text.x, y++, plain);
}

double
chart_x_at(const struct chart *chart, const struct canvas *c, struct point at)
{
    struct parts parts = lay_out_chart(chart, c);
    struct plot p;

    return rect_contains(parts.curves, at) && plot_of(chart, parts.curves, &p)
               ? plot_x(&p, at.x)
               : 0;
}

/* The name of y above its axis, and then those of the curves, in as many rows
 * as they need; returns their number.  Without a canvas it only counts. */
static int
put_legend(const struct figure *f, struct canvas *c, struct rect area)
{
    int name = utf8_columns(f->y), right = area.x + area.width;
    int first = name < PLOT_LEFT ? area.x + PLOT_LEFT : area.x + name + 1;
    int x = first + 1, rows = 1;

    if (c != NULL)
        canvas_puts(c, first - 1 - name, area.y, f->y, quiet);
    for (size_t i = 0; i < f->set.n; i++) {
        int columns = 2 + utf8_columns(f->set.series[i].name);
        if (x > first + 1 && x + columns > right) {
            x = first + 1;
            rows++;
        }
        if (c != NULL) {
            canvas_glyph(c, x, area.y + rows - 1, plot_mark(i), plot_pen(i));
            canvas_puts_within(c, x + 2, area.y + rows - 1, right - x - 2,
                               f->set.series[i].name, plain);
        }
        x += columns + ENTRY_GAP;
    }
    return rows;
}

/* The scale of x ends where the points end. */
void
figure_draw(const struct figure *f, struct canvas *c, struct rect area)
{
    struct rect text = {area.x + FIGURE_MARGIN, area.y + 1,
                        area.width - 2 * FIGURE_MARGIN, 1};
    int legend = put_legend(f, NULL, text);
    int name = utf8_columns(f->x);
    struct rect curves = {text.x + PLOT_LEFT, text.y + legend,
                          text.width - PLOT_LEFT - name - 1,
                          area.height - 1 - legend - PLOT_BELOW};
    struct plot p = {.area = curves};
    struct axes axes = {OVER_X, OF_Y};
    struct extent x, y;

    canvas_puts_within(c, text.x, area.y, text.width, f->title, strong);
    if (curves.height < FIGURE_ROWS || curves.width < PLOT_LEFT)
        return;
    put_legend(f, c, text);
    curve_extent(&f->set, axes, &x, &y);
    p.x = plot_is_flat(x.least, x.most)
              ? plot_scale(x.least, x.most, true)
              : (struct scale){x.least, x.most, !figure_is_log(x)};
    p.y = plot_scale(y.least, y.most, !figure_is_log(y));
    plot_axes(&p, f->x_unit, f->y_unit, c);
    axes.over = p.x.linear ? OVER_X : OVER_LOG_X;
    axes.of = p.y.linear ? OF_Y : OF_LOG_Y;
    plot_curves(&p, &f->set, axes, c);
    canvas_puts(c, curves.x + curves.width + 1, curves.y + curves.height, f->x,
                quiet);
}
