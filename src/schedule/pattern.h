/* SPDX-License-Identifier: MIT */
/* A pattern: what all ranks do alike in a step, found in its transfers.
 *
 *     ring          0>1 1>2 2>3 3>0          group 4, distance 1
 *                   0>1 1>0 2>3 3>2          group 2, distance 1: pairs
 *     some          1>0 3>2 5>4              first 1, stride 2, distance -1
 *     every         0>1 0>2 1>0 1>2 2>0 2>1
 *     to one        1>0 2>0 3>0              rank 0
 *     from one      0>1 0>2 0>3
 *     local         0>0 1>1 2>2 3>3
 *
 * Two ranks have no pattern other than local: one sentence describes them. */
#ifndef SCHEDULE_PATTERN_H
#define SCHEDULE_PATTERN_H

#include "schedule/schedule.h"

enum pattern_kind {
    PATTERN_NONE,
    PATTERN_RING,
    PATTERN_SOME,
    PATTERN_EVERY,
    PATTERN_TO_ONE,
    PATTERN_FROM_ONE,
    PATTERN_LOCAL,
};

struct pattern {
    enum pattern_kind kind;
    int distance; /* ring, some: from sender to receiver, backwards if negative;
                   * if some send beyond the last rank of the group, the
                   * shorter way round */
    int group;    /* ring: consecutive ranks that form a ring; if it is twice
                   * the distance, they exchange in pairs. some: all ranks */
    int first, stride, count; /* some: the senders */
    int rank;     /* to one, from one: that rank */
    int slots;    /* that each sender sends to each receiver; 0: not all the
                   * same */
    bool reduces; /* all transfers do */
};

/* The pattern of a step, from 1 on. */
struct pattern pattern_of(const struct schedule *s, int step);

/* Whether no step before is of the same kind: of the same phase and with such a
 * pattern, at whatever distance. */
bool pattern_is_new(const struct schedule *s, int step);

/* Whether two steps do the same, with the same amount of data. */
bool pattern_same(const struct pattern *a, const struct pattern *b);

#endif
