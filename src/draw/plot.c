/* SPDX-License-Identifier: MIT */
#include "draw/plot.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
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

double
plot_round(double value, bool up)
{
    static const double steps[] = {1, 2, 5, 10};
    double decade = pow(10, floor(log10(value))), rounded = decade;

    for (int i = 0; i < 4; i++) {
        double step = steps[i] * decade;
        if (up && step >= value * (1 - 1e-9))
            return step;
        if (!up && step <= value * (1 + 1e-9))
            rounded = step;
    }
    return rounded;
}

bool
plot_is_flat(double least, double most)
{
    return most - least <= 1e-4 * fmax(fabs(least), fabs(most));
}

struct scale
plot_scale(double least, double most, bool linear)
{
    struct scale s = {.linear = linear};

    if (linear) {
        double room = most != 0 ? fabs(most) / 2 : 1, step;
        if (plot_is_flat(least, most)) {
            least -= room;
            most += room;
        }
        step = plot_round((most - least) / STEPS, false);
        s.from = floor(least / step) * step;
        s.to = ceil(most / step) * step;
        return s;
    }
    s.from = plot_round(least, false);
    s.to = plot_round(most, true);
    if (s.to <= s.from) {
        s.from /= 2;
        s.to *= 2;
    }
    return s;
}

/* The dot, of so many from one end of a scale to the other, at a value. */
static int
dot_of(const struct scale *s, double value, int dots)
{
    double from = s->linear ? s->from : log(s->from);
    double to = s->linear ? s->to : log(s->to);

    value = s->linear ? value : log(value);
    return (int)lround((value - from) / (to - from) * (dots - 1));
}

/* Dots are counted from the left and from the top; those before the first one
 * are below 0. */
static int
dot_row(const struct plot *p, double y)
{
    const struct scale down = {p->y.to, p->y.from, p->y.linear};

    return dot_of(&down, y, p->area.height * DOTS_DOWN);
}

static int
dot_cell(int dot, int dots_a_cell)
{
    return dot >= 0 ? dot / dots_a_cell : -1;
}

int
plot_column(const struct plot *p, double x)
{
    return p->area.x + dot_cell(dot_of(&p->x, x, p->area.width * DOTS_ACROSS),
                                DOTS_ACROSS);
}

int
plot_row(const struct plot *p, double y)
{
    return p->area.y + dot_cell(dot_row(p, y), DOTS_DOWN);
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

/* The ticks are first * factor^k, or on a linear axis first + k * step; `fives`
 * adds 2 and 5 times each. */
struct ticks {
    double first, factor, step;
    bool fives;
};

/* `cells` is the least distance of two ticks, `length` that of the ends.  On a
 * logarithmic axis of bytes or ranks every power of two has a tick if there is
 * room for it, or every second, fifth or tenth: 1 KiB and 1 MiB have one in any
 * case. */
static struct ticks
choose_ticks(const struct scale *s, enum unit unit, int cells, int length)
{
    static const int powers[] = {1, 2, 5, 10};
    double decades = log10(s->to) - log10(s->from), step, factor;
    int i = 0;

    if (s->linear) {
        step = plot_round((s->to - s->from) * cells / length, true);
        return (struct ticks){.first = ceil(s->from / step - 1e-9) * step,
                              .step = step};
    }
    if (unit == UNIT_BYTES || unit == UNIT_RANKS) {
        while (i < 3 && powers[i] * (length / log2(s->to / s->from)) < cells)
            i++;
        return (struct ticks){.first = 1, .factor = exp2(powers[i])};
    }
    factor = pow(10, fmax(ceil(cells * decades / length), 1));
    return (struct ticks){
        .first = pow(factor, floor(log10(s->from) / log10(factor))),
        .factor = factor, .fives = decades < DECADES};
}

static void
draw_ticks(const struct plot *p, bool across, enum unit unit,
           struct canvas *c)
{
    static const double fives[] = {1, 2, 5};
    const struct scale *s = across ? &p->x : &p->y;
    double below = 1e-9 * (s->linear ? s->to - s->from : s->from);
    double above = s->linear ? below : 1e-9 * s->to, value;
    int widest = TICK_GAP + (unit == UNIT_BYTES ? 7 : 6);
    struct ticks t = across ? choose_ticks(s, unit, widest, p->area.width)
                            : choose_ticks(s, unit, TICK_ROWS, p->area.height);
    struct word text;
    int x, y, columns;

    for (int k = 0;; k++) {
        value = t.step > 0 ? t.first + k * t.step
                : t.fives  ? t.first * pow(t.factor, k / 3) * fives[k % 3]
                           : t.first * pow(t.factor, k);
        if (value > s->to + above)
            break;
        if (value < s->from - below)
            continue;
        text = word_unit(unit, s->linear && fabs(value) <= below ? 0 : value,
                         true);
        columns = utf8_columns(text.text);
        if (across) {
            y = p->area.y + p->area.height;
            x = plot_column(p, value);
            canvas_glyph(c, x, y++, GLYPH_TICK_ACROSS, quiet);
            x -= columns / 2;
            x = x + columns > c->columns ? c->columns - columns : x;
        } else {
            x = p->area.x - 1;
            y = plot_row(p, value);
            canvas_glyph(c, x, y, GLYPH_TICK_UP, quiet);
            x -= 1 + columns;
        }
        canvas_puts(c, x, y, text.text, quiet);
    }
}

void
plot_axes(const struct plot *p, enum unit x, enum unit y, struct canvas *c)
{
    int bottom = p->area.y + p->area.height, left = p->area.x - 1;

    for (int row = p->area.y; row < bottom; row++)
        canvas_glyph(c, left, row, GLYPH_VERTICAL, quiet);
    canvas_fill(c, p->area.x, bottom, p->area.width,
                glyph(c->glyphs, GLYPH_HORIZONTAL), quiet);
    canvas_glyph(c, left, bottom, GLYPH_BOTTOM_LEFT, quiet);
    draw_ticks(p, true, x, c);
    draw_ticks(p, false, y, c);
}

/* Dots of a curve: a byte for each cell, with a bit for each dot. */
static void
put_dot(const struct plot *p, uint8_t *dots, int x, int y)
{
    /* The bits of a braille character, by row and column. */
    static const uint8_t bits[DOTS_DOWN][DOTS_ACROSS] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

    if (x >= 0 && y >= 0 && y < p->area.height * DOTS_DOWN)
        dots[y / DOTS_DOWN * p->area.width + x / DOTS_ACROSS] |=
            bits[y % DOTS_DOWN][x % DOTS_ACROSS];
}

/* Each dot joins the one to its left: if the curve is steep, half of the rows
 * between them are in either column. */
static void
put_curve(const struct plot *p, const struct series *s, struct axes axes,
          uint8_t *dots)
{
    bool joined = false;
    int before = 0;

    for (int x = 0; x < p->area.width * DOTS_ACROSS; x++) {
        double value = curve_drawn(s, axes, x_of_dot(p, x));
        int row;
        if (isnan(value) || (value <= 0 && !p->y.linear)) {
            joined = false;
            continue;
        }
        row = dot_row(p, value);
        if (joined) {
            int step = row > before ? 1 : -1, half = (before + row) / 2;
            for (int y = before; y != row; y += step)
                put_dot(p, dots, step * (half - y) > 0 ? x - 1 : x, y + step);
        }
        put_dot(p, dots, x, row);
        before = row;
        joined = true;
    }
}

/* If several curves pass through a cell, they take turns in colouring it, from
 * the last one on. */
void
plot_curves(const struct plot *p, const struct series_set *set,
            struct axes axes, struct canvas *c)
{
    enum { UPPER = 0x01 | 0x02 | 0x08 | 0x10 };
    size_t width = (size_t)p->area.width, n = set->n;
    size_t cells = width * (size_t)p->area.height;
    uint8_t *dots = mem_new(n * cells, sizeof *dots);

    for (size_t i = 0; i < n; i++)
        put_curve(p, &set->series[i], axes, dots + i * cells);
    for (size_t cell = 0; cell < cells; cell++) {
        int x = (int)(cell % width), y = (int)(cell / width), count = 0, turn;
        uint8_t all = 0;
        uint32_t code;
        for (size_t i = 0; i < n; i++) {
            all |= dots[i * cells + cell];
            count += dots[i * cells + cell] != 0;
        }
        turn = count > 0 ? x % count : 0;
        code = c->glyphs == GLYPHS_FULL ? BRAILLE + all
               : !(all & UPPER)         ? '.'
               : (all & ~UPPER)         ? ':'
                                        : '\'';
        for (size_t i = n; i-- > 0;)
            if (dots[i * cells + cell] != 0 && turn-- == 0)
                canvas_put(c, p->area.x + x, p->area.y + y, code, plot_pen(i));
    }
    free(dots);
    for (size_t i = n; i-- > 0;) {
        const struct series *s = &set->series[i];
        size_t stride = (MARK_COLUMNS * s->n + width - 1) / width;
        double x, y;
        stride = stride > n ? stride : n;
        for (size_t k = s->n > 0 ? i * stride / n % s->n : 0; k < s->n;
             k += stride)
            if (curve_point(&s->points[k], axes, &x, &y))
                canvas_glyph(c, plot_column(p, x), plot_row(p, y),
                             plot_mark(i), plot_pen(i));
    }
}

enum glyph
plot_mark(size_t curve)
{
    return GLYPH_MARK + (enum glyph)((curve + curve / HUES) % GLYPH_MARKS);
}

struct pen
plot_pen(size_t curve)
{
    return (struct pen){.fg = (uint8_t)palette_origin((int)curve)};
}
