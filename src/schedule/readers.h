/* SPDX-License-Identifier: MIT */
/* Lists of the ranks that have read a slot; for lower.c.
 *
 * Lists are shared: a list is a reader and the list of those before it, and
 * many slots may have the same list.  It is freed when its last user drops it.
 *
 *     list = readers_add(&pool, list, rank, count);   one more reader
 *     readers_hold(&pool, list, 3);                   three slots have the list
 *     readers_drop(&pool, list, 3);                   and then no slot does
 *     for (at = list; at != READERS_NONE; at = pool.readers[at].before) ... */
#ifndef SCHEDULE_READERS_H
#define SCHEDULE_READERS_H

#include <stddef.h>
#include <stdint.h>

enum { READERS_NONE = 0 };

/* A rank that reads a slot with its instruction number `count`. */
struct reader {
    int32_t rank;
    uint32_t count;
    uint32_t before; /* the rest of the list; of a free reader, the next */
    uint32_t users;  /* slots, and readers whose list goes on with this one */
};

/* Starts as {0}. */
struct readers {
    struct reader *readers;
    size_t count, capacity;
    uint32_t first_free;
};

void readers_done(struct readers *pool);

/* A list of one reader more, without users. */
uint32_t readers_add(struct readers *pool, uint32_t list, int rank,
                     uint32_t count);

/* `users` more, or fewer, use the list. READERS_NONE is ignored. */
void readers_hold(struct readers *pool, uint32_t list, uint32_t users);
void readers_drop(struct readers *pool, uint32_t list, uint32_t users);

#endif
