/* SPDX-License-Identifier: MIT */
/* Answers that are chosen: one of several choices, a GPU or a line, after which
 * comes "I don't know"; and items that are put in order. */
#include <stdio.h>
#include <string.h>

#include "base/bounds.h"
#include "base/translate.h"
#include "screen/lesson_panel.h"
#include "term/screen.h"

/* What a choice counts as, by its place. */
static int
value_chosen(const struct answer *a, int i)
{
    return a->question->nitems > 0 ? a->question->shown[i] : a->first + i;
}

static void
begin_choosing(struct answer *a, int choices, int first)
{
    const json_t *wrong = a->question->first;

    a->choices = choices;
    a->first = first;
    for (int i = 0; json_is_integer(wrong) && i < choices - 1; i++)
        if (value_chosen(a, i) == json_integer_value(wrong))
            a->refused = i;
}

static void
choice_begin(struct answer *a)
{
    begin_choosing(a, a->question->nitems + 1, 1);
}

static void
rank_begin(struct answer *a)
{
    begin_choosing(a, a->question->nranks + 1, 0);
}

static void
line_begin(struct answer *a)
{
    begin_choosing(a, a->question->nrows + 1, 1);
}

static void
order_begin(struct answer *a)
{
    begin_choosing(a, a->question->nitems, 1);
    memcpy(a->order, a->question->shown, sizeof a->order);
}

/* Choices wrap around and leave out the wrong one; a held item stops at the
 * ends.  The first key chooses the first or the last, or what is beside a wrong
 * choice. */
static void
move_choice(struct answer *a, int by)
{
    int n = a->choices, from = a->chosen >= 0    ? a->chosen
                                     : a->refused >= 0 ? a->refused
                                     : by < 0          ? 0
                                                       : -1;
    int to = from + by;

    if (a->held && to >= 0 && to < n) {
        int item = a->order[a->chosen];
        a->order[a->chosen] = a->order[to];
        a->order[to] = item;
    }
    if (a->refused >= 0 && (to + n) % n == a->refused)
        to += by;
    if (!a->held || (to >= 0 && to < n))
        a->chosen = (to + n) % n;
}

/* a, b, c, ... and 1, 2, 3, ... choose directly; GPUs are chosen by their
 * number. */
static enum answer_did
choose_key(struct answer *a, int key, json_t **given, struct err *err)
{
    int n = a->choices;
    int at = a->first == 1 && key >= 'a' && key < 'a' + n
                 ? key - 'a'
                 : key - '0' - a->first;

    switch (key) {
    case SCREEN_KEY_LEFT:
    case SCREEN_KEY_UP:
    case SCREEN_KEY_BACKTAB:
    case 'k':
        move_choice(a, -1);
        return ANSWER_CHANGED;
    case SCREEN_KEY_RIGHT:
    case SCREEN_KEY_DOWN:
    case '\t':
    case 'j':
        move_choice(a, 1);
        return ANSWER_CHANGED;
    case SCREEN_KEY_ENTER:
        if (a->chosen >= 0 && a->chosen < n - 1)
            *given = json_integer(value_chosen(a, a->chosen));
        if (a->chosen >= 0)
            return ANSWER_GIVEN;
        err_set(err, "%s", _("choose first, with the arrows or with Tab"));
        return ANSWER_REFUSED;
    default:
        if (a->held || at < 0 || at >= n || at > 9)
            return ANSWER_NOTHING;
        a->chosen = at;
        return ANSWER_CHANGED;
    }
}

static enum answer_did
order_key(struct answer *a, int key, json_t **given, struct err *err)
{
    if (a->chosen < 0 || (key != ' ' && key != SCREEN_KEY_ENTER))
        return choose_key(a, key, given, err);
    if (key == ' ') {
        a->held = !a->held;
        return ANSWER_CHANGED;
    }
    *given = json_array();
    for (int i = 0; i < a->question->nitems; i++)
        json_array_append_new(*given, json_integer(a->order[i]));
    return ANSWER_GIVEN;
}

static enum answer_did
rank_click(struct answer *a, int rank, int slot, struct err *err)
{
    (void)slot;
    (void)err;
    if (rank >= a->question->nranks)
        return ANSWER_NOTHING;
    a->chosen = rank;
    return ANSWER_CHANGED;
}

static void
choice_fill(const struct answer *a, struct lesson_panel *p)
{
    p->panel.chosen = a->chosen;
    p->panel.refused = a->refused;
    lesson_panel_add_items(p, a->question, a->question->shown);
    lesson_panel_add_item(p, _(answer_not_known(a)));
}

static void
order_fill(const struct answer *a, struct lesson_panel *p)
{
    p->panel.chosen = a->chosen;
    p->panel.held = a->held;
    lesson_panel_add_items(p, a->question, a->order);
}

static void
line_fill(const struct answer *a, struct lesson_panel *p)
{
    p->panel.row = a->chosen < a->question->nrows ? a->chosen + 1 : 0;
    p->panel.refused_row = a->refused + 1;
    p->panel.chosen = a->chosen - a->question->nrows;
    lesson_panel_add_item(p, _(answer_not_known(a)));
}

/* Shows the ranks around the chosen one.  After the last rank comes the answer
 * that the learner does not know. */
static void
rank_fill(const struct answer *a, struct lesson_panel *p)
{
    int nranks = a->question->nranks, last = nranks + 1 - PANEL_RANKS;
    int first = (a->chosen < 0 ? a->refused : a->chosen) - PANEL_RANKS / 2;

    first = within(first, 0, last);
    for (int i = 0; i < PANEL_RANKS && first + i <= nranks; i++) {
        snprintf(p->ranks[i].text, sizeof p->ranks[i].text, _("GPU %d"),
                 first + i);
        lesson_panel_add_item(p, first + i < nranks
                                     ? p->ranks[i].text
                                     : _(answer_not_known(a)));
    }
    p->panel.chosen = a->chosen - first;
    p->panel.refused = a->refused < 0 ? -1 : a->refused - first;
}

static void
rank_scene(struct answer *a, struct scene *s)
{
    if (a->chosen >= 0)
        s->selected = a->chosen;
}

const struct question_face face_choice = {
    .keys = KEY(CHOICE), .begin = choice_begin, .key = choose_key,
    .fill = choice_fill};

const struct question_face face_rank = {
    .keys = KEY(CHOICE), .begin = rank_begin, .key = choose_key,
    .click = rank_click, .fill = rank_fill,
    .scene = rank_scene};

const struct question_face face_line = {
    .keys = KEY(CHOICE), .begin = line_begin, .key = choose_key,
    .fill = line_fill};

const struct question_face face_order = {
    .keys = KEY(CHOICE) | KEY(ORDER), .begin = order_begin,
    .key = order_key, .fill = order_fill};
