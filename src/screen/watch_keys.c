/* SPDX-License-Identifier: MIT */
#include "screen/watch_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/translate.h"
#include "screen/watch_prompt.h"
#include "screen/watch_slots.h"
#include "view/frame.h"
#include "view/panes.h"

/* How often the key is meant, by the number typed before it. */
static int
times(const struct watch *w)
{
    return w->count >= 0 ? w->count : 1;
}

/* Steps. */

static int
step_shown(const struct watch *w)
{
    return w->player.step > 0 ? w->player.step
                              : w->session->world->position;
}

static void
next(struct watch *w)
{
    if (w->count >= 0) {
        player_go(&w->player, step_shown(w) + w->count);
        return;
    }
    w->player.playing = false;
    player_next(&w->player, clock_ns());
}

static void
back(struct watch *w)
{
    if (w->count >= 0)
        player_go(&w->player, step_shown(w) - w->count);
    else
        player_back(&w->player);
}

static void
next_page(struct watch *w)
{
    player_go(&w->player, step_shown(w) + times(w) * KEY_STEPS);
}

static void
back_page(struct watch *w)
{
    player_go(&w->player, step_shown(w) - times(w) * KEY_STEPS);
}

static void
first(struct watch *w)
{
    player_go(&w->player, 0);
}

static void
last(struct watch *w)
{
    player_go(&w->player,
              w->count >= 0 ? w->count : w->session->world->nsteps);
}

static void
go_to(struct watch *w)
{
    if (w->count >= 0)
        player_go(&w->player, w->count);
    else
        watch_ask(w, &watch_step);
}

static void
play(struct watch *w)
{
    player_play(&w->player, clock_ns());
}

static void
faster(struct watch *w)
{
    player_faster(&w->player, times(w));
}

static void
slower(struct watch *w)
{
    player_faster(&w->player, -times(w));
}

/* What is shown. */

static void
next_view(struct watch *w)
{
    struct scene scene = watch_scene(w);
    struct layout l;

    if (watch_layout(w, &l))
        w->view = view_next(&scene, l.picture);
}

static void
next_view_beside(struct watch *w)
{
    struct scene scene = watch_scene(w);
    struct layout l;

    if (!watch_layout(w, &l))
        return;
    w->beside = panes_next(&scene, l.picture);
    if (w->beside == scene.beside)
        watch_notify(w, true, _("there is no room for a second view"));
}

static void
select_rank(struct watch *w, int rank)
{
    const struct schedule *s = w->session->world->schedule;

    if (s != NULL)
        w->selected = (rank % s->nranks + s->nranks) % s->nranks;
}

static void
next_rank(struct watch *w)
{
    select_rank(w, w->count >= 0 ? w->count : w->selected + 1);
}

static void
previous_rank(struct watch *w)
{
    select_rank(w, w->selected - times(w));
}

static void
inspect(struct watch *w)
{
    w->inspect = !w->inspect;
}

static void
next_slot(struct watch *w)
{
    watch_select_slot(w, 1);
}

static void
previous_slot(struct watch *w)
{
    watch_select_slot(w, -1);
}

/* A click selects a rank, then one of its slots, or goes to a step. */
static void
point(struct watch *w)
{
    struct scene scene = watch_scene(w);
    int columns, rows;
    struct frame_target hit;

    screen_size(w->stage.screen, &columns, &rows);
    hit = frame_at(&scene, columns, rows, screen_pointed(w->stage.screen));
    if (hit.what == FRAME_STEP)
        player_go(&w->player, hit.number);
    else if (hit.what == FRAME_RANK && hit.slot >= 0 &&
             (hit.number == w->selected || w->inspect))
        watch_pick_slot(w, hit.number, hit.slot);
    else if (hit.what == FRAME_RANK)
        w->selected = hit.number;
}

/* What is asked, and the end. */

static void
change(struct watch *w)
{
    if (w->source->change != NULL)
        watch_ask(w, &watch_change);
    else
        watch_notify(w, true, _("a recording cannot be changed"));
}

static void
write(struct watch *w)
{
    watch_ask(w, &watch_file);
}

static void
help(struct watch *w)
{
    w->help = 1;
}

/* A number that was typed is gone already. */
static void
close_top(struct watch *w)
{
    if (w->count >= 0)
        return;
    if (w->inspect)
        w->inspect = false;
    else
        watch_follow_none(w);
}

static void
quit(struct watch *w)
{
    w->quit = true;
}

/* By request; that of a digit is answered before. */
static void (*const answers[])(struct watch *w) = {
    [DO_BACK] = back,
    [DO_NEXT] = next,
    [DO_PLAY] = play,
    [DO_FASTER] = faster,
    [DO_SLOWER] = slower,
    [DO_PAGE_BACK] = back_page,
    [DO_PAGE_NEXT] = next_page,
    [DO_FIRST] = first,
    [DO_LAST] = last,
    [DO_GO_TO] = go_to,
    [DO_VIEW] = next_view,
    [DO_VIEW_BESIDE] = next_view_beside,
    [DO_NEXT_RANK] = next_rank,
    [DO_PREVIOUS_RANK] = previous_rank,
    [DO_INSPECT] = inspect,
    [DO_NEXT_SLOT] = next_slot,
    [DO_PREVIOUS_SLOT] = previous_slot,
    [DO_FOLLOW] = watch_follow,
    [DO_NEXT_WRONG] = watch_next_wrong,
    [DO_CHANGE] = change,
    [DO_WRITE] = write,
    [DO_POINT] = point,
    [DO_HELP] = help,
    [DO_CLOSE] = close_top,
    [DO_QUIT] = quit,
};

/* Digits are kept for the key that follows them; Backspace takes the last one
 * away. */
static void
type_digit(struct watch *w, int key)
{
    size_t length = strlen(w->typed);

    if (key == SCREEN_KEY_BACKSPACE)
        w->typed[length - 1] = '\0';
    else if (length + 1 < sizeof w->typed) {
        w->typed[length] = (char)key;
        w->typed[length + 1] = '\0';
    }
}

static void
answer_key(struct watch *w, int key)
{
    struct scene scene = watch_scene(w);
    struct surround around = watch_around(w);
    int request = keys_request(ON_WATCH, frame_keys(&scene, &around).state,
                               key);

    if (request == DO_DIGIT ||
        (key == SCREEN_KEY_BACKSPACE && w->typed[0] != '\0')) {
        type_digit(w, key);
        return;
    }
    w->count = w->typed[0] != '\0' ? atoi(w->typed) : -1;
    w->typed[0] = '\0';
    if (request != 0)
        answers[request](w);
}

static int
help_after(const struct watch *w, int key)
{
    struct scene scene = watch_scene(w);
    struct surround around = watch_around(w);
    int columns, rows;

    screen_size(w->stage.screen, &columns, &rows);
    return frame_help_after(&scene, &around, columns, rows, key);
}

void
watch_key(struct watch *w, int key)
{
    if (w->prompt.open) {
        watch_prompt_key(w, key);
        return;
    }
    watch_notify(w, false, "");
    if (w->help > 0)
        w->help = help_after(w, key);
    else
        answer_key(w, key);
}
