/* SPDX-License-Identifier: MIT */
#include "text/figure.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

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
column_of(const char *heading)
{
    int columns = utf8_columns(heading);

    return columns > COLUMN_LEAST ? columns : COLUMN_LEAST;
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

static void
add_row(const struct figure *f, double x, struct buf *out)
{
    struct buf text = {0};

    unit_add(f->x_unit, x, true, &text);
    buf_putc(out, '\n');
    add_cell(out, buf_text(&text), column_of(f->x), true);
    for (size_t i = 0; i < f->n; i++) {
        const struct figure_series *s = &f->series[i];
        const struct figure_point *p =
            s->n > 0 ? bsearch(&x, s->points, s->n, sizeof *p, compare) : NULL;
        buf_clear(&text);
        if (p != NULL)
            unit_add(f->y_unit, p->y, false, &text);
        add_cell(out, p != NULL ? buf_text(&text) : "-",
                 GAP + column_of(s->name), true);
    }
    buf_done(&text);
}

static void
add_head(const struct figure *f, int columns, struct buf *out)
{
    struct buf title = {0};

    buf_addf(&title, "%s (%s)", f->title, f->y);
    add_cell(out, buf_text(&title), columns, false);
    buf_done(&title);
    buf_putc(out, '\n');
    add_cell(out, f->x, column_of(f->x), true);
    for (size_t i = 0; i < f->n; i++)
        add_cell(out, f->series[i].name, GAP + column_of(f->series[i].name),
                 true);
}

bool
figure_table(const struct figure *f, struct buf *out, struct err *err)
{
    int title = utf8_columns(f->title) + utf8_columns(f->y) + 3;
    int columns = column_of(f->x);
    size_t count, rows;
    double *x;

    for (size_t i = 0; i < f->n; i++)
        columns += GAP + column_of(f->series[i].name);
    if (columns > FIGURE_COLUMNS || title > FIGURE_COLUMNS)
        return err_set(err, "%s need %d columns, and there are %d",
                       title > FIGURE_COLUMNS
                           ? "the title and the name of y"
                           : "the names of x and of the series",
                       title > FIGURE_COLUMNS ? title : columns,
                       FIGURE_COLUMNS);
    x = all_x(f, &count);
    rows = count < ROWS_MOST ? count : ROWS_MOST;
    add_head(f, columns > title ? columns : title, out);
    for (size_t i = 0; i < rows; i++)
        add_row(f, x[rows > 1 ? i * (count - 1) / (rows - 1) : 0], out);
    free(x);
    return true;
}
