/* SPDX-License-Identifier: MIT */
#include "text/curve.h"

#include <math.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "base/whole.h"
#include "text/text.h"

/* What is equal but for rounding is no change of the best. */
static const double equal_within = 1e-9;

/* Logarithmic axes need a value above 0.  The bounds keep products and ratios
 * of two values finite. */
static bool
has_place(double value)
{
    return value >= 1e-150 && value <= 1e150;
}

static double
x_of(const struct series_point *p, struct axes a)
{
    return a.over == OVER_BYTES ? p->bytes : p->ranks;
}

static double
y_of(const struct series_point *p, struct axes a)
{
    switch (a.of) {
    case OF_BUSBW:
        return p->busbw;
    case OF_ALGBW:
        return p->algbw;
    default:
        return p->us;
    }
}

/* The time; for bandwidths, the time for each byte that they count. Lower is
 * better, and it is linear between two points. */
static double
cost_of(const struct series_point *p, struct axes a)
{
    return a.of == OF_TIME ? p->us : p->bytes / y_of(p, a);
}

/* The value that a cost stands for. */
static double
value_of(double cost, double bytes, struct axes a)
{
    return a.of == OF_TIME ? cost : bytes / cost;
}

bool
curve_point(const struct series_point *p, struct axes a, double *x, double *y)
{
    *x = x_of(p, a);
    *y = y_of(p, a);
    return has_place(*x) && has_place(*y) && has_place(p->bytes) &&
           has_place(cost_of(p, a));
}

static bool
is_point(const struct series_point *p, struct axes a)
{
    double x, y;

    return curve_point(p, a, &x, &y);
}

/* Sets the cost and the bytes at x. Returns false where there is no curve. */
static bool
interpolate(const struct series *s, struct axes a, double x, double *cost,
            double *bytes)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct series_point *p = &s->points[i], *q = p;
        double part = 0;
        if (i + 1 < s->n && is_point(q + 1, a))
            q++;
        if (!is_point(p, a) || x < x_of(p, a) || x > x_of(q, a))
            continue;
        if (q != p && x_of(q, a) > x_of(p, a))
            part = (x - x_of(p, a)) / (x_of(q, a) - x_of(p, a));
        *cost = cost_of(p, a) + part * (cost_of(q, a) - cost_of(p, a));
        *bytes = p->bytes + part * (q->bytes - p->bytes);
        return true;
    }
    return false;
}

double
curve_drawn(const struct series *s, struct axes a, double x)
{
    double cost, bytes;

    return interpolate(s, a, x, &cost, &bytes) ? value_of(cost, bytes, a)
                                               : NAN;
}

/* Whether the curve has a point there, or the values between points are known
 * as well. */
static bool
is_known(const struct series *s, struct axes a, double x)
{
    if (a.over == OVER_BYTES)
        return true;
    for (size_t i = 0; i < s->n; i++)
        if (is_point(&s->points[i], a) &&
            fabs(x_of(&s->points[i], a) - x) <= equal_within * x)
            return true;
    return false;
}

double
curve_at(const struct series *s, struct axes a, double x)
{
    return is_known(s, a, x) ? curve_drawn(s, a, x) : NAN;
}

static void
extend(struct extent *e, double value, bool first)
{
    e->least = first || value < e->least ? value : e->least;
    e->most = first || value > e->most ? value : e->most;
}

bool
curve_extent(const struct series_set *set, struct axes a, struct extent *x,
             struct extent *y)
{
    bool first = true;

    for (size_t i = 0; i < set->n; i++)
        for (size_t k = 0; k < set->series[i].n; k++) {
            double at, value;
            if (!curve_point(&set->series[i].points[k], a, &at, &value))
                continue;
            extend(x, at, first);
            extend(y, value, first);
            first = false;
        }
    return !first;
}

enum curve_of
curve_of(const struct series_set *set, enum curve_over over,
         enum curve_of wanted)
{
    static const enum curve_of others[][3] = {
        [OF_TIME] = {OF_TIME, OF_BUSBW, OF_ALGBW},
        [OF_BUSBW] = {OF_BUSBW, OF_ALGBW, OF_TIME},
        [OF_ALGBW] = {OF_ALGBW, OF_BUSBW, OF_TIME},
    };
    struct extent x, y;

    for (int i = 0; i < 3; i++)
        if (curve_extent(set, (struct axes){over, others[wanted][i]}, &x, &y))
            return others[wanted][i];
    return wanted;
}

double
curve_next(const struct series_set *set, struct axes a, double x, bool right)
{
    double next = x;

    for (size_t i = 0; i < set->n; i++)
        for (size_t k = 0; k < set->series[i].n; k++) {
            double at, value;
            if (!curve_point(&set->series[i].points[k], a, &at, &value))
                continue;
            if (right ? at > x && (next <= x || at < next)
                      : at < x && (next >= x || at > next))
                next = at;
        }
    return next;
}

double
curve_near(const struct series_set *set, struct axes a, double x)
{
    double near = x, least = INFINITY;

    for (size_t i = 0; i < set->n; i++)
        for (size_t k = 0; k < set->series[i].n; k++) {
            double at, value, away;
            if (!curve_point(&set->series[i].points[k], a, &at, &value))
                continue;
            away = fabs(log(at / x));
            near = away < least ? at : near;
            least = away < least ? away : least;
        }
    return near;
}

/* The cost at x. INFINITY where it is not known. */
static double
cost_at(const struct series *s, struct axes a, double x)
{
    double cost, bytes;

    return is_known(s, a, x) && interpolate(s, a, x, &cost, &bytes)
               ? cost
               : INFINITY;
}

/* The best at x, which is `reigning` if nothing is better. */
static int
best_after(const struct series_set *set, struct axes a, double x,
           int reigning)
{
    int best = reigning;
    double least = best >= 0 ? cost_at(&set->series[best], a, x) : INFINITY;

    if (!isfinite(least))
        best = -1;
    for (size_t i = 0; i < set->n; i++) {
        double cost = cost_at(&set->series[i], a, x);
        if (isfinite(cost) &&
            (best < 0 || cost < least * (1 - equal_within))) {
            least = cost;
            best = (int)i;
        }
    }
    return best;
}

int
curve_best(const struct series_set *set, struct axes a, double x)
{
    return best_after(set, a, x, -1);
}

/* Where the second series overtakes the first between two neighbouring points,
 * `right` if not before.  Nothing is known of the numbers of ranks between two
 * points. */
static double
crossing(const struct series *before, const struct series *after,
         struct axes a, double left, double right)
{
    double ahead = cost_at(after, a, left) - cost_at(before, a, left);
    double behind = cost_at(before, a, right) - cost_at(after, a, right);

    if (a.over == OVER_RANKS || !isfinite(ahead) || !isfinite(behind) ||
        ahead + behind <= 0)
        return right;
    return left + (right - left) * fmax(ahead, 0) / (fmax(ahead, 0) + behind);
}

/* The series that is the first to overtake the best one between two
 * neighbouring points, and where; the best one itself if none does; -1 if no
 * series has a value at the right point. */
static int
overtakes(const struct series_set *set, struct axes a, int best, double left,
          double right, double *at)
{
    int next = best_after(set, a, right, best);
    double least = cost_at(&set->series[best], a, right) * (1 - equal_within);

    *at = right;
    if (next < 0 || next == best)
        return next;
    *at = crossing(&set->series[best], &set->series[next], a, left, right);
    for (size_t i = 0; i < set->n; i++) {
        double here = crossing(&set->series[best], &set->series[i], a, left,
                               right);
        if (cost_at(&set->series[i], a, right) < least && here < *at) {
            next = (int)i;
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
        x->least = own.least > x->least ? own.least : x->least;
        x->most = own.most < x->most ? own.most : x->most;
    }
    return x->least > 0 && x->least <= x->most;
}

/* A series that is overtaken where its reign begins has none. */
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
        next = overtakes(set, a, best, r.to, right, &from);
        if (next < 0)
            break;
        if (next != best)
            add_reign(&r, next, from);
        best = next;
    }
    return r;
}

void
curve_add_x(struct axes a, double x, struct buf *out)
{
    if (a.over == OVER_BYTES)
        text_bytes(whole(x), out);
    else
        buf_addf(out, ngettext("%d GPU", "%d GPUs", (unsigned long)x),
                 (int)ceil(x));
}

void
curve_add_y(struct axes a, double y, struct buf *out)
{
    if (isnan(y))
        buf_puts(out, "-");
    else if (a.of == OF_TIME)
        text_ns(whole(y * 1000), false, out);
    else
        text_rate(y * 1e9, false, out);
}

/* Where the best changes more often, a sentence cannot name all of them. */
enum { CHANGES_NAMED = 4 };

static void
add_change(const struct series_set *set, struct axes a, const struct reign *r,
           const char *format, struct buf *out)
{
    struct buf from = {0}, name = {0};

    curve_add_x(a, r->from, &from);
    utf8_add(&name, set->series[r->series].name);
    buf_addf(out, format, buf_text(&from), buf_text(&name));
    buf_done(&from);
    buf_done(&name);
}

void
curve_sentence(const struct series_set *set, struct axes a, struct buf *out)
{
    struct reigns r = curve_reigns(set, a);

    if (r.n == 0 || set->n < 2)
        return;
    if (r.more) {
        buf_puts(out, _("The fastest changes often"));
        return;
    }
    if (r.n - 1 > CHANGES_NAMED) {
        add_change(set, a, &r.all[r.n - 1],
                   _("The fastest changes often; from %1$s on it is %2$s"),
                   out);
        return;
    }
    buf_puts(out, _("The fastest is "));
    utf8_add(out, set->series[r.all[0].series].name);
    for (int i = 1; i < r.n; i++)
        add_change(set, a, &r.all[i], _("; from %1$s on it is %2$s"), out);
}
