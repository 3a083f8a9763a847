/* SPDX-License-Identifier: MIT */
#include "text/series.h"

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

void
series_done(struct series_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        free(set->series[i].name);
        free(set->series[i].points);
    }
    free(set->series);
    *set = (struct series_set){0};
}
