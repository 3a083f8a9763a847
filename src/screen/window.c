/* SPDX-License-Identifier: MIT */
#include "screen/window.h"

#include <string.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/language.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/waiter.h"
#include "view/frame.h"
#include "web/serve.h"

enum { MARGIN = 1 }; /* columns beside a notice */
enum {
    FRAME_NS = 1000000000 / 60,
    BEHIND_NS = 1000000000 / 10, /* between frames while keys wait */
    COMPUTING_NS = 1000000000 / 4, /* until it is said, and said again */
};

/* Drawing. */

/* Makes the canvas as large as the screen.  If it was not, it is empty then. */
static void
fit_canvas(struct window *w)
{
    const struct screen_facts *facts = screen_facts(w->screen);

    if (facts->columns != w->canvas.columns || facts->rows != w->canvas.rows)
        canvas_resize(&w->canvas, facts->columns, facts->rows);
}

static void
draw_notice(struct window *w, const char *text, bool alarm)
{
    frame_notice(text, alarm, &w->canvas,
                 (struct rect){MARGIN, 0, w->canvas.columns - 2 * MARGIN,
                               w->canvas.rows - 1});
}

/* Says below the help where browsers follow. */
static void
draw_address(struct window *w)
{
    struct serve *serve = screen_facts(w->screen)->serve;
    OWN(buf) text = {0};

    if (serve == NULL)
        return;
    serve_announce(serve, false, &text);
    draw_notice(w, buf_text(&text), false);
}

static void
draw_frame(struct window *w)
{
    struct serve *serve = screen_facts(w->screen)->serve;
    struct help help;

    fit_canvas(w);
    w->drawn_ns = clock_ns();
    w->stale = false;
    if (!w->kind->draw(w->self, &w->canvas))
        return;
    if (window_notice(w) != NULL)
        draw_notice(w, w->notice.text, w->alarm);
    if (w->prompt.open)
        keys_draw_prompt(w->prompt.text, &w->canvas, w->canvas.rows - 1);
    if (w->help > 0) {
        help = w->kind->help(w->self, &w->canvas);
        help_draw(&help, w->help, &w->canvas);
        draw_address(w);
    }
    w->blocked = !screen_draw(w->screen, &w->canvas);
    w->stale = w->blocked;
    w->hurry = w->hurry && w->blocked;
    if (serve != NULL)
        serve_show(serve, &w->canvas);
    w->drawn_ns = clock_ns();
}

void
window_hurry(struct window *w)
{
    w->stale = w->hurry = true;
}

void
window_notify(struct window *w, bool alarm, const char *format, ...)
{
    /* not err_set(), which escapes the newlines of a hint */
    char *end = w->notice.text + sizeof w->notice.text - 1;
    va_list args;

    va_start(args, format);
    if (vsnprintf(w->notice.text, sizeof w->notice.text, format, args) >=
        (int)sizeof w->notice.text) {
        while (((unsigned char)*--end & 0xc0) == 0x80)
            ;
        *end = '\0'; /* it is cut before a character */
    }
    va_end(args);
    w->alarm = alarm;
}

int
window_notice_rows(const struct window *w)
{
    struct rect area = {.width = w->canvas.columns - 2 * MARGIN,
                        .height = w->canvas.rows};

    return window_notice(w) == NULL
               ? 0 : frame_notice(w->notice.text, w->alarm, NULL, area);
}

const char *
window_notice(const struct window *w)
{
    return w->notice.text[0] != '\0' ? w->notice.text : NULL;
}

void
window_answer(struct window *w, int request)
{
    if (request == DO_HELP)
        w->help = 1;
    w->over |= request == DO_QUIT;
}

void
window_busy(struct window *w, const char *text)
{
    window_notify(w, false, "%s", text);
    draw_frame(w);
    w->notice.text[0] = '\0';
    window_hurry(w);
}

/* What takes long. */

/* It is over the frame as that is, because the window is in the middle of
 * something.  In a terminal of another size it stands alone. */
static void
draw_computing(struct window *w, const char *what, int64_t now)
{
    OWN(buf) text = {0};

    buf_addf(&text, _("%1$s: %2$d s ...  Esc stops it"), what,
             (int)((now - w->computing_ns) / 1000000000));
    fit_canvas(w);
    draw_notice(w, buf_text(&text), false);
    w->blocked = !screen_draw(w->screen, &w->canvas);
    w->drawn_ns = now;
}

/* A click on a key of the canvas is that key. */
static struct pressed
pressed_now(const struct window *w, int key)
{
    struct pressed p = {.key = key};

    if (key == SCREEN_KEY_CLICK)
        p.hit = canvas_target_at(&w->canvas, screen_facts(w->screen)->pointed);
    if (key == SCREEN_KEY_CLICK && p.hit.kind == TARGET_KEY)
        p.key = p.hit.number;
    return p;
}

/* Keeps a key for later.  If there is no room, it takes the place of the last
 * one, so that q is never lost. */
static void
keep_key(struct window *w, struct pressed p)
{
    enum { MOST = sizeof w->ahead / sizeof w->ahead[0] };

    w->nahead = least(w->nahead, MOST - 1);
    w->ahead[w->nahead++] = p;
}

/* As struct waiter has it.  What is over soon takes no keys. */
static bool
wait_in_window(void *self, const char *what, int fd, int64_t until)
{
    struct window *w = self;
    int64_t now = clock_ns(), look = now + COMPUTING_NS;
    enum screen_event event;
    struct pressed p;
    int key, ms;

    if (w->stopped != 0) /* something else of the same request was */
        return false;
    if (w->computing_ns == 0)
        w->computing_ns = now;
    if (fd < 0 && now - w->computing_ns < COMPUTING_NS)
        return true;
    if (now - w->computing_ns >= COMPUTING_NS && !w->blocked &&
        now - w->drawn_ns >= COMPUTING_NS)
        draw_computing(w, what, now);
    ms = fd < 0 ? 0 : (int)(((look < until ? look : until) - now) / 1000000);
    event = screen_wait(w->screen, fd, ms > 0 ? ms : 0, &key);
    w->blocked = w->blocked && event != SCREEN_READY;
    if (event != SCREEN_KEY)
        return event != SCREEN_SIGNAL;
    p = pressed_now(w, key);
    w->stopped = p.key == SCREEN_KEY_ESCAPE || p.key == 'q' ? p.key : 0;
    if (p.key != SCREEN_KEY_ESCAPE && p.key < SCREEN_KEY_PASTED)
        keep_key(w, p);
    return w->stopped == 0;
}

/* Lines that are typed. */

void
window_ask(struct window *w, const struct ask *question,
           struct prompt_history *history)
{
    w->question = question;
    w->history = history;
    w->replaced[0] = '\0';
    prompt_open(&w->prompt, _(question->label), history);
    if (question->hint[0] != '\0')
        window_notify(w, false, "%s", _(question->hint));
}

/* Goes on with the last word as far as that is clear, and lists the words that
 * it may become. */
static void
complete_word(struct window *w)
{
    enum { LISTED_MOST = 15 };
    struct completion c;
    OWN(buf) list = {0};

    w->question->complete(w->prompt.typed, &c);
    prompt_complete(&w->prompt, c.from, c.words, c.count);
    for (size_t i = 0; i < c.count && c.count > 1 && i < LISTED_MOST; i++)
        buf_addf(&list, "%s  ", c.words[i]);
    buf_puts(&list, c.count > LISTED_MOST ? "..." : "");
    window_notify(w, false, "%s", buf_text(&list));
    completion_done(&c);
}

static void
type_key(struct window *w, int key)
{
    struct prompt *p = &w->prompt;
    enum prompt_answer did;
    struct err err;

    if (key == '\t' && w->question->complete != NULL) {
        complete_word(w);
        return;
    }
    did = prompt_key(p, key);
    if (did == PROMPT_LEFT || did == PROMPT_ENTERED)
        w->notice.text[0] = '\0';
    if (did != PROMPT_ENTERED)
        return;
    p->open = p->typed[0] != '\0' &&
              !w->question->enter(w->self, p->typed, &err);
    if (p->open) {
        window_notify(w, true, "%s", err.text);
        p->open = w->stopped != 'q'; /* which is for the window */
    } else if (w->history != NULL && p->typed[0] != '\0') {
        prompt_remember(w->history, p->typed);
    }
}

/* The loop. */

/* An open prompt or the help takes the key first.  A pasted text is in no table
 * of keys: only lines that are typed take it. */
static bool
press_key(struct window *w, struct pressed p, struct err *err)
{
    struct help help = {.on = w->kind->on};
    int key = p.key;

    w->hit = p.hit;
    w->key = key;
    if (w->prompt.open) {
        type_key(w, key);
        return true;
    }
    if (key >= SCREEN_KEY_PASTED && w->help > 0)
        return true;
    w->notice.text[0] = '\0';
    if (w->kind->help != NULL)
        help = w->kind->help(w->self, &w->canvas);
    if (w->help > 0) {
        w->help = help_after(&help, w->help, key, w->canvas.columns,
                             w->canvas.rows);
        return true;
    }
    return w->kind->request(w->self, keys_request(help.on, help.state, key),
                            err);
}

/* Waits for an event and handles it. */
static bool
handle_event(struct window *w, struct err *err)
{
    struct pause pause = {.due_ns = INT64_MAX, .fd = -1};
    int64_t now = clock_ns(), frame = w->drawn_ns + FRAME_NS;
    enum screen_event event;
    struct pressed pressed;
    int key, ms;

    if (w->kind->pause != NULL)
        pause = w->kind->pause(w->self, now);
    /* If the terminal is blocked, screen_wait() returns when it accepts output
     * again. */
    pause.moves &= w->canvas.moves;
    if ((w->stale || pause.moves) && !w->blocked && frame < pause.due_ns)
        pause.due_ns = frame;
    ms = pause.due_ns == INT64_MAX ? -1
         : pause.due_ns <= now     ? 0
                                   : (int)((pause.due_ns - now) / 1000000) + 1;
    if (w->nahead > 0) {
        event = SCREEN_KEY;
        pressed = w->ahead[0];
        memmove(w->ahead, w->ahead + 1,
                (size_t)--w->nahead * sizeof w->ahead[0]);
    } else {
        event = screen_wait(w->screen, pause.fd, ms, &key);
        if (event == SCREEN_KEY)
            pressed = pressed_now(w, key);
    }
    w->stale = true;
    switch (event) {
    case SCREEN_READY:
        w->blocked = false;
        return true;
    case SCREEN_SIGNAL:
        w->over = true;
        return true;
    case SCREEN_KEY:
        w->hurry = true;
        return press_key(w, pressed, err);
    default:
        return true;
    }
}

static bool
run_act(struct window *w, struct err *err)
{
    const struct window_kind *kind = w->kind;
    struct serve *serve = screen_facts(w->screen)->serve;
    OWN(buf) address = {0};
    int64_t since;

    if (kind->start != NULL) {
        draw_frame(w);
        if (!kind->start(w->self, err))
            return w->stopped != 0;
        w->computing_ns = 0;
        w->stopped = 0;
    }
    if (serve != NULL && window_notice(w) == NULL &&
        serve_announce(serve, true, &address))
        window_notify(w, false, "%s", buf_text(&address));
    window_hurry(w);
    while (!w->over && signals_ending() == 0) {
        w->computing_ns = 0;
        w->stopped = 0;
        if (kind->advance != NULL && !kind->advance(w->self, clock_ns(), err))
            return w->stopped != 0; /* what cannot do without ends */
        if (w->over)
            return true;
        since = clock_ns() - w->drawn_ns;
        if (!w->blocked && (screen_has_key(w->screen)
                                ? since >= BEHIND_NS
                                : since >= FRAME_NS || w->hurry))
            draw_frame(w);
        w->computing_ns = 0;
        if (!handle_event(w, err))
            return w->stopped != 0;
    }
    return true;
}

enum glyph_set
window_glyphs(const struct screen *screen, bool ascii)
{
    return ascii || !language_is_utf8()     ? GLYPHS_ASCII
           : screen_facts(screen)->console ? GLYPHS_CONSOLE
                                            : GLYPHS_FULL;
}

bool
window_run(struct window *w, struct screen *screen, bool ascii,
           const struct window_kind *kind, void *self, struct err *err)
{
    const struct waiter waiter = {wait_in_window, w}, *before;
    bool ok;

    w->screen = screen;
    if (screen == NULL && !screen_open(&w->screen, err))
        return false;
    w->kind = kind;
    w->self = self;
    w->canvas.accent = kind->accent;
    w->canvas.glyphs = window_glyphs(w->screen, ascii);
    w->canvas.colourless = screen_facts(w->screen)->colourless;
    before = waiter_use(&waiter);
    /* a signal may come before the screen */
    ok = signals_ending() != 0 || run_act(w, err);
    waiter_use(before);
    canvas_done(&w->canvas);
    if (screen == NULL)
        screen_close(w->screen);
    return ok;
}
