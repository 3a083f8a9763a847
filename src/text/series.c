/* SPDX-License-Identifier: MIT */
#include "text/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct series *
series_add(struct series_set *set, const char *name)
{
    struct series *s;

    set->series = mem_grow(set->series, set->n, &set->capacity,
                           sizeof *set->series);
    s = &set->series[set->n++];
    *s = (struct series){.name = mem_string(name)};
    return s;
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

static void
add_value(double value, struct buf *out)
{
    if (isnan(value))
        buf_addf(out, "  %10s", "-");
    else
        buf_addf(out, "  %10.4g", value);
}

void
series_text(const struct series_set *set, struct buf *out)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct series *s = &set->series[i];

        buf_addf(out, "%s%s\n%12s  %10s  %10s  %10s\n", i > 0 ? "\n" : "",
                 s->name, "bytes", "us", "algbw GB/s", "busbw GB/s");
        for (size_t k = 0; k < s->n; k++) {
            buf_addf(out, "%12.0f", s->points[k].bytes);
            add_value(s->points[k].us, out);
            add_value(s->points[k].algbw, out);
            add_value(s->points[k].busbw, out);
            buf_putc(out, '\n');
        }
    }
}

void
series_done(struct series_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        free(set->series[i].name);
        free(set->series[i].points);
    }
    free(set->series);
    buf_done(&set->notes);
    *set = (struct series_set){0};
}
