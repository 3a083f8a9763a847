/* SPDX-License-Identifier: MIT */
/* An array in which equal neighbours are kept as one extent.
 *
 * The proof and the lowering mostly know the same about many slots in a row: a
 * transfer of 1000 slots leaves 1000 equal items.  Here it costs as much as a
 * few.  Items that differ only by their place (numbers of consecutive chunks)
 * are stored minus their place, so that they are equal.
 *
 *     extents_init(&a, 100, sizeof item, &item);          100 equal items
 *     extents_set(&a, 10, 30, &other);                    items 10 to 39
 *     const struct thing *at = extents_at(&a, 20, &n);    other; n is 20
 *     extents_done(&a);
 *
 * An extent does not go beyond a multiple of EXTENT_MAX, so that its start is
 * found with one word of bits.  Both functions take constant time for each
 * extent that they meet. */
#ifndef SCHEDULE_EXTENTS_H
#define SCHEDULE_EXTENTS_H

#include <stddef.h>
#include <stdint.h>

enum { EXTENT_MAX = 64 };

struct extents {
    size_t size;      /* bytes of an item; items are compared byte by byte */
    uint64_t *starts; /* a bit for each item: whether an extent starts there */
    char *items;      /* valid where an extent starts */
};

/* `count` copies of an item. */
void extents_init(struct extents *a, size_t count, size_t size,
                  const void *item);
void extents_done(struct extents *a);

/* The item at `i`, valid until the next extents_set(); *length is how many
 * items from `i` on are surely equal to it, at least 1. */
const void *extents_at(const struct extents *a, size_t i, int *length);

/* Sets `count` items from `i` on. `item` must not point into the array. */
void extents_set(struct extents *a, size_t i, size_t count, const void *item);

/* Asks the processor for the memory of the item at `i`, before it is needed. */
void extents_fetch(const struct extents *a, size_t i);

#endif
