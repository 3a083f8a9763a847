/* SPDX-License-Identifier: MIT */
#include "screen/watch_state.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/translate.h"
#include "view/frame.h"

/* What the player asks before it plays a step. */
static int64_t
reading(const void *watch)
{
    const struct watch *w = watch;
    struct scene scene = watch_scene(w);

    return frame_reading_ns(&scene, w->stage.canvas.columns,
                            w->stage.canvas.rows);
}

void
watch_begin(struct watch *w, struct session *session)
{
    w->session = session;
    player_init(&w->player, session);
    w->player.reading = reading;
    w->player.reader = w;
}

void
watch_set_task(struct watch *w)
{
    const struct watch_way_back *back = w->source->back;
    int next = 0;

    buf_clear(&w->task);
    if (back == NULL || back->ntries == 0)
        return;
    while (next < back->ntries && (w->tried & 1u << next) != 0)
        next++;
    if (next < back->ntries)
        buf_addf(&w->task, _("Now type: a, then  %s  and Enter  (%d of %d)"),
                 back->tries[next], next + 1, back->ntries);
    else
        buf_puts(&w->task, _("That was all. Look around; Enter goes back to "
                             "the lesson."));
}

/* Whether two texts have the same words. */
static bool
same_words(const char *a, const char *b)
{
    for (;;) {
        size_t x, y;
        a += strspn(a, " \t");
        b += strspn(b, " \t");
        x = strcspn(a, " \t");
        y = strcspn(b, " \t");
        if (x != y || strncmp(a, b, x) != 0)
            return false;
        if (x == 0)
            return true;
        a += x;
        b += y;
    }
}

void
watch_note_change(struct watch *w, const char *typed)
{
    const struct watch_way_back *back = w->source->back;

    for (int i = 0; back != NULL && i < back->ntries; i++)
        if (same_words(typed, back->tries[i]))
            w->tried |= 1u << i;
    watch_set_task(w);
}

struct scene
watch_scene(const struct watch *w)
{
    return (struct scene){
        .world = w->session->world,
        .step = w->player.step,
        .target = w->player.target,
        .flights = w->player.flights,
        .nflights = w->player.nflights,
        .glyphs = w->stage.glyphs,
        .colourless = w->stage.colourless,
        .selected = w->selected,
        .view = w->view,
        .beside = w->beside,
        .inspect = w->inspect,
        .slot = w->slot,
        .awaited_ns = player_awaited(&w->player, clock_ns()),
        .note = session_note(w->session),
        .replay = w->source->change == NULL,
        .trail = w->trail,
    };
}

struct surround
watch_around(const struct watch *w)
{
    return (struct surround){
        .playing = w->player.playing,
        .speed = w->player.speed,
        .help = w->help,
        .typed = w->typed[0] != '\0' ? w->typed : NULL,
        .prompt = w->prompt.open ? w->prompt.text : NULL,
        .notice = w->notice.text[0] != '\0' ? w->notice.text : NULL,
        .alarm = w->alarm,
        .back = w->source->back != NULL ? w->source->back->to : NULL,
        .in_lesson = w->source->back != NULL && w->source->back->lesson,
        .task = w->task.length > 0 ? buf_text(&w->task) : NULL,
    };
}

void
watch_draw(struct watch *w)
{
    const struct schedule *schedule = w->session->world->schedule;
    struct scene scene;
    struct surround around = watch_around(w);

    if (schedule != NULL && w->selected >= schedule->nranks)
        w->selected = 0; /* a changed run may have fewer ranks */
    scene = watch_scene(w);
    frame_draw(&scene, &around, stage_canvas(&w->stage));
    stage_show(&w->stage);
}

void
watch_notify(struct watch *w, bool alarm, const char *text)
{
    /* not err_set(), which escapes the newlines of a hint */
    snprintf(w->notice.text, sizeof w->notice.text, "%s", text);
    w->alarm = alarm;
}

bool
watch_layout(const struct watch *w, struct layout *l)
{
    int columns, rows;

    screen_size(w->stage.screen, &columns, &rows);
    return layout(columns, rows, false, l) &&
           w->session->world->schedule != NULL;
}
