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
#include "model/holdup.h"
#include "text/words.h"

enum { LOOK_NS = 100000000 }; /* between checks for a signal */

/* A run that has stood still for so long is said to wait, and is looked at so
 * often until then. */
#define STILL_NS INT64_C(1500000000)
enum { STILL_LOOK_MS = 250 };

/* What is known of the run's progress. */
struct vigil {
    int granted;
    int64_t last_ns;  /* of the world */
    int64_t moved_ns; /* when one of these changed */
    bool reported;    /* that the run waits */
    bool noted;       /* that its note said why */
};

/* Grants the step after the last one granted, or all. */
static bool
grant_next(struct session *s, bool free_pace, struct err *err)
{
    int last = s->world->nsteps;
    int next = s->granted < 0 ? 1 : s->granted + 1;

    return session_grant(s, free_pace || next > last ? last : next, err);
}

/* Appends what the run waits for. */
static void
add_reason(struct session *s, int64_t still_ns, struct buf *out)
{
    const char *note = session_note(s);
    struct scene scene = {.world = s->world, .awaited_ns = still_ns};

    if (note != NULL) {
        utf8_add(out, note);
    } else if (world_step_complete(s->world, 0)) {
        world_seek(s->world, world_complete_steps(s->world));
        words_waiting(&scene, out);
    }
}

/* Reports on standard error when the run begins to wait, and when it continues.
 * The note may change in between: "for 3 s", "for 4 s". */
static void
report_wait(struct session *s, struct vigil *v)
{
    const char *note = session_note(s);
    int64_t now = clock_ns();
    struct buf reason = {0};
    bool waits;

    if (v->granted != s->granted || v->last_ns != s->world->last_ns) {
        v->granted = s->granted;
        v->last_ns = s->world->last_ns;
        v->moved_ns = now;
    }
    waits = note != NULL || now - v->moved_ns >= STILL_NS;
    if (waits && (!v->reported || (note != NULL && !v->noted))) {
        add_reason(s, now - v->moved_ns, &reason);
        if (note != NULL)
            print_to(stderr, _("collviz: waiting: %s\n"), buf_text(&reason));
        else if (reason.length > 0)
            print_to(stderr, "collviz: %s\n", buf_text(&reason));
        v->reported = reason.length > 0;
    } else if (!waits && v->reported) {
        print_to(stderr, _("collviz: the run continues\n"));
        v->reported = false;
    }
    v->noted = note != NULL;
    buf_done(&reason);
}

static void
report_timeout(struct session *s)
{
    struct buf reason = {0};

    add_reason(s, HOLDUP_NS, &reason);
    print_to(stderr, _("collviz: the run has not ended within %d s: %s\n"),
             (int)(s->timeout_ns / 1000000000),
             reason.length > 0 ? buf_text(&reason) : _("it goes on"));
    buf_done(&reason);
}

/* For poll(): until the run may have to be reported, or ended. */
static int
patience_ms(const struct vigil *v, int64_t deadline)
{
    int64_t left = (deadline - clock_ns()) / 1000000 + 1;
    int most = v->reported ? -1 : STILL_LOOK_MS;

    if (deadline == INT64_MAX || (most > 0 && left > most))
        return most;
    return left > 0 ? (int)left : 0;
}

bool
play_through(struct session *s, bool free_pace, struct err *err)
{
    struct pollfd fds[2] = {
        {.fd = signals_fd(), .events = POLLIN},
        {.fd = session_fd(s), .events = POLLIN},
    };
    struct vigil vigil = {.moved_ns = clock_ns()};
    int64_t deadline = s->timeout_ns > 0 ? clock_ns() + s->timeout_ns
                                         : INT64_MAX;

    while (!s->world->has_end && signals_ending() == 0) {
        enum run_got got = session_pump(s, clock_ns() + LOOK_NS, err);

        report_wait(s, &vigil);
        if (clock_ns() >= deadline && got != RUN_FAILED &&
            !s->world->has_end) {
            report_timeout(s);
            break;
        }
        switch (got) {
        case RUN_ITEM:
            break;
        case RUN_LATER:
            if (poll(fds, 2, patience_ms(&vigil, deadline)) < 0 &&
                errno != EINTR)
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
