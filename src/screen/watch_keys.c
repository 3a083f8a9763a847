/* SPDX-License-Identifier: MIT */
#include "screen/watch_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/translate.h"
#include "screen/watch_prompt.h"
#include "screen/watch_slots.h"
#include "view/frame.h"
#include "view/keys.h"
#include "view/mouse.h"
#include "view/panes.h"

static void
select_rank(struct watch *w, int rank)
{
    const struct schedule *s = w->session->world->schedule;

    if (s != NULL)
        w->selected = (rank + s->nranks) % s->nranks;
}

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

static int
step_shown(const struct watch *w)
{
    return w->player.step > 0 ? w->player.step
                              : w->session->world->position;
}

/* A click selects a rank, or goes to a step. */
static void
click(struct watch *w)
{
    struct scene scene = watch_scene(w);
    int columns, rows;
    struct mouse_target hit;

    screen_size(w->stage.screen, &columns, &rows);
    hit = mouse_at(&scene, columns, rows, screen_pointed(w->stage.screen));
    if (hit.what == MOUSE_RANK)
        w->selected = hit.number;
    else if (hit.what == MOUSE_STEP)
        player_go(&w->player, hit.number);
}

/* With a number before it (-1: none) a key goes that far at once. */
static void
next(struct watch *w, int count)
{
    if (count >= 0) {
        player_go(&w->player, step_shown(w) + count);
        return;
    }
    w->player.playing = false;
    player_next(&w->player, clock_ns());
}

static void
back(struct watch *w, int count)
{
    if (count >= 0)
        player_go(&w->player, step_shown(w) - count);
    else
        player_back(&w->player);
}

/* Digits are kept for the key that follows them. */
static void
add_digit(struct watch *w, int key)
{
    size_t length = strlen(w->typed);

    if (length + 1 < sizeof w->typed) {
        w->typed[length] = (char)key;
        w->typed[length + 1] = '\0';
    }
}

static void
answer_key(struct watch *w, int key)
{
    struct scene scene = watch_scene(w);
    enum watch_request request =
        keys_request(watch_keys, keys_state(&scene), key);
    int count = w->typed[0] != '\0' ? atoi(w->typed) : -1;
    int times = count >= 0 ? count : 1;

    if (request != WATCH_COUNT)
        w->typed[0] = '\0';
    switch (request) {
    case WATCH_BACK:
        back(w, count);
        break;
    case WATCH_NEXT:
        next(w, count);
        break;
    case WATCH_PLAY:
        player_play(&w->player, clock_ns());
        break;
    case WATCH_FASTER:
        player_faster(&w->player, times);
        break;
    case WATCH_SLOWER:
        player_faster(&w->player, -times);
        break;
    case WATCH_FIRST:
        player_go(&w->player, 0);
        break;
    case WATCH_LAST:
        player_go(&w->player,
                  count >= 0 ? count : w->session->world->nsteps);
        break;
    case WATCH_GO_TO:
        if (count >= 0)
            player_go(&w->player, count);
        else
            watch_ask(w, &watch_step);
        break;
    case WATCH_VIEW:
        next_view(w);
        break;
    case WATCH_VIEW_BESIDE:
        next_view_beside(w);
        break;
    case WATCH_NEXT_RANK:
        select_rank(w, count >= 0 ? count : w->selected + 1);
        break;
    case WATCH_PREVIOUS_RANK:
        select_rank(w, w->selected - times);
        break;
    case WATCH_INSPECT:
        w->inspect = !w->inspect;
        break;
    case WATCH_NEXT_SLOT:
        watch_select_slot(w, 1);
        break;
    case WATCH_PREVIOUS_SLOT:
        watch_select_slot(w, -1);
        break;
    case WATCH_FOLLOW:
        watch_follow(w);
        break;
    case WATCH_NEXT_WRONG:
        watch_next_wrong(w);
        break;
    case WATCH_CHANGE:
        if (w->source->change != NULL)
            watch_ask(w, &watch_change);
        else
            watch_notify(w, true, _("a recording can not be changed"));
        break;
    case WATCH_WRITE:
        watch_ask(w, &watch_file);
        break;
    case WATCH_COUNT:
        add_digit(w, key);
        break;
    case WATCH_POINT:
        click(w);
        break;
    case WATCH_HELP:
        w->help = 1;
        break;
    case WATCH_QUIT:
        w->quit = true;
        break;
    }
}

static int
help_after(const struct watch *w, int key)
{
    struct scene scene = watch_scene(w);
    int columns, rows;

    screen_size(w->stage.screen, &columns, &rows);
    return frame_help_after(&scene, columns, rows, key);
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
