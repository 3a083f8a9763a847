/* SPDX-License-Identifier: MIT */
/* A lecture: several lessons, one after another, each with the minutes that it
 * takes by the plan.  Times are those of base/clock.h. */
#ifndef LESSON_LECTURE_H
#define LESSON_LECTURE_H

#include <stdint.h>

#include "base/buf.h"

struct lecture {
    int64_t began_ns;
    int minutes; /* of all its lessons */
    int before;  /* of those before the present lesson */
    int here;    /* of the present lesson; 0: it is not part of the lecture */
};

/* The minutes that are left until the lecture should end; negative when that
 * time has passed. */
int lecture_left(const struct lecture *l, int64_t now);

/* By how many minutes the lecture is behind its plan, rounded, where `progress`
 * is the part of the present lesson that is over, 0 to 1.  Negative: it is
 * ahead of it. */
int lecture_behind(const struct lecture *l, double progress, int64_t now);

/* Adds "31 min left, 2 behind". */
void lecture_add_status(const struct lecture *l, double progress, int64_t now,
                        struct buf *out);

#endif
