/* SPDX-License-Identifier: MIT */
/* Time in nanoseconds of CLOCK_MONOTONIC. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t
clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
