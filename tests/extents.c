/* SPDX-License-Identifier: MIT */
/* Arrays with extents, compared with plain arrays. */
#include "schedule/extents.h"

#include <stdlib.h>

#include "random_schedule.h"
#include "tap.h"

enum { ITEMS = 300 };

struct item {
    int32_t a, b;
};

/* Whether every item is as in the plain array, and every length true. */
static bool
same(const struct extents *extents, const struct item *plain)
{
    for (int i = 0; i < ITEMS; i++) {
        int length;
        const struct item *at = extents_at(extents, (size_t)i, &length);
        if (length < 1)
            return false;
        for (int k = i; k < i + length && k < ITEMS; k++)
            if (plain[k].a != at->a || plain[k].b != at->b)
                return false;
    }
    return true;
}

/* The number of extents in all. */
static int
count_extents(const struct extents *extents)
{
    int count = 0, length;

    for (int i = 0; i < ITEMS; i += length, count++)
        extents_at(extents, (size_t)i, &length);
    return count;
}

/* The least number there could be: an extent ends where the item changes, and
 * at multiples of EXTENT_MAX. */
static int
fewest_extents(const struct item *plain)
{
    int count = 0;

    for (int i = 0; i < ITEMS; i++)
        count += i % EXTENT_MAX == 0 || plain[i].a != plain[i - 1].a ||
                 plain[i].b != plain[i - 1].b;
    return count;
}

static void
test_extents(void)
{
    struct item plain[ITEMS], first = {7, 8};
    OWN(extents) extents;
    bool right, few = true;
    uint32_t seed = 1;

    extents_init(&extents, ITEMS, sizeof first, &first);
    for (int i = 0; i < ITEMS; i++)
        plain[i] = first;
    right = same(&extents, plain);
    for (int round = 0; round < 3000; round++) {
        int at = random_below(&seed, ITEMS), room = ITEMS - at;
        int count = 1 + random_below(&seed, round % 2 || room < 4 ? room : 4);
        struct item item = {random_below(&seed, 2), random_below(&seed, 2)};
        extents_set(&extents, (size_t)at, (size_t)count, &item);
        for (int k = at; k < at + count; k++)
            plain[k] = item;
        right = right && same(&extents, plain);
        few = few && count_extents(&extents) == fewest_extents(plain);
    }
    ok(right, "items are as in a plain array");
    ok(few, "equal neighbours are one extent");
}

int
main(void)
{
    test_extents();
    return done_testing();
}
