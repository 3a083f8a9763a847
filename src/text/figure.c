/* SPDX-License-Identifier: MIT */
#include "text/figure.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

enum {
    ROWS_MOST = 12, /* of numbers in a table */
    COLUMN_LEAST = 9,
    GAP = 2
};

/* The bounds keep ratios and differences of two values finite. */
static const double most = 1e100, least_log = 1e-100;

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
    for (size_t i = 0; i < f->n; i++) {
        free(f->series[i].name);
        free(f->series[i].points);
    }
    free(f->title);
    free(f->x);
    free(f->y);
    free(f);
}

void
figure_add(struct figure *f, const char *name)
{
    assert(f->n < FIGURE_SERIES_MOST);
    f->series[f->n++].name = mem_string(name);
}

bool
figure_put(struct figure *f, double x, double y, struct err *err)
{
    struct figure_series *s = &f->series[f->n - 1];

    if (!(fabs(x) <= most) || !(fabs(y) <= most))
        return err_set(err, "point %zu of '%s' is too large: the most is %g",
                       s->n + 1, s->name, most);
    if (s->n > 0 && x <= s->points[s->n - 1].x)
        return err_set(err, "point %zu of '%s' must have a greater x than the "
                       "one before", s->n + 1, s->name);
    s->points = mem_grow(s->points, s->n, &s->capacity, sizeof *s->points);
    s->points[s->n++] = (struct figure_point){x, y};
    return true;
}

static void
extend(struct range *r, double value)
{
    r->least = fmin(r->least, value);
    r->most = fmax(r->most, value);
}

struct range
figure_range_x(const struct figure *f)
{
    struct range r = {INFINITY, -INFINITY};

    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < f->series[i].n; k++)
            extend(&r, f->series[i].points[k].x);
    return r;
}

struct range
figure_range_y(const struct figure *f)
{
    struct range r = {INFINITY, -INFINITY};

    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < f->series[i].n; k++)
            extend(&r, f->series[i].points[k].y);
    return r;
}

bool
figure_is_log(struct range r)
{
    return r.least >= least_log && r.most / r.least >= 100;
}

/* Adds a text at the left or the right of a column. */
static void
add_cell(struct buf *out, const char *text, int columns, bool right)
{
    int blanks = columns - utf8_columns(text);

    buf_addf(out, "%*s", right && blanks > 0 ? blanks : 0, "");
    utf8_add(out, text);
    buf_addf(out, "%*s", !right && blanks > 0 ? blanks : 0, "");
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Every x that a point has, once, in their order; the caller frees them. */
static double *
all_x(const struct figure *f, size_t *count)
{
    double *all;
    size_t n = 0;

    for (size_t i = 0; i < f->n; i++)
        n += f->series[i].n;
    all = mem_new(n, sizeof *all);
    n = 0;
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = 0; k < f->series[i].n; k++)
            all[n++] = f->series[i].points[k].x;
    qsort(all, n, sizeof *all, compare);
    *count = 0;
    for (size_t i = 0; i < n; i++)
        if (*count == 0 || all[*count - 1] < all[i])
            all[(*count)++] = all[i];
    return all;
}

/* What a table shows of a figure. */
struct layout {
    double *x; /* of each row */
    size_t rows;
    int digits; /* of x, if it is a number */
    int x_columns, columns[FIGURE_SERIES_MOST], width;
};

/* Sets `out` to x as a text. */
static void
x_text(const struct figure *f, double x, int digits, struct buf *out)
{
    buf_clear(out);
    if (f->x_unit == UNIT_NUMBER)
        buf_addf(out, "%.*g", digits, x);
    else
        unit_add(f->x_unit, x, true, out);
}

/* Sets `out` to the y of a series at x as a text. */
static void
y_text(const struct figure *f, const struct figure_series *s, double x,
       struct buf *out)
{
    const struct figure_point *p =
        s->n > 0 ? bsearch(&x, s->points, s->n, sizeof *p, compare) : NULL;

    buf_clear(out);
    if (p != NULL)
        unit_add(f->y_unit, p->y, false, out);
    else
        buf_putc(out, '-');
}

/* The digits that tell each x from the one above it. */
static int
digits_needed(const struct layout *l)
{
    enum { LEAST = 7, MOST = 17 }; /* the most that a double has */
    int digits = LEAST;

    for (size_t i = 1; i < l->rows; i++) {
        char above[32], text[32];
        do {
            snprintf(above, sizeof above, "%.*g", digits, l->x[i - 1]);
            snprintf(text, sizeof text, "%.*g", digits, l->x[i]);
        } while (strcmp(above, text) == 0 && digits++ < MOST);
    }
    return digits;
}

static void
widen(int *columns, const char *text)
{
    int needed = utf8_columns(text);

    *columns = needed > *columns ? needed : *columns;
}

/* Chooses the rows, and measures each column.  The caller frees l->x. */
static void
lay_out(const struct figure *f, struct layout *l)
{
    struct buf text = {0};
    size_t count;

    *l = (struct layout){.x = all_x(f, &count), .x_columns = COLUMN_LEAST};
    l->rows = count < ROWS_MOST ? count : ROWS_MOST;
    for (size_t i = 1; i < l->rows; i++)
        l->x[i] = l->x[i * (count - 1) / (l->rows - 1)];
    l->digits = digits_needed(l);
    widen(&l->x_columns, f->x);
    for (size_t k = 0; k < l->rows; k++) {
        x_text(f, l->x[k], l->digits, &text);
        widen(&l->x_columns, buf_text(&text));
    }
    l->width = l->x_columns;
    for (size_t i = 0; i < f->n; i++) {
        l->columns[i] = COLUMN_LEAST;
        widen(&l->columns[i], f->series[i].name);
        for (size_t k = 0; k < l->rows; k++) {
            y_text(f, &f->series[i], l->x[k], &text);
            widen(&l->columns[i], buf_text(&text));
        }
        l->width += GAP + l->columns[i];
    }
    buf_done(&text);
}

static void
add_row(const struct figure *f, const struct layout *l, double x,
        struct buf *out)
{
    struct buf text = {0};

    buf_putc(out, '\n');
    x_text(f, x, l->digits, &text);
    add_cell(out, buf_text(&text), l->x_columns, true);
    for (size_t i = 0; i < f->n; i++) {
        y_text(f, &f->series[i], x, &text);
        add_cell(out, buf_text(&text), GAP + l->columns[i], true);
    }
    buf_done(&text);
}

static void
add_head(const struct figure *f, const struct layout *l, struct buf *out)
{
    struct buf title = {0};

    buf_addf(&title, "%s (%s)", f->title, f->y);
    add_cell(out, buf_text(&title), l->width, false);
    buf_done(&title);
    buf_putc(out, '\n');
    add_cell(out, f->x, l->x_columns, true);
    for (size_t i = 0; i < f->n; i++)
        add_cell(out, f->series[i].name, GAP + l->columns[i], true);
}

bool
figure_table(const struct figure *f, struct buf *out, struct err *err)
{
    int title = utf8_columns(f->title) + utf8_columns(f->y) + 3;
    struct layout l;

    lay_out(f, &l);
    if (l.width > FIGURE_COLUMNS || title > FIGURE_COLUMNS) {
        free(l.x);
        return err_set(err, "%s need %d columns, and there are %d",
                       title > FIGURE_COLUMNS ? "the title and the name of y"
                                              : "x and the series",
                       title > FIGURE_COLUMNS ? title : l.width,
                       FIGURE_COLUMNS);
    }
    add_head(f, &l, out);
    for (size_t i = 0; i < l.rows; i++)
        add_row(f, &l, l.x[i], out);
    free(l.x);
    return true;
}
