/* SPDX-License-Identifier: MIT */
#include "screen/stage.h"

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
fit_canvas(struct stage *s)
{
    const struct screen_facts *facts = screen_facts(s->screen);

    if (facts->columns != s->canvas.columns || facts->rows != s->canvas.rows)
        canvas_resize(&s->canvas, facts->columns, facts->rows);
}

static void
draw_notice(struct stage *s, const char *text, bool alarm)
{
    frame_notice(text, alarm, &s->canvas,
                 (struct rect){MARGIN, 0, s->canvas.columns - 2 * MARGIN,
                               s->canvas.rows - 1});
}

/* Says below the help where browsers follow. */
static void
draw_address(struct stage *s)
{
    struct serve *serve = screen_facts(s->screen)->serve;
    OWN(buf) text = {0};

    if (serve == NULL)
        return;
    serve_announce(serve, false, &text);
    draw_notice(s, buf_text(&text), false);
}

static void
draw_frame(struct stage *s)
{
    struct serve *serve = screen_facts(s->screen)->serve;
    struct help help;

    fit_canvas(s);
    s->drawn_ns = clock_ns();
    s->stale = false;
    if (!s->act->draw(s->self, &s->canvas))
        return;
    if (stage_notice(s) != NULL)
        draw_notice(s, s->notice.text, s->alarm);
    if (s->prompt.open)
        keys_draw_prompt(s->prompt.text, &s->canvas, s->canvas.rows - 1);
    if (s->help > 0) {
        help = s->act->help(s->self, &s->canvas);
        help_draw(&help, s->help, &s->canvas);
        draw_address(s);
    }
    s->blocked = !screen_draw(s->screen, &s->canvas);
    s->stale = s->blocked;
    s->hurry = s->hurry && s->blocked;
    if (serve != NULL)
        serve_show(serve, &s->canvas);
    s->drawn_ns = clock_ns();
}

void
stage_hurry(struct stage *s)
{
    s->stale = s->hurry = true;
}

void
stage_notify(struct stage *s, bool alarm, const char *format, ...)
{
    /* not err_set(), which escapes the newlines of a hint */
    char *end = s->notice.text + sizeof s->notice.text - 1;
    va_list args;

    va_start(args, format);
    if (vsnprintf(s->notice.text, sizeof s->notice.text, format, args) >=
        (int)sizeof s->notice.text) {
        while (((unsigned char)*--end & 0xc0) == 0x80)
            ;
        *end = '\0'; /* it is cut before a character */
    }
    va_end(args);
    s->alarm = alarm;
}

int
stage_notice_rows(const struct stage *s)
{
    struct rect area = {.width = s->canvas.columns - 2 * MARGIN,
                        .height = s->canvas.rows};

    return stage_notice(s) == NULL
               ? 0 : frame_notice(s->notice.text, s->alarm, NULL, area);
}

const char *
stage_notice(const struct stage *s)
{
    return s->notice.text[0] != '\0' ? s->notice.text : NULL;
}

void
stage_answer(struct stage *s, int request)
{
    if (request == DO_HELP)
        s->help = 1;
    s->over |= request == DO_QUIT;
}

void
stage_busy(struct stage *s, const char *text)
{
    stage_notify(s, false, "%s", text);
    draw_frame(s);
    s->notice.text[0] = '\0';
    stage_hurry(s);
}

/* What takes long. */

/* It is over the frame as that is, because the act is in the middle of
 * something.  In a terminal of another size it stands alone. */
static void
draw_computing(struct stage *s, const char *what, int64_t now)
{
    OWN(buf) text = {0};

    buf_addf(&text, _("%1$s: %2$d s ...  Esc stops it"), what,
             (int)((now - s->computing_ns) / 1000000000));
    fit_canvas(s);
    draw_notice(s, buf_text(&text), false);
    s->blocked = !screen_draw(s->screen, &s->canvas);
    s->drawn_ns = now;
}

/* A click on a key of the canvas is that key. */
static struct pressed
pressed_now(const struct stage *s, int key)
{
    struct pressed p = {.key = key};

    if (key == SCREEN_KEY_CLICK)
        p.hit = canvas_target_at(&s->canvas, screen_facts(s->screen)->pointed);
    if (key == SCREEN_KEY_CLICK && p.hit.kind == TARGET_KEY)
        p.key = p.hit.number;
    return p;
}

/* Keeps a key for later.  If there is no room, it takes the place of the last
 * one, so that q is never lost. */
static void
keep_key(struct stage *s, struct pressed p)
{
    enum { MOST = sizeof s->ahead / sizeof s->ahead[0] };

    s->nahead = least(s->nahead, MOST - 1);
    s->ahead[s->nahead++] = p;
}

/* As struct waiter has it.  What is over soon takes no keys. */
static bool
wait_on_stage(void *self, const char *what, int fd, int64_t until)
{
    struct stage *s = self;
    int64_t now = clock_ns(), look = now + COMPUTING_NS;
    enum screen_event event;
    struct pressed p;
    int key, ms;

    if (s->stopped != 0) /* something else of the same act was */
        return false;
    if (s->computing_ns == 0)
        s->computing_ns = now;
    if (fd < 0 && now - s->computing_ns < COMPUTING_NS)
        return true;
    if (now - s->computing_ns >= COMPUTING_NS && !s->blocked &&
        now - s->drawn_ns >= COMPUTING_NS)
        draw_computing(s, what, now);
    ms = fd < 0 ? 0 : (int)(((look < until ? look : until) - now) / 1000000);
    event = screen_wait(s->screen, fd, ms > 0 ? ms : 0, &key);
    s->blocked = s->blocked && event != SCREEN_READY;
    if (event != SCREEN_KEY)
        return event != SCREEN_SIGNAL;
    p = pressed_now(s, key);
    s->stopped = p.key == SCREEN_KEY_ESCAPE || p.key == 'q' ? p.key : 0;
    if (p.key != SCREEN_KEY_ESCAPE)
        keep_key(s, p);
    return s->stopped == 0;
}

/* Lines that are typed. */

void
stage_ask(struct stage *s, const struct ask *question,
          struct prompt_history *history)
{
    s->question = question;
    s->history = history;
    s->replaced[0] = '\0';
    prompt_open(&s->prompt, _(question->label), history);
    if (question->hint[0] != '\0')
        stage_notify(s, false, "%s", _(question->hint));
}

/* Goes on with the last word as far as that is clear, and lists the words that
 * it may become. */
static void
complete_word(struct stage *s)
{
    enum { LISTED_MOST = 15 };
    struct completion c;
    OWN(buf) list = {0};

    s->question->complete(s->prompt.typed, &c);
    prompt_complete(&s->prompt, c.from, c.words, c.count);
    for (size_t i = 0; i < c.count && c.count > 1 && i < LISTED_MOST; i++)
        buf_addf(&list, "%s  ", c.words[i]);
    buf_puts(&list, c.count > LISTED_MOST ? "..." : "");
    stage_notify(s, false, "%s", buf_text(&list));
    completion_done(&c);
}

static void
type_key(struct stage *s, int key)
{
    struct prompt *p = &s->prompt;
    enum prompt_answer did;
    struct err err;

    if (key == '\t' && s->question->complete != NULL) {
        complete_word(s);
        return;
    }
    did = prompt_key(p, key);
    if (did == PROMPT_LEFT || did == PROMPT_ENTERED)
        s->notice.text[0] = '\0';
    if (did != PROMPT_ENTERED)
        return;
    p->open = p->typed[0] != '\0' &&
              !s->question->enter(s->self, p->typed, &err);
    if (p->open) {
        stage_notify(s, true, "%s", err.text);
        p->open = s->stopped != 'q'; /* which is for the act */
    } else if (s->history != NULL && p->typed[0] != '\0') {
        prompt_remember(s->history, p->typed);
    }
}

/* The loop. */

/* An open prompt or the help takes the key first. */
static bool
press_key(struct stage *s, struct pressed p, struct err *err)
{
    struct help help = {.on = s->act->on};
    int key = p.key;

    s->hit = p.hit;
    s->key = key;
    if (s->prompt.open) {
        type_key(s, key);
        return true;
    }
    s->notice.text[0] = '\0';
    if (s->act->help != NULL)
        help = s->act->help(s->self, &s->canvas);
    if (s->help > 0) {
        s->help = help_after(&help, s->help, key, s->canvas.columns,
                             s->canvas.rows);
        return true;
    }
    return s->act->request(s->self, keys_request(help.on, help.state, key),
                           err);
}

/* Waits for an event and handles it. */
static bool
handle_event(struct stage *s, struct err *err)
{
    struct pause pause = {.due_ns = INT64_MAX, .fd = -1};
    int64_t now = clock_ns(), frame = s->drawn_ns + FRAME_NS;
    enum screen_event event;
    struct pressed pressed;
    int key, ms;

    if (s->act->pause != NULL)
        pause = s->act->pause(s->self, now);
    /* If the terminal is blocked, screen_wait() returns when it accepts output
     * again. */
    pause.moves &= s->canvas.moves;
    if ((s->stale || pause.moves) && !s->blocked && frame < pause.due_ns)
        pause.due_ns = frame;
    ms = pause.due_ns == INT64_MAX ? -1
         : pause.due_ns <= now     ? 0
                                   : (int)((pause.due_ns - now) / 1000000) + 1;
    if (s->nahead > 0) {
        event = SCREEN_KEY;
        pressed = s->ahead[0];
        memmove(s->ahead, s->ahead + 1,
                (size_t)--s->nahead * sizeof s->ahead[0]);
    } else {
        event = screen_wait(s->screen, pause.fd, ms, &key);
        if (event == SCREEN_KEY)
            pressed = pressed_now(s, key);
    }
    s->stale = true;
    switch (event) {
    case SCREEN_READY:
        s->blocked = false;
        return true;
    case SCREEN_SIGNAL:
        s->over = true;
        return true;
    case SCREEN_KEY:
        s->hurry = true;
        return press_key(s, pressed, err);
    default:
        return true;
    }
}

static bool
run_act(struct stage *s, struct err *err)
{
    const struct act *act = s->act;
    struct serve *serve = screen_facts(s->screen)->serve;
    OWN(buf) address = {0};
    int64_t since;

    if (act->start != NULL) {
        draw_frame(s);
        if (!act->start(s->self, err))
            return s->stopped != 0;
        s->computing_ns = 0;
        s->stopped = 0;
    }
    if (serve != NULL && stage_notice(s) == NULL &&
        serve_announce(serve, true, &address))
        stage_notify(s, false, "%s", buf_text(&address));
    stage_hurry(s);
    while (!s->over && signals_ending() == 0) {
        s->computing_ns = 0;
        s->stopped = 0;
        if (act->advance != NULL && !act->advance(s->self, clock_ns(), err))
            return s->stopped != 0; /* an act that cannot do without ends */
        if (s->over)
            return true;
        since = clock_ns() - s->drawn_ns;
        if (!s->blocked && (screen_has_key(s->screen)
                                ? since >= BEHIND_NS
                                : since >= FRAME_NS || s->hurry))
            draw_frame(s);
        s->computing_ns = 0;
        if (!handle_event(s, err))
            return s->stopped != 0;
    }
    return true;
}

enum glyph_set
stage_glyphs(const struct screen *screen, bool ascii)
{
    return ascii || !language_is_utf8()     ? GLYPHS_ASCII
           : screen_facts(screen)->console ? GLYPHS_CONSOLE
                                            : GLYPHS_FULL;
}

bool
stage_run(struct stage *s, struct screen *screen, bool ascii,
          const struct act *act, void *self, struct err *err)
{
    const struct waiter waiter = {wait_on_stage, s}, *before;
    bool ok;

    s->screen = screen;
    if (screen == NULL && !screen_open(&s->screen, err))
        return false;
    s->act = act;
    s->self = self;
    s->canvas.accent = act->accent;
    s->canvas.glyphs = stage_glyphs(s->screen, ascii);
    s->canvas.colourless = screen_facts(s->screen)->colourless;
    before = waiter_use(&waiter);
    /* a signal may come before the screen */
    ok = signals_ending() != 0 || run_act(s, err);
    waiter_use(before);
    canvas_done(&s->canvas);
    if (screen == NULL)
        screen_close(s->screen);
    return ok;
}
