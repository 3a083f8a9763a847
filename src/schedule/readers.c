/* SPDX-License-Identifier: MIT */
#include "schedule/readers.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

void
readers_done(struct readers *pool)
{
    free(pool->readers);
}

/* Reader 0 stands for no reader. */
static uint32_t
append(struct readers *pool)
{
    if (pool->count == READERS_NONE)
        pool->count++;
    pool->readers = mem_grow(pool->readers, pool->count, &pool->capacity,
                             sizeof *pool->readers);
    return (uint32_t)pool->count++;
}

uint32_t
readers_add(struct readers *pool, uint32_t list, int rank, uint32_t count)
{
    uint32_t at = pool->first_free;

    if (at == READERS_NONE)
        at = append(pool);
    else
        pool->first_free = pool->readers[at].before;
    pool->readers[at] = (struct reader){rank, count, list, 0};
    readers_hold(pool, list, 1);
    return at;
}

void
readers_hold(struct readers *pool, uint32_t list, uint32_t users)
{
    if (list != READERS_NONE)
        pool->readers[list].users += users;
}

/* A reader that is freed no longer uses those before it. */
void
readers_drop(struct readers *pool, uint32_t list, uint32_t users)
{
    while (list != READERS_NONE) {
        struct reader *r = &pool->readers[list];
        uint32_t before = r->before;

        assert(r->users >= users);
        if ((r->users -= users) > 0)
            return;
        r->before = pool->first_free;
        pool->first_free = list;
        list = before;
        users = 1;
    }
}
