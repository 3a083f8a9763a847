/* SPDX-License-Identifier: MIT */
#include "play/play.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/print.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "model/holdup.h"
#include "text/text.h"
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
    OWN(buf) reason = {0};
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
                                         : INT64_MAX, left;
    OWN(buf) reason = {0};
    int next, last;

    while (!s->world->has_end && signals_ending() == 0) {
        enum run_got got = session_pump(s, clock_ns() + LOOK_NS, err);

        report_wait(s, &vigil);
        left = deadline - clock_ns();
        if (left <= 0 && got != RUN_FAILED && !s->world->has_end) {
            add_reason(s, HOLDUP_NS, &reason);
            print_to(stderr,
                     _("collviz: the run has not ended within %d s: %s\n"),
                     (int)(s->timeout_ns / 1000000000),
                     reason.length > 0 ? buf_text(&reason) : _("it goes on"));
            break;
        }
        switch (got) {
        case RUN_ITEM:
            break;
        case RUN_LATER:
            /* Until the run may have to be reported, or ended. */
            left = left > 0 ? left / 1000000 + 1 : 0;
            if (!vigil.reported && left > STILL_LOOK_MS)
                left = STILL_LOOK_MS;
            if (poll(fds, 2, left > INT_MAX ? -1 : (int)left) < 0 &&
                errno != EINTR)
                return err_set(err, "poll: %s", strerror(errno));
            break;
        case RUN_CAUGHT_UP:
            next = s->granted < 0 ? 1 : s->granted + 1;
            last = s->world->nsteps;
            if (!s->world->has_end &&
                !session_grant(s, free_pace || next > last ? last : next, err))
                return false;
            break;
        default:
            return false;
        }
    }
    return true;
}

/* Printing. */

static bool
flush_printer(struct printer *p, struct err *err)
{
    size_t length = p->text.length;
    bool ok = fwrite(buf_text(&p->text), 1, length, stdout) == length;

    buf_clear(&p->text);
    return ok || err_set(err, "cannot write to standard output: %s",
                         strerror(errno));
}

static void
add_state_lines(struct printer *p, int step)
{
    struct world *w = p->world;
    const struct schedule *s = w->schedule;

    if (s->nranks > TEXT_RANKS && !p->states)
        return;
    world_seek(w, step);
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region shown = step == 0 ? schedule_inputs(s)
                                        : schedule_outputs(s);
        stream_write_state(&p->writer, step, rank,
                           world_row(w, rank, shown.first), shown.count,
                           &p->text);
    }
}

/* Shows the steps that are complete.  The divisions of avg belong to the last
 * step, which waits for them.  A run that hangs ends in the middle of steps:
 * all of what happened is shown. */
static bool
show_steps(struct printer *p, bool over, struct err *err)
{
    struct world *w = p->world;

    while (p->shown < w->nsteps &&
           (world_step_complete(w, p->shown + 1) ||
            (over && w->result.hangs && w->steps[p->shown + 1].count > 0)) &&
           (over || p->shown + 1 < w->nsteps || w->nsteps == 0)) {
        int step = ++p->shown;
        if (p->json)
            add_state_lines(p, step);
        else
            text_step(w, step, p->states, &p->text);
        if (!flush_printer(p, err))
            return false;
    }
    return fflush(stdout) == 0 || flush_printer(p, err);
}

static bool
print_item(void *state, const struct item *item, struct err *err)
{
    struct printer *p = state;
    bool last = item->type == ITEM_RESULT || item->type == ITEM_END;

    if (last && !show_steps(p, true, err))
        return false;
    if (p->json)
        stream_write(&p->writer, item, &p->text);
    else if (item->type == ITEM_END)
        text_result(p->world, &p->text);
    if (!flush_printer(p, err))
        return false;
    return last || show_steps(p, false, err);
}

void
printer_init(struct printer *p, struct session *session,
             const struct options *o)
{
    *p = (struct printer){.world = session->world, .json = o->json,
                          .states = o->states, .shown = -1};
    session->sink = (struct session_sink){print_item, p};
}

void
printer_done(struct printer *p)
{
    buf_done(&p->text);
}
