/* SPDX-License-Identifier: MIT */
#include "tutor/question.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/mix.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "script/script.h"

#define QUESTION_ADDRESS(NAME, name) &kind_##name,
const struct question_kind *const question_kinds[QUIZ_KINDS] = {
    QUESTION_KINDS(QUESTION_ADDRESS)};

/* Without a kind it is one of choices, or of items to be put in order. */
static bool
read_kind(struct question *q, const json_t *with, struct err *err)
{
    const json_t *v = json_object_get(with, "kind");
    const char *name = json_string_value(v);
    OWN(buf) names = {0};

    if (v == NULL || json_is_null(v))
        name = json_is_array(json_object_get(with, "items")) ? "order"
                                                             : "choice";
    for (int i = 0; i < QUIZ_KINDS; i++) {
        const char *kind = question_kinds[i]->name;
        q->kind = (enum quiz_kind)i;
        if (name != NULL && strcmp(kind, name) == 0)
            return true;
        buf_addf(&names, "%s%s", i == 0 ? "" : i + 1 < QUIZ_KINDS ? ", "
                                                                  : " or ",
                 kind);
    }
    return err_set(err, "kind must be %s", buf_text(&names));
}

static json_t *as_answer(const struct question *q, const json_t *said);

/* Reads `wrong`, a list of [answer, text]. */
static bool
read_wrong_lines(struct question *q, const json_t *with, struct err *err)
{
    const json_t *list = json_object_get(with, "wrong"), *pair;
    size_t i;

    if (json_array_size(list) > QUESTION_LINES)
        return err_set(err, "wrong has more than %d lines", QUESTION_LINES);
    if (question_kind(q)->proved && json_array_size(list) > 0)
        return err_set(err, "a %s is judged by the proof: leave out wrong",
                       question_kind(q)->name);
    json_array_foreach(list, i, pair) {
        const char *text = json_string_value(json_array_get(pair, 1));
        json_t *answer = as_answer(q, json_array_get(pair, 0));
        if (answer == NULL || text == NULL) {
            json_decref(answer);
            return err_set(err, "wrong: line %d must be a text, for an answer "
                           "that can be given", (int)i + 1);
        }
        q->lines[q->nlines++] = (struct question_line){answer, text};
    }
    return true;
}

bool
question_read(struct question *q, json_t *with, int nranks, int nslots,
              struct err *err)
{
    const json_t *at = json_object_get(with, "at");
    int64_t rank = -1, slot = -1;

    *q = (struct question){
        .said = json_incref(with), .nranks = nranks, .nslots = nslots,
        .wired = -1,
        .nsteps = q->nsteps, .nrows = q->nrows,
        .predicts = json_is_true(json_object_get(with, "predicts")),
        .reasons = json_is_true(json_object_get(with, "reasons")),
        .within = json_number_value(json_object_get(with, "within"))};
    for (int i = 0; i < QUESTION_ITEMS; i++)
        q->shown[i] = i + 1;
    if (!read_kind(q, with, err) ||
        !script_text(with, "text", false, &q->text, err) ||
        (question_kind(q)->items != NULL &&
         !script_texts(with, question_kind(q)->items, 2,
                       question_kind(q)->most_items, q->items, &q->nitems,
                       err)) ||
        (question_kind(q)->read != NULL &&
         !question_kind(q)->read(q, with, err)) ||
        !script_texts(with, "hints", 0, QUESTION_HINTS, q->hints, &q->nhints,
                      err) ||
        !script_text(with, "why", true, &q->why, err) ||
        !script_text(with, "notes", true, &q->notes, err) ||
        !script_text(with, "unit", true, &q->unit, err))
        return false;
    if (at != NULL && !json_is_null(at) &&
        (!json_at(at, 0, 0, nranks - 1, &rank) ||
         !json_at(at, 1, 0, nslots - 1, &slot)))
        return err_set(err, "at must be { rank, slot } of the run on the "
                       "screen");
    q->rank = (int)rank;
    q->slot = (int)slot;
    if (!read_wrong_lines(q, with, err))
        return false;
    if (q->within < 0 || q->within > 0.5)
        return err_set(err, "within must be a part of the number: 0 to 0.5");
    if (question_kind(q)->of_rows && q->nrows == 0)
        return err_set(err, "kind is %s, but no lines are shown",
                       question_kind(q)->name);
    return !question_kind(q)->of_run || nranks > 0 ||
           err_set(err, "kind is %s, but there is no run on the screen",
                   question_kind(q)->name);
}

void
question_done(struct question *q)
{
    for (int i = 0; i < q->nlines; i++)
        json_decref(q->lines[i].answer);
    json_decref(q->said);
    json_decref(q->first);
    free(q->objection);
    *q = (struct question){0};
}

static void
swap_items(int *a, int *b)
{
    int was = *a;

    *a = *b;
    *b = was;
}

/* Fisher and Yates. */
void
question_shuffle(struct question *q, uint32_t seed)
{
    bool sorted = !question_kind(q)->chooses && q->nitems > 1;

    for (int i = q->nitems - 1; i > 0; i--) {
        seed = mix32(seed + 1);
        swap_items(&q->shown[i], &q->shown[seed % (uint32_t)(i + 1)]);
    }
    for (int i = 0; i < q->nitems; i++)
        sorted = sorted && q->shown[i] == i + 1;
    if (sorted)
        swap_items(&q->shown[0], &q->shown[1]);
}

json_t *
question_integer(const json_t *v, int least, int most)
{
    return json_is_integer(v) && json_integer_value(v) >= least &&
                   json_integer_value(v) <= most
               ? json_deep_copy(v)
               : NULL;
}

bool
question_fits(const struct question *q, const json_t *v)
{
    struct err ignored;
    json_auto_t *form = question_kind(q)->form(q, v, &ignored);

    return form != NULL;
}

/* An answer that the script gives; a new reference.  NULL if it is none. */
static json_t *
as_answer(const struct question *q, const json_t *said)
{
    const struct question_kind *kind = question_kind(q);
    struct err ignored;

    return kind->meant != NULL ? kind->meant(q, said)
                               : kind->form(q, said, &ignored);
}

json_t *
question_truth(const struct question *q, const json_t *said, struct err *err)
{
    const struct question_kind *kind = question_kind(q);
    json_auto_t *truth = as_answer(q, said);
    OWN(buf) text = {0};
    OWN_MEMORY char *given = json_dumps(said, JSON_ENCODE_ANY | JSON_COMPACT);

    if (kind->check_truth != NULL && !kind->check_truth(q, said, err)) {
        err_prefix(err, "answer()");
        return NULL;
    }
    if (truth != NULL && question_line(q, truth) == NULL)
        return json_incref(truth);
    if (truth != NULL) {
        question_answer_text(q, truth, &text);
        err_set(err, "the run says %s, but wrong has a line for it",
                buf_text(&text));
        return NULL;
    }
    buf_puts(&text, given != NULL ? given : "nothing");
    if (kind->chooses)
        err_set(err, "the run says %s, which is none of the choices",
                buf_text(&text));
    else
        err_set(err, "answer() gives %s, but the question needs a %s",
                buf_text(&text), kind->name);
    return NULL;
}

bool
question_is_right(const struct question *q, const json_t *answer,
                  const json_t *truth)
{
    const struct question_kind *kind = question_kind(q);
    struct err ignored;
    json_auto_t *form = kind->form(q, answer, &ignored), *right = NULL;

    if (form == NULL)
        return false;
    if (kind->right != NULL)
        return kind->right(q, answer, truth);
    right = kind->form(q, truth, &ignored);
    return json_equal(form, right);
}

bool
question_text_is_right(const struct question *q, const char *text,
                       const json_t *truth)
{
    struct err ignored;
    json_auto_t *answer = question_parse(q, text, &ignored);
    OWN(buf) right = {0};

    question_answer_text(q, truth, &right);
    return strcmp(text, buf_text(&right)) == 0 ||
           question_is_right(q, answer, truth);
}

const char *
question_line(const struct question *q, const json_t *answer)
{
    for (int i = 0; i < q->nlines; i++)
        if (question_is_right(q, answer, q->lines[i].answer))
            return q->lines[i].text;
    return NULL;
}

const char *
question_choice_line(const struct question *q, int choice)
{
    json_auto_t *answer = json_integer(choice);

    return question_line(q, answer);
}

const char *
question_item(const struct question *q, int number)
{
    const char *text = q->items[number - 1];

    return text[0] != '\0' ? text : _("nothing");
}

void
question_answer_text(const struct question *q, const json_t *v, struct buf *out)
{
    if (question_kind(q)->text != NULL)
        question_kind(q)->text(q, v, out);
    else
        buf_puts(out, json_is_string(v) ? json_string_value(v) : "");
}

json_t *
question_parse(const struct question *q, const char *typed, struct err *err)
{
    const struct question_kind *kind = question_kind(q);
    OWN(buf) narrow = {0};
    json_auto_t *text = NULL;

    utf8_add_narrow(&narrow, typed);
    text = json_string(buf_text(&narrow));
    if (text == NULL) {
        err_set(err, "'%s': this is not text in UTF-8", typed);
        return NULL;
    }
    return kind->parse != NULL ? kind->parse(q, buf_text(&narrow), err)
                               : kind->form(q, text, err);
}
