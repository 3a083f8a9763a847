/* SPDX-License-Identifier: MIT */
#include "draw/plot.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "draw/glyph.h"
#include "draw/palette.h"

enum {
    DOTS_ACROSS = 2, /* of a cell */
    DOTS_DOWN = 4,
    BRAILLE = 0x2800,
    MARK_COLUMNS = 10, /* between two marks of a curve */
    TICK_GAP = 2, /* columns between the texts of two ticks */
    TICK_ROWS = 2, /* between two ticks of the other axis */
    DECADES = 3, /* with fewer of them, 2 and 5 times each have ticks too */
    STEPS = 4    /* of a linear scale, at least, before its ends are rounded */
};

static const struct pen quiet = {.fg = ROLE_QUIET};

/* 1, 2 or 5 times a power of ten: the nearest that is not above the value, or
 * not below it. */
static double
round_value(double value, bool up)
{
    static const double steps[] = {1, 2, 5, 10};
    double decade = pow(10, floor(log10(value)));
    double rounded = decade;

    for (int i = 0; i < 4; i++) {
        double step = steps[i] * decade;
        if (up && step >= value * (1 - 1e-9))
            return step;
        if (!up && step <= value * (1 + 1e-9))
            rounded = step;
    }
    return rounded;
}

struct scale
plot_scale(double least, double most)
{
    struct scale s = {.from = round_value(least, false),
                      .to = round_value(most, true)};

    if (s.to <= s.from)
        s = (struct scale){.from = s.from / 2, .to = s.to * 2};
    return s;
}

bool
plot_is_flat(double least, double most)
{
    return most - least <= 1e-4 * fmax(fabs(least), fabs(most));
}

struct scale
plot_linear(double least, double most)
{
    double step;

    if (plot_is_flat(least, most)) {
        double room = most != 0 ? fabs(most) / 2 : 1;
        least -= room;
        most += room;
    }
    step = round_value((most - least) / STEPS, false);
    return (struct scale){.from = floor(least / step) * step,
                          .to = ceil(most / step) * step, .linear = true};
}

static size_t
cells(const struct plot *p)
{
    return (size_t)p->area.width * (size_t)p->area.height;
}

void
plot_init(struct plot *p, struct rect area, struct scale x, struct scale y,
          enum glyph_set glyphs)
{
    *p = (struct plot){.area = area, .x = x, .y = y, .glyphs = glyphs};
}

void
plot_done(struct plot *p)
{
    for (size_t i = 0; i < p->ncurves; i++)
        free(p->curves[i].dots);
    free(p->curves);
}

/* The part of a scale that lies below a value, from 0 to 1. */
static double
part_below(const struct scale *s, double value)
{
    double from = s->linear ? s->from : log(s->from);
    double to = s->linear ? s->to : log(s->to);

    return ((s->linear ? value : log(value)) - from) / (to - from);
}

/* Dots are counted from the left and from the top. */
static int
dot_column(const struct plot *p, double x)
{
    int last = p->area.width * DOTS_ACROSS - 1;

    return (int)lround(part_below(&p->x, x) * last);
}

static int
dot_row(const struct plot *p, double y)
{
    int last = p->area.height * DOTS_DOWN - 1;

    return (int)lround((1 - part_below(&p->y, y)) * last);
}

static int
cell_of(int dot, int dots_a_cell)
{
    return dot >= 0 ? dot / dots_a_cell : -1;
}

int
plot_column(const struct plot *p, double x)
{
    return p->area.x + cell_of(dot_column(p, x), DOTS_ACROSS);
}

int
plot_row(const struct plot *p, double y)
{
    return p->area.y + cell_of(dot_row(p, y), DOTS_DOWN);
}

static double
x_of_dot(const struct plot *p, double dot)
{
    double part = dot / (p->area.width * DOTS_ACROSS - 1);

    return p->x.linear ? p->x.from + part * (p->x.to - p->x.from)
                       : p->x.from * pow(p->x.to / p->x.from, part);
}

double
plot_x(const struct plot *p, int column)
{
    return x_of_dot(p, (column - p->area.x) * DOTS_ACROSS + 0.5);
}

static void
put_dot(const struct plot *p, uint8_t *dots, int x, int y)
{
    /* The bits of a braille character, by row and column. */
    static const uint8_t bits[DOTS_DOWN][DOTS_ACROSS] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

    if (x < 0 || y < 0 || x >= p->area.width * DOTS_ACROSS ||
        y >= p->area.height * DOTS_DOWN)
        return;
    dots[y / DOTS_DOWN * p->area.width + x / DOTS_ACROSS] |=
        bits[y % DOTS_DOWN][x % DOTS_ACROSS];
}

/* A column of dots, from the row after `from` to `to`. */
static void
put_column(const struct plot *p, uint8_t *dots, int x, int from, int to)
{
    int step = to > from ? 1 : -1;

    for (int y = from; y != to; y += step)
        put_dot(p, dots, x, y + step);
}

/* Each dot joins the one to its left: where the curve is steep, half of the
 * rows between them are in either column. */
void
plot_curve(struct plot *p, double (*at)(const void *state, double x),
           const void *state, struct pen pen)
{
    uint8_t *dots = mem_new(cells(p), sizeof *dots);
    bool joined = false;
    int before = 0;

    p->curves = mem_grow(p->curves, p->ncurves, &p->capacity,
                         sizeof *p->curves);
    p->curves[p->ncurves++] = (struct plot_curve){pen, dots};
    for (int x = 0; x < p->area.width * DOTS_ACROSS; x++) {
        double value = at(state, x_of_dot(p, x));
        int row;
        if (isnan(value) || (value <= 0 && !p->y.linear)) {
            joined = false;
            continue;
        }
        row = dot_row(p, value);
        if (joined) {
            put_column(p, dots, x - 1, before, (before + row) / 2);
            put_column(p, dots, x, (before + row) / 2, row);
        }
        put_dot(p, dots, x, row);
        before = row;
        joined = true;
    }
}

static uint32_t
character(enum glyph_set glyphs, uint8_t dots)
{
    enum { UPPER = 0x01 | 0x02 | 0x08 | 0x10 };
    bool upper = (dots & UPPER) != 0, lower = (dots & ~UPPER) != 0;

    if (glyphs == GLYPHS_FULL)
        return BRAILLE + dots;
    return upper && lower ? ':' : upper ? '\'' : '.';
}

/* Where several curves pass through a cell, they take turns in colouring it. */
static void
draw_cell(const struct plot *p, int x, int y, struct canvas *c)
{
    int cell = y * p->area.width + x, count = 0, turn;
    uint8_t dots = 0;

    for (size_t i = 0; i < p->ncurves; i++) {
        dots |= p->curves[i].dots[cell];
        count += p->curves[i].dots[cell] != 0;
    }
    turn = count > 0 ? x % count : 0;
    for (size_t i = 0; i < p->ncurves; i++)
        if (p->curves[i].dots[cell] != 0 && turn-- == 0)
            canvas_put(c, p->area.x + x, p->area.y + y,
                       character(p->glyphs, dots), p->curves[i].pen);
}

void
plot_draw(const struct plot *p, struct canvas *c)
{
    for (int y = 0; y < p->area.height; y++)
        for (int x = 0; x < p->area.width; x++)
            draw_cell(p, x, y, c);
}

void
plot_marks(const struct plot *p, const struct plot_points *points, size_t i,
           size_t ncurves, struct canvas *c)
{
    size_t n = points->n, width = (size_t)p->area.width;
    size_t stride = (MARK_COLUMNS * n + width - 1) / width;
    double x, y;

    stride = stride > ncurves ? stride : ncurves;
    for (size_t k = n > 0 ? i * stride / ncurves % n : 0; k < n; k += stride)
        if (points->at(points->state, k, &x, &y))
            canvas_put(c, plot_column(p, x), plot_row(p, y),
                       plot_mark(p->glyphs, i), plot_pen(i));
}

/* The ticks are first * factor^k, or on a linear axis first + k * step; `fives`
 * adds 2 and 5 times each. */
struct ticks {
    double first, factor, step;
    bool fives;
};

/* `cells` is the least distance of two ticks, `length` that of the ends. */
static struct ticks
linear_ticks(const struct scale *s, int cells, int length)
{
    double step = round_value((s->to - s->from) * cells / length, true);

    return (struct ticks){.first = ceil(s->from / step - 1e-9) * step,
                          .step = step};
}

static struct ticks
decade_ticks(const struct scale *s, int cells, int length)
{
    double decades = log10(s->to) - log10(s->from);
    double factor = pow(10, fmax(ceil(cells * decades / length), 1));
    double powers = floor(log10(s->from) / log10(factor));

    return (struct ticks){.first = pow(factor, powers), .factor = factor,
                          .fives = decades < DECADES};
}

/* On a logarithmic axis of bytes or ranks every power of two if there is room
 * for it, or every second, fifth or tenth: 1 KiB and 1 MiB have a tick in any
 * case. */
static struct ticks
ticks_across(const struct plot *p, enum unit unit)
{
    static const int steps[] = {1, 2, 5, 10};
    double columns = p->area.width / log2(p->x.to / p->x.from);
    int widest = TICK_GAP + (unit == UNIT_BYTES ? 7 : 6), i = 0;

    if (p->x.linear)
        return linear_ticks(&p->x, widest, p->area.width);
    if (unit != UNIT_BYTES && unit != UNIT_RANKS)
        return decade_ticks(&p->x, widest, p->area.width);
    while (i < 3 && steps[i] * columns < widest)
        i++;
    return (struct ticks){.first = 1, .factor = exp2(steps[i])};
}

static struct ticks
ticks_up(const struct plot *p)
{
    return p->y.linear ? linear_ticks(&p->y, TICK_ROWS, p->area.height)
                       : decade_ticks(&p->y, TICK_ROWS, p->area.height);
}

static void
draw_tick_across(const struct plot *p, enum unit unit, double value,
                 struct canvas *c)
{
    int x = plot_column(p, value), y = p->area.y + p->area.height;
    struct buf text = {0};
    int columns;

    unit_add(unit, value, true, &text);
    columns = utf8_columns(buf_text(&text));
    canvas_put(c, x, y, glyph(p->glyphs, GLYPH_TICK_ACROSS), quiet);
    x -= columns / 2;
    if (x + columns > c->columns)
        x = c->columns - columns;
    canvas_puts(c, x, y + 1, buf_text(&text), quiet);
    buf_done(&text);
}

static void
draw_tick_up(const struct plot *p, enum unit unit, double value,
             struct canvas *c)
{
    int x = p->area.x - 1, y = plot_row(p, value);
    struct buf text = {0};

    unit_add(unit, value, true, &text);
    canvas_put(c, x, y, glyph(p->glyphs, GLYPH_TICK_UP), quiet);
    canvas_puts(c, x - 1 - utf8_columns(buf_text(&text)), y, buf_text(&text),
                quiet);
    buf_done(&text);
}

/* The value of tick k on an axis, from 0. */
static double
tick_at(const struct ticks *t, int k)
{
    static const double fives[] = {1, 2, 5};

    if (t->step > 0)
        return t->first + k * t->step;
    return t->fives ? t->first * pow(t->factor, k / 3) * fives[k % 3]
                    : t->first * pow(t->factor, k);
}

static void
draw_ticks(const struct plot *p, const struct scale *s, struct ticks t,
           enum unit unit, struct canvas *c,
           void (*draw)(const struct plot *p, enum unit unit, double value,
                        struct canvas *c))
{
    double below = 1e-9 * (s->linear ? s->to - s->from : s->from);
    double above = s->linear ? below : 1e-9 * s->to, value;

    for (int k = 0; (value = tick_at(&t, k)) <= s->to + above; k++)
        if (value >= s->from - below)
            draw(p, unit, s->linear && fabs(value) <= below ? 0 : value, c);
}

void
plot_axes(const struct plot *p, enum unit x, enum unit y, struct canvas *c)
{
    int bottom = p->area.y + p->area.height, left = p->area.x - 1;

    for (int row = p->area.y; row < bottom; row++)
        canvas_put(c, left, row, glyph(p->glyphs, GLYPH_VERTICAL), quiet);
    canvas_fill(c, p->area.x, bottom, p->area.width,
                glyph(p->glyphs, GLYPH_HORIZONTAL), quiet);
    canvas_put(c, left, bottom, glyph(p->glyphs, GLYPH_BOTTOM_LEFT), quiet);
    draw_ticks(p, &p->x, ticks_across(p, x), x, c, draw_tick_across);
    draw_ticks(p, &p->y, ticks_up(p), y, c, draw_tick_up);
}

uint32_t
plot_mark(enum glyph_set glyphs, size_t curve)
{
    size_t mark = (curve + curve / HUES) % GLYPH_MARKS;

    return glyph(glyphs, GLYPH_MARK + (enum glyph)mark);
}

struct pen
plot_pen(size_t curve)
{
    return (struct pen){.fg = (uint8_t)palette_origin((int)curve)};
}
