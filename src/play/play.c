/* SPDX-License-Identifier: MIT */
#include "play/play.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/print.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/utf8.h"

enum { LOOK_NS = 100000000 }; /* between checks for a signal */

/* Grants the step after the last one granted, or all. */
static bool
grant_next(struct session *s, bool free_pace, struct err *err)
{
    int last = s->world->nsteps;
    int next = s->granted < 0 ? 1 : s->granted + 1;

    return session_grant(s, free_pace || next > last ? last : next, err);
}

/* Reports on standard error when the run begins to wait, and when it continues.
 * The note may change in between: "for 3 s", "for 4 s". */
static void
report_wait(const struct session *s, bool *reported)
{
    const char *note = session_note(s);
    struct buf shown = {0};

    utf8_add(&shown, note != NULL ? note : "");
    if (note != NULL && !*reported)
        print_to(stderr, _("collviz: waiting: %s\n"), buf_text(&shown));
    buf_done(&shown);
    if (note == NULL && *reported)
        print_to(stderr, _("collviz: the run continues\n"));
    *reported = note != NULL;
}

bool
play_through(struct session *s, bool free_pace, struct err *err)
{
    struct pollfd fds[2] = {
        {.fd = signals_fd(), .events = POLLIN},
        {.fd = session_fd(s), .events = POLLIN},
    };
    bool reported = false;

    while (!s->world->has_end && signals_ending() == 0) {
        enum run_got got = session_pump(s, clock_ns() + LOOK_NS, err);

        report_wait(s, &reported);
        switch (got) {
        case RUN_ITEM:
            break;
        case RUN_LATER:
            if (poll(fds, 2, -1) < 0 && errno != EINTR)
                return err_set(err, "poll: %s", strerror(errno));
            break;
        case RUN_CAUGHT_UP:
            if (!s->world->has_end && !grant_next(s, free_pace, err))
                return false;
            break;
        default:
            return false;
        }
    }
    return true;
}
