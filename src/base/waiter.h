/* SPDX-License-Identifier: MIT */
/* Waiting in the middle of what may take seconds: a script, or making ranks.
 * What takes that long says so here, again and again, and stops if it is told
 * to.  An open screen lives on meanwhile, and takes keys (screen/window.h).
 * Without one, a line on standard error says what script is waited for, if that
 * is a terminal; a signal that asks to end stops it.
 *
 *     for (int rank = 0; rank < nranks; rank++)
 *         if (!waiter_goes_on(_("preparing the ranks"), err))
 *             return false; */
#ifndef BASE_WAITER_H
#define BASE_WAITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* `wait` is told what is going on, translated.  It waits until `fd` is
 * readable (-1: not at all), at most until the time `until` (base/clock.h), and
 * returns false to stop it. */
struct waiter {
    bool (*wait)(void *self, const char *what, int fd, int64_t until);
    void *self;
};

/* Returns the waiter before.  NULL: no screen. */
const struct waiter *waiter_use(const struct waiter *next);

/* For an open screen without a window. */
extern const struct waiter waiter_silent;

/* Waits, as above; `what` NULL: not for long, so nobody is told.  Returns
 * false, with the reason in *err, to stop. */
bool waiter_wait(const char *what, int fd, int64_t until, struct err *err);

/* The same without waiting. */
bool waiter_goes_on(const char *what, struct err *err);

#endif
