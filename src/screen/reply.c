/* SPDX-License-Identifier: MIT */
#include "screen/reply.h"

#include <string.h>

#include "base/translate.h"
#include "term/screen.h"
#include "text/notation.h"

void
reply_begin(struct reply *r, const struct quiz *quiz, const json_t *wrong)
{
    int number = (int)json_integer_value(wrong);

    *r = (struct reply){.quiz = quiz, .chosen = -1, .refused = -1};
    if ((quiz->kind == QUIZ_RANK || quiz->kind == QUIZ_LINE) &&
        json_is_integer(wrong))
        r->refused = number - (quiz->kind == QUIZ_LINE);
    for (int i = 0; quiz->kind == QUIZ_CHOICE && i < quiz->nitems; i++)
        if (quiz->shown[i] == number)
            r->refused = i;
    memcpy(r->order, quiz->shown, sizeof r->order);
    if (quiz->kind == QUIZ_WIRING)
        wire_begin(&r->wire, &quiz->wiring);
    prompt_open(&r->prompt, "", NULL);
    for (const char *c = quiz->kind == QUIZ_RULE ? json_string_value(wrong)
                                                 : NULL;
         c != NULL && *c != '\0'; c++) /* to be mended */
        prompt_key(&r->prompt, *c);
}

/* Whether a transfer is typed, whose `>` does not lead to the run. */
static bool
is_transfer(const struct reply *r)
{
    return r->quiz->kind == QUIZ_TRANSFER || r->quiz->kind == QUIZ_MEND;
}

static bool
is_typed(const struct reply *r)
{
    return r->quiz->kind == QUIZ_NUMBER || r->quiz->kind == QUIZ_LABEL ||
           r->quiz->kind == QUIZ_RULE || is_transfer(r);
}

/* The number of choices, of which the last is "I don't know", or of items. */
static int
choices(const struct reply *r)
{
    int n = r->quiz->kind == QUIZ_RANK   ? r->quiz->nranks
            : r->quiz->kind == QUIZ_LINE ? r->quiz->nrows
                                         : r->quiz->nitems;

    return r->quiz->kind == QUIZ_ORDER ? n : n + 1;
}

/* Choices wrap around and leave out the wrong one; a held item stops at the
 * ends.  The first key chooses the first or the last, or what is beside a wrong
 * choice. */
static void
move(struct reply *r, int by)
{
    int n = choices(r), from = r->chosen >= 0    ? r->chosen
                               : r->refused >= 0 ? r->refused
                               : by < 0          ? 0
                                                 : -1;
    int to = from + by;

    if (r->held && to >= 0 && to < n) {
        int item = r->order[r->chosen];
        r->order[r->chosen] = r->order[to];
        r->order[to] = item;
    }
    if (r->refused >= 0 && (to + n) % n == r->refused)
        to += by;
    if (!r->held || (to >= 0 && to < n))
        r->chosen = (to + n) % n;
}

/* An empty line means "I don't know", as the last choice does, but only when
 * Enter is pressed twice. */
static enum reply_did
enter(struct reply *r, json_t **answer, struct err *err)
{
    const struct quiz *q = r->quiz;

    if (is_typed(r)) {
        bool again = r->empty;
        r->empty = r->prompt.typed[strspn(r->prompt.typed, " ")] == '\0';
        if (r->empty && !again)
            err_set(err, "%s", _("Enter again: show me the answer"));
        if (r->empty ? !again
                     : (*answer = quiz_parse(q, r->prompt.typed, err)) == NULL)
            return REPLY_REFUSED;
    } else if (r->chosen < 0) {
        err_set(err, "%s", _("choose first, with the arrows or with Tab"));
        return REPLY_REFUSED;
    } else if (q->kind == QUIZ_ORDER) {
        *answer = json_array();
        for (int i = 0; i < q->nitems; i++)
            json_array_append_new(*answer, json_integer(r->order[i]));
    } else if (r->chosen < choices(r) - 1) {
        *answer = json_integer(q->kind == QUIZ_RANK   ? r->chosen
                               : q->kind == QUIZ_LINE ? r->chosen + 1
                                                      : q->shown[r->chosen]);
    }
    return REPLY_GIVEN;
}

void
reply_places(struct reply *r, const struct schedule *s)
{
    struct prompt_history *all = &r->places;
    struct buf text = {0};
    size_t count;

    *all = (struct prompt_history){.count = 0};
    for (int step = s->nsteps; step > 0; step--) {
        const struct transfer *t = schedule_transfers(s, step, &count);
        while (count-- > 0) {
            buf_clear(&text);
            change_place_add(&(struct change_place){step, t[count].src,
                                                    t[count].dst}, &text);
            prompt_remember(all, buf_text(&text));
        }
    }
    buf_done(&text);
    prompt_open(&r->prompt, "", all);
}

static enum reply_did
type(struct reply *r, int key)
{
    bool places = r->quiz->kind == QUIZ_TRANSFER;

    if (places && (key == SCREEN_KEY_UP || key == SCREEN_KEY_DOWN)) {
        prompt_key(&r->prompt, key == SCREEN_KEY_UP ? SCREEN_KEY_DOWN
                                                    : SCREEN_KEY_UP);
        return REPLY_CHANGED;
    }
    if (!prompt_edits(key) &&
        (key < ' ' || key >= 0x7f ||
         (key == '>' && r->quiz->kind != QUIZ_RULE && !is_transfer(r))))
        return REPLY_NOTHING;
    if (r->quiz->kind == QUIZ_NUMBER && !prompt_edits(key) &&
        strchr("0123456789.,-eE/", key) == NULL)
        return REPLY_NOTHING;
    prompt_key(&r->prompt, key);
    return REPLY_CHANGED;
}

/* a, b, c, ... and 1, 2, 3, ... choose directly; GPUs are chosen by their
 * number. */
static enum reply_did
choose(struct reply *r, int key)
{
    int n = choices(r), at = r->quiz->kind == QUIZ_RANK    ? key - '0'
                             : key >= 'a' && key < 'a' + n ? key - 'a'
                                                           : key - '1';

    switch (key) {
    case SCREEN_KEY_LEFT:
    case SCREEN_KEY_UP:
    case SCREEN_KEY_BACKTAB:
    case 'k':
        move(r, -1);
        return REPLY_CHANGED;
    case SCREEN_KEY_RIGHT:
    case SCREEN_KEY_DOWN:
    case '\t':
    case 'j':
        move(r, 1);
        return REPLY_CHANGED;
    case ' ':
        if (r->quiz->kind != QUIZ_ORDER || r->chosen < 0)
            return REPLY_NOTHING;
        r->held = !r->held;
        return REPLY_CHANGED;
    default:
        if (r->held || at < 0 || at >= n || at > 9)
            return REPLY_NOTHING;
        r->chosen = at;
        return REPLY_CHANGED;
    }
}

/* Enter hands in what keeps the promise; before that, pressed twice, it gives
 * up. */
static enum reply_did
hand_in(struct reply *r, json_t **answer, struct err *err)
{
    bool again = r->empty;

    if (r->keeps) {
        *answer = wiring_answer(r->wire.world->schedule);
        return REPLY_GIVEN;
    }
    r->empty = true;
    if (again)
        return REPLY_GIVEN;
    err_set(err, "%s", _("this step has no transfer yet; Enter again: show me "
                         "one way"));
    return REPLY_REFUSED;
}

static enum reply_did
wire(struct reply *r, enum wire_did did, json_t **answer, struct err *err)
{
    static const enum reply_did as[] = {
        [WIRE_NOTHING] = REPLY_NOTHING, [WIRE_CHANGED] = REPLY_CHANGED,
        [WIRE_STEP] = REPLY_STEP, [WIRE_BACK] = REPLY_UNDO,
        [WIRE_REFUSED] = REPLY_REFUSED};

    return did == WIRE_DONE ? hand_in(r, answer, err) : as[did];
}

enum reply_did
reply_click(struct reply *r, int rank, int slot, struct err *err)
{
    const struct quiz *q = r->quiz;

    if (q->kind == QUIZ_WIRING)
        return wire(r, wire_click(&r->wire, rank, slot, err), NULL, err);
    if (q->kind != QUIZ_RANK || rank >= q->nranks)
        return REPLY_NOTHING;
    r->chosen = rank;
    return REPLY_CHANGED;
}

enum reply_did
reply_key(struct reply *r, int key, json_t **answer, struct err *err)
{
    *answer = NULL;
    r->empty = r->empty && key == SCREEN_KEY_ENTER;
    if (key == '?' || (key == 'h' && r->quiz->kind != QUIZ_LABEL &&
                       r->quiz->kind != QUIZ_WIRING &&
                       r->quiz->kind != QUIZ_RULE && !is_transfer(r))) {
        r->hints += r->hints < r->quiz->nhints;
        return REPLY_CHANGED;
    }
    if (r->quiz->kind == QUIZ_WIRING)
        return wire(r, wire_key(&r->wire, &r->prompt, key, err), answer, err);
    if (key == SCREEN_KEY_ENTER)
        return enter(r, answer, err);
    return is_typed(r) ? type(r, key) : choose(r, key);
}
