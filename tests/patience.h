/* SPDX-License-Identifier: MIT */
/* How long tests wait for what must come.  It comes soon, but not on a machine
 * that is busy with other things: where a wait is this long, what it was for
 * hangs.  tests/tap.sh and tests/classroom.py have the same. */
#ifndef TESTS_PATIENCE_H
#define TESTS_PATIENCE_H

#include <stdint.h>

#include "base/clock.h"

enum { HUNG_S = 300, HUNG_MS = HUNG_S * 1000 };

/* When a wait that begins now is that long. */
static inline int64_t
hung_at(void)
{
    return clock_ns() + HUNG_S * INT64_C(1000000000);
}

#endif
