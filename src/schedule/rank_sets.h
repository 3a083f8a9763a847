/* SPDX-License-Identifier: MIT */
/* Sets of ranks, shared by all slots that hold the same sum; for check.c.
 *
 * Sets 0 .. nranks - 1 are those of one rank each, and stay.  Every other set
 * comes from rank_sets_add() and is freed when its last user drops it.
 *
 *     rank_sets_init(&sets, nranks);
 *     ab = rank_sets_add(&sets, 0, 1, transfer);     ranks 0 and 1
 *     rank_sets_hold(&sets, ab, 3);                  three slots hold it
 *     rank_sets_drop(&sets, ab, 3);                  and then no slot does
 *     rank_sets_done(&sets); */
#ifndef SCHEDULE_RANK_SETS_H
#define SCHEDULE_RANK_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANK_SETS_NONE = -1 };

struct rank_set {
    uint32_t users;
    int next_free;  /* of a free set */
    int twice_by; /* what added a rank a second time, or 0 */
};

struct rank_sets {
    int nranks;
    size_t words; /* of a set's bits */
    struct rank_set *sets;
    uint64_t *bits; /* set i: words i * words .. (i + 1) * words - 1 */
    size_t count, capacity;
    int first_free; /* RANK_SETS_NONE if there is none */
};

void rank_sets_init(struct rank_sets *sets, int nranks);
void rank_sets_done(struct rank_sets *sets);

/* The union of two sets, as a new set without users. `by`, a number above 0 for
 * what adds them, is noted if a rank is in both. */
int rank_sets_add(struct rank_sets *sets, int a, int b, int by);

/* `users` more, or fewer, use the set. RANK_SETS_NONE is ignored. */
void rank_sets_hold(struct rank_sets *sets, int set, uint32_t users);
void rank_sets_drop(struct rank_sets *sets, int set, uint32_t users);

int rank_sets_twice_by(const struct rank_sets *sets, int set);
bool rank_sets_has(const struct rank_sets *sets, int set, int rank);
bool rank_sets_has_all(const struct rank_sets *sets, int set);

#endif
