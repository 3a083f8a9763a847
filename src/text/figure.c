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
    series_done(&f->set);
    free(f->title);
    free(f->x);
    free(f->y);
    free(f);
}

bool
figure_put(struct figure *f, double x, double y, struct err *err)
{
    struct series *s = &f->set.series[f->set.n - 1];

    if (!(fabs(x) <= most) || !(fabs(y) <= most))
        return err_set(err, "point %zu of '%s' is too large: the most is %g",
                       s->n + 1, s->name, most);
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
compare(const void *a, const void *b)
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
    qsort(all, n, sizeof *all, compare);
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

/* The cells of a table, row by row, each with its text: the heads, then x and
 * the y of each series. */
static struct buf *
make_cells(const struct figure *f, size_t *rows)
{
    double *x = choose_x(f, rows);
    int digits = digits_needed(x, *rows);
    struct buf *cells = mem_new((*rows + 1) * (f->set.n + 1), sizeof *cells);
    struct buf *cell = cells;

    for (size_t i = 0; i <= f->set.n; i++)
        buf_puts(cell++, i == 0 ? f->x : f->set.series[i - 1].name);
    for (size_t k = 0; k < *rows; k++) {
        if (f->x_unit == UNIT_NUMBER)
            buf_addf(cell++, "%.*g", digits, x[k]);
        else
            buf_puts(cell++, word_unit(f->x_unit, x[k], true).text);
        for (size_t i = 0; i < f->set.n; i++) {
            const struct series *s = &f->set.series[i];
            const struct series_point *p =
                s->n > 0 ? bsearch(&x[k], s->points, s->n, sizeof *p, compare)
                         : NULL;
            if (p != NULL)
                buf_puts(cell++, word_unit(f->y_unit, p->y, false).text);
            else
                buf_putc(cell++, '-');
        }
    }
    free(x);
    ++*rows;
    return cells;
}

bool
figure_table(const struct figure *f, struct buf *out, struct err *err)
{
    int widths[FIGURE_SERIES_MOST + 1], width = -GAP;
    int title = utf8_columns(f->title) + utf8_columns(f->y) + 3;
    size_t columns = f->set.n + 1, rows;
    struct buf *cells = make_cells(f, &rows), head = {0};
    bool fits;

    assert(f->set.n <= FIGURE_SERIES_MOST);
    for (size_t i = 0; i < columns; i++) {
        widths[i] = COLUMN_LEAST;
        for (size_t k = 0; k < rows; k++) {
            int needed = utf8_columns(buf_text(&cells[k * columns + i]));
            widths[i] = needed > widths[i] ? needed : widths[i];
        }
        width += GAP + widths[i];
    }
    fits = (width <= FIGURE_COLUMNS && title <= FIGURE_COLUMNS) ||
           err_set(err, "%s need %d columns, and there are %d",
                   title > FIGURE_COLUMNS ? "the title and the name of y"
                                          : "x and the series",
                   title > FIGURE_COLUMNS ? title : width, FIGURE_COLUMNS);
    buf_addf(&head, "%s (%s)", f->title, f->y);
    if (fits)
        utf8_pad(out, buf_text(&head), -width);
    for (size_t i = 0; i < rows * columns; i++) {
        size_t column = i % columns;
        if (fits && column == 0)
            buf_putc(out, '\n');
        if (fits)
            utf8_pad(out, buf_text(&cells[i]),
                     widths[column] + (column > 0 ? GAP : 0));
        buf_done(&cells[i]);
    }
    free(cells);
    buf_done(&head);
    return fits;
}
