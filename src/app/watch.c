/* SPDX-License-Identifier: MIT */
#include "app/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/interrupt.h"
#include "app/language.h"
#include "app/player.h"
#include "base/clock.h"
#include "base/text.h"
#include "term/screen.h"
#include "view/frame.h"
#include "view/view.h"

enum { FRAME_NS = 1000000000 / 60 };

/* The line in which a step's number is typed. */
struct prompt {
    bool open;
    char digits[8];
    char text[96];
};

struct watch {
    struct session *session;
    struct screen *screen;
    struct canvas canvas;
    struct player player;
    struct prompt prompt;
    enum glyph_set glyphs;
    int selected, slot, view;
    bool inspect;
    bool help, quit;
    bool stale; /* the screen shows something that is no more */
    int64_t drawn_ns;
};

bool
watch_can(void)
{
    struct err reason;

    return screen_can(&reason);
}

static struct scene
scene_of(const struct watch *w)
{
    return (struct scene){
        .world = w->session->world,
        .step = w->player.step,
        .flights = w->player.flights,
        .nflights = w->player.nflights,
        .glyphs = w->glyphs,
        .selected = w->selected,
        .view = w->view,
        .playing = w->player.playing,
        .speed = w->player.speed,
        .inspect = w->inspect,
        .slot = w->slot,
        .help = w->help,
        .prompt = w->prompt.open ? w->prompt.text : NULL,
    };
}

static void
draw(struct watch *w)
{
    struct scene scene = scene_of(w);
    int columns, rows;

    screen_size(w->screen, &columns, &rows);
    if (columns != w->canvas.columns || rows != w->canvas.rows)
        canvas_resize(&w->canvas, columns, rows);
    frame_draw(&scene, &w->canvas);
    screen_draw(w->screen, &w->canvas);
    w->stale = false;
    w->drawn_ns = clock_ns();
}

static void
show_prompt(struct prompt *p)
{
    snprintf(p->text, sizeof p->text, "%s %s", _("go to step:"), p->digits);
}

static void
open_prompt(struct prompt *p)
{
    *p = (struct prompt){.open = true};
    show_prompt(p);
}

static void
prompt_key(struct watch *w, int key)
{
    struct prompt *p = &w->prompt;
    size_t length = strlen(p->digits);

    if (key >= '0' && key <= '9' && length + 1 < sizeof p->digits) {
        p->digits[length] = (char)key;
        p->digits[length + 1] = '\0';
    } else if (key == SCREEN_KEY_BACKSPACE && length > 0) {
        p->digits[length - 1] = '\0';
    } else {
        p->open = false;
        if (key == SCREEN_KEY_ENTER && length > 0)
            player_go(&w->player, atoi(p->digits));
    }
    show_prompt(p);
}

static void
select_rank(struct watch *w, int by)
{
    const struct schedule *s = w->session->world->schedule;

    if (s != NULL)
        w->selected = (w->selected + by + s->nranks) % s->nranks;
}

static void
select_slot(struct watch *w, int by)
{
    const struct schedule *s = w->session->world->schedule;

    if (s != NULL && w->inspect && w->slot + by >= 0 &&
        w->slot + by < s->nslots)
        w->slot += by;
}

static const struct view *
view_shown(const struct watch *w, struct layout *l)
{
    struct scene scene = scene_of(w);
    int columns, rows;

    screen_size(w->screen, &columns, &rows);
    if (!layout(columns, rows, l) || scene.world->schedule == NULL)
        return NULL;
    return view_choose(&scene, l->picture);
}

static void
next_view(struct watch *w)
{
    struct scene scene = scene_of(w);
    struct layout l;

    if (view_shown(w, &l) != NULL)
        w->view = view_next(&scene, l.picture);
}

static void
answer_key(struct watch *w, int key)
{
    int64_t now = clock_ns();

    switch (key) {
    case SCREEN_KEY_RIGHT:
    case 'l':
    case ' ':
        w->player.playing = false;
        player_next(&w->player, now);
        break;
    case SCREEN_KEY_LEFT:
    case 'h':
        player_back(&w->player);
        break;
    case 'p':
        player_play(&w->player, now);
        break;
    case '+':
    case '=':
        player_faster(&w->player, 1);
        break;
    case '-':
        player_faster(&w->player, -1);
        break;
    case SCREEN_KEY_HOME:
        player_go(&w->player, 0);
        break;
    case SCREEN_KEY_END:
    case 'G':
        player_go(&w->player, w->session->world->nsteps);
        break;
    case 'g':
        open_prompt(&w->prompt);
        break;
    case 'v':
        next_view(w);
        break;
    case '\t':
        select_rank(w, 1);
        break;
    case SCREEN_KEY_BACKTAB:
        select_rank(w, -1);
        break;
    case SCREEN_KEY_ENTER:
        w->inspect = !w->inspect;
        break;
    case SCREEN_KEY_UP:
        select_slot(w, -1);
        break;
    case SCREEN_KEY_DOWN:
        select_slot(w, 1);
        break;
    case '?':
        w->help = true;
        break;
    case 'q':
        w->quit = true;
        break;
    default:
        break;
    }
}

static void
key_pressed(struct watch *w, int key)
{
    if (w->prompt.open)
        prompt_key(w, key);
    else if (w->help)
        w->help = false;
    else
        answer_key(w, key);
}

/* Milliseconds until there is something to do; -1: none without a key or
 * news from the run. */
static int
patience(const struct watch *w, int64_t now)
{
    struct layout l;
    const struct view *view = view_shown(w, &l);
    int64_t frame = w->drawn_ns + FRAME_NS;
    int64_t due = player_due(&w->player, now);

    if (w->stale ||
        (view != NULL && view->moves && player_moves(&w->player)))
        due = due < frame ? due : frame;
    if (due == INT64_MAX)
        return -1;
    return due <= now ? 0 : (int)((due - now) / 1000000) + 1;
}

/* Waits and answers; false when it is over. */
static bool
turn(struct watch *w)
{
    int key;

    switch (screen_wait(w->screen, player_fd(&w->player),
                        patience(w, clock_ns()), &key)) {
    case SCREEN_KEY:
        key_pressed(w, key);
        w->drawn_ns = 0; /* a key is answered at once */
        break;
    case SCREEN_SIGNAL:
        interrupt_note(key);
        w->quit = true;
        break;
    default:
        break;
    }
    w->stale = true;
    return !w->quit;
}

static bool
loop(struct watch *w, struct err *err)
{
    draw(w); /* before anything that may take its time */
    w->drawn_ns = 0;
    do {
        if (!player_advance(&w->player, clock_ns(), err))
            return false;
        if (clock_ns() - w->drawn_ns >= FRAME_NS)
            draw(w);
    } while (turn(w));
    return true;
}

bool
watch(struct session *s, const struct watch_options *o, struct err *err)
{
    struct watch w = {.session = s, .view = -1};
    bool ok;

    if (!screen_open(&w.screen, err))
        return false;
    w.glyphs = o->ascii || !language_is_utf8() ? GLYPHS_ASCII
               : screen_is_console(w.screen)   ? GLYPHS_CONSOLE
                                               : GLYPHS_FULL;
    player_init(&w.player, s, o->free);
    ok = loop(&w, err);
    player_done(&w.player);
    screen_close(w.screen);
    canvas_done(&w.canvas);
    return ok ? session_quit(s, err) : false;
}
