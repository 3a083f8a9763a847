/* SPDX-License-Identifier: MIT */
#include "schedule/happenings.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

static bool
sooner(const struct happening *a, const struct happening *b)
{
    return a->at < b->at || (a->at <= b->at && a->number < b->number);
}

void
happenings_done(struct happenings *all)
{
    free(all->heap);
}

void
happenings_add(struct happenings *all, struct happening h)
{
    size_t i = all->count++;

    h.number = all->added++;
    all->heap = mem_grow(all->heap, i, &all->capacity, sizeof *all->heap);
    for (; i > 0 && sooner(&h, &all->heap[(i - 1) / 2]); i = (i - 1) / 2)
        all->heap[i] = all->heap[(i - 1) / 2];
    all->heap[i] = h;
}

struct happening
happenings_take(struct happenings *all)
{
    struct happening soonest = all->heap[0];
    struct happening last = all->heap[--all->count];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < all->count) {
        child += child + 1 < all->count &&
                 sooner(&all->heap[child + 1], &all->heap[child]);
        if (!sooner(&all->heap[child], &last))
            break;
        all->heap[i] = all->heap[child];
        i = child;
    }
    all->heap[i] = last;
    return soonest;
}
