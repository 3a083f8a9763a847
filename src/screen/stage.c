/* SPDX-License-Identifier: MIT */
#include "screen/stage.h"

#include "base/clock.h"
#include "base/language.h"

enum {
    FRAME_NS = 1000000000 / 60,
    BEHIND_NS = 1000000000 / 10, /* between frames while keys wait */
};

void
stage_init(struct stage *s, struct screen *screen, bool ascii,
           enum role accent)
{
    *s = (struct stage){.screen = screen, .stale = true, .hurry = true,
                        .canvas.accent = accent};
    s->glyphs = ascii || !language_is_utf8() ? GLYPHS_ASCII
                : screen_is_console(screen)  ? GLYPHS_CONSOLE
                                             : GLYPHS_FULL;
    s->colourless = !screen_has_colours(screen);
}

void
stage_done(struct stage *s)
{
    canvas_done(&s->canvas);
}

struct canvas *
stage_canvas(struct stage *s)
{
    int columns, rows;

    screen_size(s->screen, &columns, &rows);
    if (columns != s->canvas.columns || rows != s->canvas.rows)
        canvas_resize(&s->canvas, columns, rows);
    return &s->canvas;
}

void
stage_show(struct stage *s)
{
    s->blocked = !screen_draw(s->screen, &s->canvas);
    s->stale = s->blocked;
    s->hurry = s->hurry && s->blocked;
    s->drawn_ns = clock_ns();
}

void
stage_hurry(struct stage *s)
{
    s->stale = s->hurry = true;
}

bool
stage_wants_frame(const struct stage *s)
{
    int64_t since = clock_ns() - s->drawn_ns;

    if (screen_has_key(s->screen))
        return since >= BEHIND_NS;
    return since >= FRAME_NS || s->hurry;
}

/* Milliseconds until there is something to do; -1: nothing without a key. */
static int
patience(const struct stage *s, int64_t due_ns, bool moves)
{
    int64_t now = clock_ns(), frame = s->drawn_ns + FRAME_NS;

    /* If the terminal is blocked, screen_wait() returns when it accepts output
     * again. */
    if ((s->stale || moves) && !s->blocked && frame < due_ns)
        due_ns = frame;
    if (due_ns == INT64_MAX)
        return -1;
    return due_ns <= now ? 0 : (int)((due_ns - now) / 1000000) + 1;
}

enum screen_event
stage_wait(struct stage *s, int fd, int64_t due_ns, bool moves, int *key)
{
    enum screen_event event =
        screen_wait(s->screen, fd, patience(s, due_ns, moves), key);

    if (event == SCREEN_READY)
        s->blocked = false;
    if (event == SCREEN_KEY && *key == SCREEN_KEY_CLICK) {
        int shown = canvas_key(&s->canvas, screen_pointed(s->screen));
        *key = shown != 0 ? shown : *key;
    }
    s->hurry = s->hurry || event == SCREEN_KEY;
    s->stale = true;
    return event;
}
