/* SPDX-License-Identifier: MIT */
#include "screen/reply.h"

#include <string.h>

#include "base/translate.h"
#include "term/screen.h"

/* The place of a choice or rank; -1: it has none. */
static int
place_of(const struct quiz *q, const json_t *answer)
{
    int number = (int)json_integer_value(answer);

    if (q->kind == QUIZ_RANK && json_is_integer(answer))
        return number;
    for (int i = 0; q->kind == QUIZ_CHOICE && i < q->nitems; i++)
        if (q->shown[i] == number)
            return i;
    return -1;
}

void
reply_begin(struct reply *r, const struct quiz *quiz, const json_t *wrong)
{
    *r = (struct reply){.quiz = quiz, .chosen = -1,
                        .refused = place_of(quiz, wrong)};
    memcpy(r->order, quiz->shown, sizeof r->order);
    prompt_open(&r->prompt, "", NULL);
}

static bool
is_typed(const struct reply *r)
{
    return r->quiz->kind == QUIZ_NUMBER || r->quiz->kind == QUIZ_LABEL;
}

/* The number of choices, of which the last is "I don't know", or of items. */
static int
choices(const struct reply *r)
{
    int n = r->quiz->kind == QUIZ_RANK ? r->quiz->nranks : r->quiz->nitems;

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

/* NULL: "I don't know" */
static json_t *
answer_of(const struct reply *r)
{
    const struct quiz *q = r->quiz;
    json_t *list;

    if (q->kind != QUIZ_ORDER)
        return r->chosen == choices(r) - 1 ? NULL
               : q->kind == QUIZ_RANK      ? json_integer(r->chosen)
                                      : json_integer(q->shown[r->chosen]);
    list = json_array();
    for (int i = 0; i < q->nitems; i++)
        json_array_append_new(list, json_integer(r->order[i]));
    return list;
}

/* An empty line means "I don't know". */
static enum reply_did
enter(struct reply *r, json_t **answer, struct err *err)
{
    *answer = NULL;
    if (!is_typed(r) && r->chosen < 0) {
        err_set(err, "%s", _("choose first, with the arrows or with Tab"));
        return REPLY_REFUSED;
    }
    if (!is_typed(r))
        *answer = answer_of(r);
    else if (r->prompt.typed[strspn(r->prompt.typed, " ")] != '\0' &&
             (*answer = quiz_parse(r->quiz, r->prompt.typed, err)) == NULL)
        return REPLY_REFUSED;
    return REPLY_GIVEN;
}

static enum reply_did
type(struct reply *r, int key)
{
    if (key != SCREEN_KEY_BACKSPACE &&
        (key < ' ' || key >= 0x7f || key == '>')) /* it leads to the run */
        return REPLY_NOTHING;
    if (r->quiz->kind == QUIZ_NUMBER && key != SCREEN_KEY_BACKSPACE &&
        strchr("0123456789.,-eE/", key) == NULL)
        return REPLY_NOTHING;
    prompt_key(&r->prompt, key);
    return REPLY_CHANGED;
}

/* a, b, c, ... and 1, 2, 3, ... choose directly; GPUs are chosen by their
 * number. */
static bool
pick(struct reply *r, int key)
{
    int n = choices(r), at;

    if (r->held)
        return false;
    at = r->quiz->kind == QUIZ_RANK ? key - '0'
         : key >= 'a' && key < 'a' + n ? key - 'a'
                                       : key - '1';
    if (at < 0 || at >= n || at > 9)
        return false;
    r->chosen = at;
    return true;
}

static enum reply_did
choose(struct reply *r, int key)
{
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
        return pick(r, key) ? REPLY_CHANGED : REPLY_NOTHING;
    }
}

enum reply_did
reply_key(struct reply *r, int key, json_t **answer, struct err *err)
{
    *answer = NULL;
    if (key == '?' || (key == 'h' && r->quiz->kind != QUIZ_LABEL)) {
        r->hints += r->hints < r->quiz->nhints;
        return REPLY_CHANGED;
    }
    if (key == SCREEN_KEY_ENTER)
        return enter(r, answer, err);
    return is_typed(r) ? type(r, key) : choose(r, key);
}
