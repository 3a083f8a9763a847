/* SPDX-License-Identifier: MIT */
/* Answers that are typed in one line: numbers, labels, places in a run, changes
 * that mend it, and rules. */
#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "screen/lesson_panel.h"
#include "term/screen.h"
#include "text/notation.h"

/* Every place in the schedule is a line that Down and Up type. */
static void
add_places(struct prompt_history *all, const struct schedule *s)
{
    OWN(buf) text = {0};
    size_t count;

    for (int step = s->nsteps; step > 0; step--) {
        const struct transfer *t = schedule_transfers(s, step, &count);
        while (count-- > 0) {
            buf_clear(&text);
            change_place_add(&(struct change_place){step, t[count].src,
                                                    t[count].dst}, &text);
            prompt_remember(all, buf_text(&text));
        }
    }
}

static void
transfer_begin(struct answer *a)
{
    if (a->seen->picture.shown >= 0)
        add_places(&a->places, picture_world(&a->seen->picture)->schedule);
    prompt_open(&a->prompt, "", &a->places);
}

/* A rule that was wrong is there to be mended. */
static void
rule_begin(struct answer *a)
{
    const char *wrong = json_string_value(a->question->first);

    for (; wrong != NULL && *wrong != '\0'; wrong++)
        prompt_key(&a->prompt, *wrong);
}

enum answer_did
answer_type(struct answer *a, int key)
{
    bool signs = answer_face(a)->keys & (KEY(PLACE) | KEY(WIRE));
    char *typed = a->prompt.typed;
    OWN(buf) narrow = {0};

    if (!prompt_edits(key) &&
        (key < ' ' || key == 0x7f || key > 0xff || (key == '>' && !signs)))
        return ANSWER_NOTHING;
    prompt_key(&a->prompt, key);
    utf8_add_narrow(&narrow, typed);
    if (strcmp(buf_text(&narrow), typed) != 0 && narrow.length < PROMPT_MAX) {
        memcpy(typed, buf_text(&narrow), narrow.length + 1);
        prompt_key(&a->prompt, 0); /* to be shown */
    }
    return ANSWER_CHANGED;
}

/* An empty line means "I don't know", but only when Enter is pressed twice. */
static enum answer_did
typed_key(struct answer *a, int key, json_t **given, struct err *err)
{
    bool again = a->empty;

    if (key != SCREEN_KEY_ENTER)
        return answer_type(a, key);
    a->empty = a->prompt.typed[strspn(a->prompt.typed, " ")] == '\0';
    if (!a->empty)
        *given = question_parse(a->question, a->prompt.typed, err);
    else if (!again)
        err_set(err, "%s", a->seen->how.examines
                               ? _("Enter once more: no answer")
                               : _("Enter again: show me the answer"));
    return *given != NULL || (a->empty && again) ? ANSWER_GIVEN
                                                 : ANSWER_REFUSED;
}

/* Down goes through the places from the first one. */
static enum answer_did
transfer_key(struct answer *a, int key, json_t **given, struct err *err)
{
    if (key != SCREEN_KEY_UP && key != SCREEN_KEY_DOWN)
        return typed_key(a, key, given, err);
    prompt_key(&a->prompt, key == SCREEN_KEY_UP ? SCREEN_KEY_DOWN
                                                : SCREEN_KEY_UP);
    return ANSWER_CHANGED;
}

/* Shows the step of the place, and its receiver. */
static int
transfer_moved(const struct answer *a)
{
    const struct question *q = a->question;
    struct notation n = {.nranks = q->nranks, .nsteps = q->nsteps};
    struct change_place place;
    struct err ignored;

    if (!change_place_read(&n, a->prompt.typed, &place, &ignored))
        return -1;
    if (place.step <= world_complete_steps(picture_world(&a->seen->picture)))
        player_go(tutor_player(a->tutor), place.step);
    return place.dst;
}

static void
typed_fill(const struct answer *a, struct lesson_panel *p)
{
    const struct question_kind *kind = question_kind(a->question);

    p->panel.typed = a->prompt.text + 1; /* skips the label's blank */
    if (kind->explain == NULL)
        return;
    buf_clear(&p->closing);
    kind->explain(a->question, &p->closing);
    p->panel.closing = buf_text(&p->closing);
}

const struct question_face face_number = {
    .keys = KEY(NUMBER), .key = typed_key, .fill = typed_fill};

const struct question_face face_label = {
    .keys = KEY(LABEL), .key = typed_key, .fill = typed_fill};

const struct question_face face_transfer = {
    .keys = KEY(LABEL) | KEY(PLACE), .begin = transfer_begin,
    .key = transfer_key, .fill = typed_fill, .moved = transfer_moved};

const struct question_face face_mend = {
    .keys = KEY(LABEL) | KEY(PLACE), .key = typed_key, .fill = typed_fill};

const struct question_face face_rule = {
    .keys = KEY(LABEL) | KEY(PLACE), .begin = rule_begin, .key = typed_key,
    .fill = typed_fill};
