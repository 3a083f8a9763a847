/* SPDX-License-Identifier: MIT */
/* What each collective promises, as a table:
 *
 *                       from       to         parts     adds up
 *     all-reduce        all ranks  all ranks  1 -> 1    +
 *         every rank ends with the sum of all ranks' inputs
 *     ...
 *
 * It is made from the table of collectives (schedule/collective.h). */
#ifndef TEXT_PROMISES_H
#define TEXT_PROMISES_H

#include "base/buf.h"

void promises_text(struct buf *out);

#endif
