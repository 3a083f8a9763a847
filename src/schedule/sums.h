/* SPDX-License-Identifier: MIT */
/* How a schedule makes its sums: in which order, and whether a fault spoils
 * them.
 *
 * Floats that are added in another order are rounded in another way, so ranks
 * hold the same bits only if all of them add alike.  a + b and b + a are alike,
 * (a + b) + c and a + (b + c) are not.  Several reductions of one step into one
 * slot are made in the order of their transfers.
 *
 * A number of 64 bits stands for what a slot holds, and is carried through the
 * steps.  Different contents have the same number only by a chance of about
 * 2^-64. */
#ifndef SCHEDULE_SUMS_H
#define SCHEDULE_SUMS_H

#include "schedule/program.h"

/* Numbers by schedule_cell() that are equal for slots which hold the same
 * contributions, added in the same order.  The caller frees them. */
uint64_t *sums_orders(const struct schedule *s);

/* Whether all ranks that are promised the same sum add it up in the same
 * order. */
bool sums_agree(const struct schedule *s);

/* Whether a fault makes an output that has elements other than promised, for
 * inputs of `count` elements.  The schedule must be right. */
bool sums_spoilt(const struct schedule *s, int64_t count,
                 const struct fault *fault);

#endif
