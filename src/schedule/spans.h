/* SPDX-License-Identifier: MIT */
/* An array in which equal neighbours are kept as one span.
 *
 * What the proof and the lowering know about a slot, they mostly know about
 * many slots in a row: a transfer of 1000 slots leaves 1000 equal items.  Here
 * it costs as much as a few.  Items that would differ only by their place, such
 * as the numbers of consecutive chunks, are kept as the difference to their
 * place, and so are equal, too.
 *
 *     spans_init(&a, 100, sizeof item, &item);          100 equal items
 *     spans_set(&a, 10, 30, &other);                    items 10 to 39
 *     const struct thing *at = spans_at(&a, 20, &n);    other; n is 20
 *     spans_done(&a);
 *
 * A span does not go beyond a multiple of SPAN_MAX, so that its start is found
 * with one word of bits.  Both functions take constant time for each span that
 * they meet. */
#ifndef SCHEDULE_SPANS_H
#define SCHEDULE_SPANS_H

#include <stddef.h>
#include <stdint.h>

enum { SPAN_MAX = 64 };

struct spans {
    size_t size;      /* bytes of an item; items are compared byte by byte */
    uint64_t *starts; /* a bit for each item: whether a span starts there */
    char *items;      /* valid where a span starts */
};

/* `count` copies of an item. */
void spans_init(struct spans *a, size_t count, size_t size, const void *item);
void spans_done(struct spans *a);

/* The item at `i`, valid until the next spans_set(); *length is how many items
 * from `i` on are surely equal to it, at least 1. */
const void *spans_at(const struct spans *a, size_t i, int *length);

/* Sets `count` items from `i` on. `item` must not point into the array. */
void spans_set(struct spans *a, size_t i, size_t count, const void *item);

/* Asks the processor for the memory of the item at `i`, before it is needed. */
void spans_fetch(const struct spans *a, size_t i);

#endif
