/* SPDX-License-Identifier: MIT */
#include "text/series.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"

struct series *
series_add(struct series_set *set, const char *name)
{
    set->series = mem_grow(set->series, set->n, &set->capacity,
                           sizeof *set->series);
    set->series[set->n] = (struct series){.name = mem_string(name)};
    return &set->series[set->n++];
}

struct series *
series_find(const struct series_set *set, const char *name)
{
    for (size_t i = 0; i < set->n; i++)
        if (strcmp(set->series[i].name, name) == 0)
            return &set->series[i];
    return NULL;
}

void
series_put(struct series *s, struct series_point point)
{
    s->points = mem_grow(s->points, s->n, &s->capacity, sizeof *s->points);
    s->points[s->n++] = point;
}

void
series_text(const struct series_set *set, struct buf *out)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct series *s = &set->series[i];

        buf_addf(out, "%s%s\n%12s  %10s  %10s  %10s\n", i > 0 ? "\n" : "",
                 s->name, "bytes", "us", "algbw GB/s", "busbw GB/s");
        for (size_t k = 0; k < s->n; k++) {
            const struct series_point *p = &s->points[k];
            const double values[] = {p->us, p->algbw, p->busbw};
            buf_addf(out, "%12.0f", p->bytes);
            for (int v = 0; v < 3; v++)
                if (isnan(values[v]))
                    buf_addf(out, "  %10s", "-");
                else
                    buf_addf(out, "  %10.4g", values[v]);
            buf_putc(out, '\n');
        }
    }
}

void
series_set_done(struct series_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        free(set->series[i].name);
        free(set->series[i].points);
    }
    free(set->series);
    buf_done(&set->notes);
    *set = (struct series_set){0};
}

/* Values that are equal but for rounding do not change the best. */
static const double equal_within = 1e-9;

/* Logarithmic axes need a value above 0.  The bounds keep products and ratios
 * of two values finite. */
static bool
has_place(double value)
{
    return value >= 1e-150 && value <= 1e150;
}

static double
y_of(const struct series_point *p, struct axes a)
{
    return a.of == OF_BUSBW ? p->busbw : a.of == OF_ALGBW ? p->algbw : p->y;
}

static bool
is_rate(struct axes a)
{
    return a.of == OF_BUSBW || a.of == OF_ALGBW;
}

/* The time; for bandwidths, the time for each byte that they count. Lower is
 * better, and it is linear between two points. */
static double
cost_of(const struct series_point *p, struct axes a)
{
    return is_rate(a) ? p->bytes / y_of(p, a) : y_of(p, a);
}

bool
curve_point(const struct series_point *p, struct axes a, double *x, double *y)
{
    *x = a.over == OVER_RANKS ? p->ranks : p->x;
    *y = y_of(p, a);
    return a.over >= OVER_X ||
           (has_place(*x) && has_place(*y) && has_place(p->bytes) &&
            has_place(cost_of(p, a)));
}

/* The value at a part of the way between two others. */
static double
interpolate_value(double from, double to, double part, bool logarithmic)
{
    return logarithmic ? from * pow(to / from, part)
                       : from + part * (to - from);
}

/* The cost at x, as it is drawn, and the bytes that it is the cost of.  NAN if
 * there is no curve. */
static double
cost_drawn(const struct series *s, struct axes a, double x, double *bytes)
{
    double left, right, y;

    for (size_t i = 0; i < s->n; i++) {
        const struct series_point *p = &s->points[i], *q = p + 1;
        double part = 0;
        if (!curve_point(p, a, &left, &y) || x < left)
            continue;
        if (i + 1 == s->n || !curve_point(q, a, &right, &y)) {
            q = p;
            right = left;
        }
        if (x > right)
            continue;
        if (right > left)
            part = a.over == OVER_LOG_X ? log(x / left) / log(right / left)
                                        : (x - left) / (right - left);
        *bytes = interpolate_value(p->bytes, q->bytes, part, false);
        return interpolate_value(cost_of(p, a), cost_of(q, a), part,
                                 a.of == OF_LOG_Y);
    }
    return NAN;
}

double
curve_drawn(const struct series *s, struct axes a, double x)
{
    double bytes = 0, cost = cost_drawn(s, a, x, &bytes);

    return is_rate(a) ? bytes / cost : cost;
}

/* Whether the curve has a point there, or the values between points are known
 * as well. */
static bool
is_value_known(const struct series *s, struct axes a, double x)
{
    double at, y;

    for (size_t i = 0; i < s->n; i++)
        if (curve_point(&s->points[i], a, &at, &y) &&
            fabs(at - x) <= equal_within * x)
            return true;
    return a.over == OVER_BYTES;
}

double
curve_at(const struct series *s, struct axes a, double x)
{
    return is_value_known(s, a, x) ? curve_drawn(s, a, x) : NAN;
}

/* The cost at x.  INFINITY: it is not known. */
static double
cost_at(const struct series *s, struct axes a, double x)
{
    bool known = is_value_known(s, a, x);
    double bytes, cost = known ? cost_drawn(s, a, x, &bytes) : NAN;

    return isnan(cost) ? INFINITY : cost;
}

/* Goes through all points of a set that have a place; begins with a zeroed
 * one. */
struct walk {
    size_t series, point; /* the next one */
    double x, y;
};

static bool
walk_on(const struct series_set *set, struct axes a, struct walk *w)
{
    for (; w->series < set->n; w->series++, w->point = 0)
        while (w->point < set->series[w->series].n)
            if (curve_point(&set->series[w->series].points[w->point++], a,
                            &w->x, &w->y))
                return true;
    return false;
}

bool
curve_extent(const struct series_set *set, struct axes a, struct extent *x,
             struct extent *y)
{
    *x = *y = (struct extent){INFINITY, -INFINITY};
    for (struct walk w = {0}; walk_on(set, a, &w);) {
        *x = (struct extent){fmin(x->least, w.x), fmax(x->most, w.x)};
        *y = (struct extent){fmin(y->least, w.y), fmax(y->most, w.y)};
    }
    return x->least <= x->most;
}

enum curve_of
curve_of(const struct series_set *set, enum curve_over over,
         enum curve_of wanted)
{
    struct extent x, y;

    for (int i = 0; i < 3; i++) {
        enum curve_of of = ((int)wanted + i) % 3;
        if (curve_extent(set, (struct axes){over, of}, &x, &y))
            return of;
    }
    return wanted;
}

double
curve_next(const struct series_set *set, struct axes a, double x, bool right)
{
    double next = right ? INFINITY : -INFINITY;

    for (struct walk w = {0}; walk_on(set, a, &w);)
        if (right ? w.x > x && w.x < next : w.x < x && w.x > next)
            next = w.x;
    return isfinite(next) ? next : x;
}

double
curve_near(const struct series_set *set, struct axes a, double x)
{
    double near = x, least = INFINITY;

    for (struct walk w = {0}; walk_on(set, a, &w);) {
        double away = fabs(log(w.x / x));
        near = away < least ? w.x : near;
        least = away < least ? away : least;
    }
    return near;
}

int
curve_chunks(const struct series *s, struct axes a, double x)
{
    double least = INFINITY, at, y;
    int chunks = 0;

    for (size_t i = 0; i < s->n && !isnan(curve_at(s, a, x)); i++)
        if (curve_point(&s->points[i], a, &at, &y) &&
            fabs(log(at / x)) < least) {
            least = fabs(log(at / x));
            chunks = s->points[i].chunks;
        }
    return chunks;
}

int
curve_best(const struct series_set *set, struct axes a, double x)
{
    double least = INFINITY;
    int best = -1;

    for (size_t i = 0; i < set->n; i++) {
        double cost = cost_at(&set->series[i], a, x);
        if (cost < least * (1 - equal_within)) {
            least = cost;
            best = (int)i;
        }
    }
    return best;
}

/* Finds the series that is the first to overtake the best one between two
 * neighbouring points, and where.  If several do so at the same place, it is
 * the one that is then the best; if none does, it is the best one itself.  -1:
 * no series has a value at the right point. */
static int
find_overtaker(const struct series_set *set, struct axes a, int best,
               double left, double right, double *at)
{
    const struct series *all = set->series;
    double least = cost_at(&all[best], a, right), lowest = least;
    int next = isfinite(least) ? best : -1;

    *at = right;
    for (size_t i = 0; i < set->n; i++) {
        double cost = cost_at(&all[i], a, right), here = right, ahead;
        if (!(cost < least * (1 - equal_within)))
            continue;
        /* Nothing is known of the numbers of ranks between two points. */
        ahead = cost_at(&all[i], a, left) - cost_at(&all[best], a, left);
        if (a.over == OVER_BYTES && isfinite(ahead) && isfinite(least) &&
            ahead + least > cost)
            here = left + (right - left) * fmax(ahead, 0) /
                              (fmax(ahead, 0) + least - cost);
        if (here < *at ||
            (here <= *at && cost < lowest * (1 - equal_within))) {
            next = (int)i;
            lowest = cost;
            *at = here;
        }
    }
    return next;
}

/* The x's at which all series of several points have values.  Returns false if
 * there are none. */
static bool
common_extent(const struct series_set *set, struct axes a, struct extent *x)
{
    *x = (struct extent){0, INFINITY};
    for (size_t i = 0; i < set->n; i++) {
        const struct series_set alone = {.n = 1, .series = &set->series[i]};
        struct extent own, y;
        if (!curve_extent(&alone, a, &own, &y) || own.least >= own.most)
            continue;
        x->least = fmax(x->least, own.least);
        x->most = fmin(x->most, own.most);
    }
    return x->least > 0 && x->least <= x->most;
}

/* A series that is overtaken where its reign would begin has none. */
static void
add_reign(struct reigns *r, int series, double from)
{
    bool none = r->n > 0 && from <= r->all[r->n - 1].from;

    r->more = !none && r->n == REIGNS_MOST;
    if (!r->more)
        r->all[none ? r->n - 1 : r->n++] = (struct reign){series, from};
}

struct reigns
curve_reigns(const struct series_set *set, struct axes a)
{
    struct reigns r = {.n = 0};
    struct extent x;
    double from;
    int best, next;

    if (!common_extent(set, a, &x) || (best = curve_best(set, a, x.least)) < 0)
        return r;
    add_reign(&r, best, x.least);
    for (r.to = x.least; r.to < x.most && !r.more; r.to = from) {
        double right = curve_next(set, a, r.to, true);
        next = find_overtaker(set, a, best, r.to, right, &from);
        if (next < 0)
            break;
        if (next != best)
            add_reign(&r, next, from);
        best = next;
    }
    return r;
}

struct word
curve_word_x(struct axes a, double x)
{
    return a.over == OVER_BYTES ? word_bytes(whole(x))
                                : word_gpus((int)ceil(x));
}

struct word
curve_word_y(struct axes a, double y)
{
    return word_unit(a.of == OF_TIME ? UNIT_TIME : UNIT_RATE, y, false);
}

/* If the best changes more often, a sentence cannot name all of them. */
enum { CHANGES_NAMED = 4 };

void
curve_sentence(const struct series_set *set, struct axes a, struct buf *out)
{
    struct reigns r = curve_reigns(set, a);
    bool often = r.more || r.n - 1 > CHANGES_NAMED;

    if (r.n == 0 || set->n < 2)
        return;
    for (int i = r.more ? r.n : often ? r.n - 1 : 0; i < r.n; i++) {
        const char *name = set->series[r.all[i].series].name;
        if (often || i > 0)
            utf8_addf(out,
                      often ? _("The fastest changes often; from %1$s on it "
                                "is %2$s")
                            : _("; from %1$s on it is %2$s"),
                      curve_word_x(a, r.all[i].from).text, name);
        else
            utf8_addf(out, "%s%s", _("The fastest is "), name);
    }
    if (r.more)
        buf_puts(out, _("The fastest changes often"));
}

enum {
    ROWS_MOST = 12, /* of numbers in a figure's table */
    COLUMN_LEAST = 9,
    GAP = 2
};

/* The bounds keep ratios and differences of two values finite. */
static const double figure_most = 1e100, least_log = 1e-100;

struct figure *
figure_new(const char *title, const char *x, const char *y)
{
    struct figure *f = mem_new(1, sizeof *f);

    f->title = mem_string(title);
    f->x = mem_string(x);
    f->y = mem_string(y);
    return f;
}

void
figure_free(struct figure *f)
{
    if (f == NULL)
        return;
    series_set_done(&f->set);
    free(f->title);
    free(f->x);
    free(f->y);
    free(f);
}

bool
figure_put(struct figure *f, double x, double y, struct err *err)
{
    struct series *s = &f->set.series[f->set.n - 1];

    if (!(fabs(x) <= figure_most) || !(fabs(y) <= figure_most))
        return err_set(err, "point %zu of '%s' is too large: the most is %g",
                       s->n + 1, s->name, figure_most);
    if (s->n > 0 && x <= s->points[s->n - 1].x)
        return err_set(err, "point %zu of '%s' must have a greater x than the "
                       "one before", s->n + 1, s->name);
    series_put(s, (struct series_point){.x = x, .y = y});
    return true;
}

bool
figure_is_log(struct extent e)
{
    return e.least >= least_log && e.most / e.least >= 100;
}

static int
compare_x(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The x's of a table's rows: every one that a point has, once, in their order,
 * or some of them if there are many.  The caller frees them. */
static double *
choose_x(const struct figure *f, size_t *rows)
{
    size_t n = 0, count = 0;
    double *all;

    for (size_t i = 0; i < f->set.n; i++)
        n += f->set.series[i].n;
    all = mem_new(n, sizeof *all);
    n = 0;
    for (size_t i = 0; i < f->set.n; i++)
        for (size_t k = 0; k < f->set.series[i].n; k++)
            all[n++] = f->set.series[i].points[k].x;
    qsort(all, n, sizeof *all, compare_x);
    for (size_t i = 0; i < n; i++)
        if (count == 0 || all[count - 1] < all[i])
            all[count++] = all[i];
    *rows = count < ROWS_MOST ? count : ROWS_MOST;
    for (size_t i = 1; i < *rows; i++)
        all[i] = all[i * (count - 1) / (*rows - 1)];
    return all;
}

/* The digits that tell each x from the one above it. */
static int
digits_needed(const double *x, size_t n)
{
    enum { LEAST = 7, MOST = 17 }; /* the most that a double has */
    int digits = LEAST;

    for (size_t i = 1; i < n; i++) {
        char above[32], text[32];
        do {
            snprintf(above, sizeof above, "%.*g", digits, x[i - 1]);
            snprintf(text, sizeof text, "%.*g", digits, x[i]);
        } while (strcmp(above, text) == 0 && digits++ < MOST);
    }
    return digits;
}

/* The text of a cell: of x in column 0, else of the y of a series there; `x`
 * NULL: the head of the column. */
static void
add_cell(const struct figure *f, size_t column, const double *x, int digits,
         struct buf *out)
{
    const struct series *s = column > 0 ? &f->set.series[column - 1] : NULL;
    const struct series_point *p = NULL;

    if (x == NULL) {
        buf_puts(out, s != NULL ? s->name : f->x);
    } else if (s == NULL && f->x_unit == UNIT_NUMBER) {
        buf_addf(out, "%.*g", digits, *x);
    } else if (s == NULL) {
        buf_puts(out, word_unit(f->x_unit, *x, true).text);
    } else {
        if (s->n > 0)
            p = bsearch(x, s->points, s->n, sizeof *p, compare_x);
        buf_puts(out, p != NULL ? word_unit(f->y_unit, p->y, false).text
                                : "-");
    }
}

bool
figure_table(const struct figure *f, struct buf *out, struct err *err)
{
    int widths[FIGURE_SERIES_MOST + 1], width = -GAP;
    int title = utf8_columns(f->title) + utf8_columns(f->y) + 3;
    size_t columns = f->set.n + 1, rows;
    OWN_MEMORY double *x = choose_x(f, &rows);
    int digits = digits_needed(x, rows);
    OWN(buf) text = {0};
    bool fits;

    assert(f->set.n <= FIGURE_SERIES_MOST);
    for (size_t i = 0; i < columns; i++) {
        widths[i] = COLUMN_LEAST;
        for (size_t k = 0; k <= rows; k++) {
            buf_clear(&text);
            add_cell(f, i, k > 0 ? &x[k - 1] : NULL, digits, &text);
            widths[i] = most(widths[i], utf8_columns(buf_text(&text)));
        }
        width += GAP + widths[i];
    }
    fits = (width <= FIGURE_COLUMNS && title <= FIGURE_COLUMNS) ||
           err_set(err, "%s need %d columns, and there are %d",
                   title > FIGURE_COLUMNS ? "the title and the name of y"
                                          : "x and the series",
                   title > FIGURE_COLUMNS ? title : width, FIGURE_COLUMNS);
    buf_clear(&text);
    buf_addf(&text, "%s (%s)", f->title, f->y);
    if (fits)
        utf8_pad(out, buf_text(&text), -width);
    for (size_t k = 0; k <= rows && fits; k++)
        for (size_t i = 0; i < columns; i++) {
            buf_clear(&text);
            add_cell(f, i, k > 0 ? &x[k - 1] : NULL, digits, &text);
            buf_puts(out, i == 0 ? "\n" : "");
            utf8_pad(out, buf_text(&text), widths[i] + (i > 0 ? GAP : 0));
        }
    return fits;
}
