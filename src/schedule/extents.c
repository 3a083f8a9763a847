/* SPDX-License-Identifier: MIT */
#include "schedule/extents.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
extents_init(struct extents *a, size_t count, size_t size, const void *item)
{
    size_t words = (count + EXTENT_MAX - 1) / EXTENT_MAX;

    a->size = size;
    a->starts = mem_new_aligned(words, sizeof *a->starts);
    a->items = mem_new_aligned(words * EXTENT_MAX, size);
    for (size_t w = 0; w < words; w++) {
        a->starts[w] = 1;
        memcpy(a->items + w * EXTENT_MAX * size, item, size);
    }
}

void
extents_done(struct extents *a)
{
    free(a->starts);
    free(a->items);
}

static char *
item_at(const struct extents *a, size_t i)
{
    return a->items + i * a->size;
}

/* The item of the extent that `i` is in. The first bit of a word is always
 * set. */
static char *
extent_at(const struct extents *a, size_t i)
{
    unsigned bit = i % EXTENT_MAX;
    uint64_t before = a->starts[i / EXTENT_MAX] << (EXTENT_MAX - 1 - bit);

    return item_at(a, i - (size_t)__builtin_clzll(before));
}

const void *
extents_at(const struct extents *a, size_t i, int *length)
{
    unsigned bit = i % EXTENT_MAX;
    uint64_t after = a->starts[i / EXTENT_MAX] >> bit >> 1;

    *length = after != 0 ? __builtin_ctzll(after) + 1 : EXTENT_MAX - (int)bit;
    return extent_at(a, i);
}

static bool
is_item(const struct extents *a, const char *at, const void *item)
{
    return memcmp(at, item, a->size) == 0;
}

/* Sets items of one word. */
static void
set_in_word(struct extents *a, size_t i, unsigned count, const void *item)
{
    uint64_t *starts = &a->starts[i / EXTENT_MAX];
    unsigned bit = i % EXTENT_MAX, end = bit + count;
    uint64_t range = UINT64_MAX >> (EXTENT_MAX - count) << bit;

    if (end < EXTENT_MAX && !(*starts >> end & 1))
        memcpy(item_at(a, i + count), extent_at(a, i + count), a->size);
    if (end < EXTENT_MAX)
        *starts |= UINT64_C(1) << end;
    *starts &= ~range;
    if (bit == 0 || !is_item(a, extent_at(a, i - 1), item)) {
        *starts |= UINT64_C(1) << bit;
        memcpy(item_at(a, i), item, a->size);
    }
    if (end < EXTENT_MAX && is_item(a, item_at(a, i + count), item))
        *starts &= ~(UINT64_C(1) << end);
}

void
extents_set(struct extents *a, size_t i, size_t count, const void *item)
{
    while (count > 0) {
        size_t room = EXTENT_MAX - i % EXTENT_MAX;
        size_t part = count < room ? count : room;

        set_in_word(a, i, (unsigned)part, item);
        i += part;
        count -= part;
    }
}

void
extents_fetch(const struct extents *a, size_t i)
{
    __builtin_prefetch(&a->starts[i / EXTENT_MAX]);
    __builtin_prefetch(item_at(a, i));
}
