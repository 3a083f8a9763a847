/* SPDX-License-Identifier: MIT */
#include "schedule/rank_sets.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

static uint64_t *
bits_of(const struct rank_sets *sets, int set)
{
    return sets->bits + (size_t)set * sets->words;
}

/* A set with arbitrary bits: a free one, else a new one. */
static int
take(struct rank_sets *sets)
{
    size_t old = sets->capacity;
    int set = sets->first_free;

    if (set != RANK_SETS_NONE) {
        sets->first_free = sets->sets[set].next_free;
        return set;
    }
    sets->sets = mem_grow(sets->sets, sets->count, &sets->capacity,
                          sizeof *sets->sets);
    if (sets->capacity != old)
        sets->bits = mem_resize(sets->bits, sets->capacity * sets->words,
                                sizeof *sets->bits);
    return (int)sets->count++;
}

void
rank_sets_init(struct rank_sets *sets, int nranks)
{
    *sets = (struct rank_sets){.nranks = nranks,
                               .words = ((size_t)nranks + 63) / 64,
                               .first_free = RANK_SETS_NONE};
    for (int rank = 0; rank < nranks; rank++) {
        int set = take(sets);
        sets->sets[set] = (struct rank_set){0};
        for (size_t w = 0; w < sets->words; w++)
            bits_of(sets, set)[w] = (size_t)rank / 64 == w
                                        ? UINT64_C(1) << rank % 64 : 0;
    }
}

void
rank_sets_done(struct rank_sets *sets)
{
    free(sets->sets);
    free(sets->bits);
}

int
rank_sets_add(struct rank_sets *sets, int a, int b, int by)
{
    int sum = take(sets);
    const uint64_t *from = bits_of(sets, a), *other = bits_of(sets, b);
    uint64_t *to = bits_of(sets, sum), both = 0;
    int twice = sets->sets[a].twice_by;

    for (size_t w = 0; w < sets->words; w++) {
        both |= from[w] & other[w];
        to[w] = from[w] | other[w];
    }
    if (twice == 0)
        twice = both != 0 ? by : sets->sets[b].twice_by;
    sets->sets[sum] = (struct rank_set){.twice_by = twice};
    return sum;
}

/* Sets of one rank are not counted; RANK_SETS_NONE is none. */
static bool
is_counted(const struct rank_sets *sets, int set)
{
    return set >= sets->nranks;
}

void
rank_sets_hold(struct rank_sets *sets, int set, uint32_t users)
{
    if (is_counted(sets, set))
        sets->sets[set].users += users;
}

void
rank_sets_drop(struct rank_sets *sets, int set, uint32_t users)
{
    if (!is_counted(sets, set))
        return;
    assert(sets->sets[set].users >= users);
    if ((sets->sets[set].users -= users) > 0)
        return;
    sets->sets[set].next_free = sets->first_free;
    sets->first_free = set;
}

int
rank_sets_twice_by(const struct rank_sets *sets, int set)
{
    return sets->sets[set].twice_by;
}

bool
rank_sets_has(const struct rank_sets *sets, int set, int rank)
{
    return bits_of(sets, set)[rank / 64] >> rank % 64 & 1;
}

bool
rank_sets_has_all(const struct rank_sets *sets, int set)
{
    size_t w = 0;

    while (w + 1 < sets->words && bits_of(sets, set)[w] == UINT64_MAX)
        w++;
    return w + 1 == sets->words &&
           bits_of(sets, set)[w] == UINT64_MAX >> (-sets->nranks & 63);
}
