/* SPDX-License-Identifier: MIT */
#include "base/waiter.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/print.h"
#include "base/signals.h"
#include "base/translate.h"

static const int64_t SILENT_NS = 300000000;

/* A global, as the callers between a screen and what takes long pass nothing
 * on. */
static const struct waiter *waiter;

const struct waiter *
waiter_use(const struct waiter *next)
{
    const struct waiter *before = waiter;

    waiter = next;
    return before;
}

/* Says once in a process what takes long.  A wait for the same is the same wait
 * if it goes on at once. */
static void
say_what(const char *what, int64_t now)
{
    static char before[100];
    static int64_t since, last;
    static bool said;

    if (strncmp(what, before, sizeof before - 1) != 0 ||
        now - last > 2 * SILENT_NS)
        since = now;
    snprintf(before, sizeof before, "%s", what);
    last = now;
    if (said || now - since < SILENT_NS)
        return;
    said = true;
    if (isatty(STDERR_FILENO))
        print_to(stderr, _("collviz: %s ...  Ctrl-C stops it\n"), what);
}

static bool
wait_plainly(const char *what, int fd, int64_t until)
{
    int64_t now = clock_ns(), next = now + SILENT_NS;
    int64_t left = (next < until ? next : until) - now;

    if (what != NULL && fd >= 0)
        say_what(what, now);
    if (fd >= 0 && left > 0)
        poll((struct pollfd[]){{.fd = fd, .events = POLLIN},
                               {.fd = signals_fd(), .events = POLLIN}},
             2, (int)(left / 1000000) + 1);
    return signals_ending() == 0;
}

/* Between the windows of a screen. */
static bool
wait_silently(void *self, const char *what, int fd, int64_t until)
{
    (void)self;
    (void)what;
    return wait_plainly(NULL, fd, until);
}

const struct waiter waiter_silent = {wait_silently, NULL};

bool
waiter_wait(const char *what, int fd, int64_t until, struct err *err)
{
    if (waiter == NULL || what == NULL)
        return wait_plainly(what, fd, until) ||
               err_set(err, "a signal asks collviz to end");
    return waiter->wait(waiter->self, what, fd, until) ||
           err_set(err, "stopped by a key");
}

bool
waiter_goes_on(const char *what, struct err *err)
{
    return waiter_wait(what, -1, clock_ns(), err);
}
