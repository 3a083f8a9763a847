/* SPDX-License-Identifier: MIT */
#include "screen/watch.h"

#include "base/clock.h"
#include "base/signals.h"
#include "model/holdup.h"
#include "screen/watch_keys.h"
#include "screen/watch_prompt.h"
#include "screen/watch_state.h"
#include "view/panes.h"

bool
watch_can(void)
{
    struct err reason;

    return screen_can(&reason);
}

/* Whether the picture changes while a step is in flight. */
static bool
moves(const struct watch *w)
{
    struct scene scene = watch_scene(w);
    struct layout l;

    return watch_layout(w, &l) && panes_move(&scene, l.picture);
}

/* When there is something to do without a key. The time for which a rank has
 * been awaited is shown in seconds, and arrows pulse. */
static int64_t
due(const struct watch *w, int64_t now)
{
    int64_t awaited = player_awaited(&w->player, now);
    int64_t next = player_due(&w->player, now);
    int64_t tick = now + HOLDUP_PULSE_NS - awaited % HOLDUP_PULSE_NS;

    return awaited > 0 && tick < next ? tick : next;
}

/* Waits for an event and handles it. Returns false when the user quits. */
static bool
turn(struct watch *w)
{
    int key;

    switch (stage_wait(&w->stage, player_fd(&w->player),
                       due(w, clock_ns()),
                       player_moves(&w->player) && moves(w), &key)) {
    case SCREEN_KEY:
        watch_key(w, key);
        break;
    case SCREEN_SIGNAL:
        w->quit = true;
        break;
    default:
        break;
    }
    return !w->quit;
}

static bool
loop(struct watch *w, struct err *err)
{
    watch_draw(w); /* preparing a run may take seconds */
    stage_hurry(&w->stage);
    if (w->source->start != NULL &&
        !w->source->start(w->source->state, err))
        return false;
    do {
        if (!player_advance(&w->player, clock_ns(), err))
            return false;
        if (stage_wants_frame(&w->stage))
            watch_draw(w);
    } while (turn(w));
    return true;
}

bool
watch_on(struct screen *screen, const struct watch_source *source, bool ascii,
         struct err *err)
{
    struct watch w = {.source = source, .session = source->session,
                      .view = -1};
    bool ok;

    w.changes = source->back != NULL && source->back->changes != NULL
                    ? source->back->changes : &w.remembered;
    stage_init(&w.stage, screen, ascii,
               source->back != NULL && source->back->lesson ? ROLE_LEARN
               : source->change == NULL                     ? ROLE_REPLAY
                                                            : ROLE_WATCH);
    w.quit = signals_ending() != 0; /* a signal may come before the screen */
    watch_begin(&w, source->session);
    watch_set_task(&w);
    if (source->back != NULL)
        w.player.target = source->back->step;
    if (source->back != NULL && source->back->task != NULL)
        watch_notify(&w, false, source->back->task);
    if (source->back != NULL && source->back->asks)
        watch_ask(&w, &watch_change);
    ok = w.quit || loop(&w, err);
    trail_free(w.trail);
    buf_done(&w.task);
    player_done(&w.player);
    stage_done(&w.stage);
    return ok;
}

bool
watch(const struct watch_source *source, bool ascii, struct err *err)
{
    struct screen *screen;
    bool ok;

    if (!screen_open(&screen, err))
        return false;
    ok = watch_on(screen, source, ascii, err);
    screen_close(screen);
    return ok;
}
