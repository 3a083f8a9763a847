/* SPDX-License-Identifier: MIT */
#include "tutor/question.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/mix.h"
#include "base/translate.h"
#include "schedule/collective.h"
#include "script/script.h"
#include "text/notation.h"

const struct question_traits question_traits[QUIZ_KINDS] = {
    [QUIZ_CHOICE] = {.name = "choice"},
    [QUIZ_NUMBER] = {"number", .typed = true},
    [QUIZ_LABEL] = {"label", .typed = true},
    [QUIZ_RANK] = {"rank", .of_run = true},
    [QUIZ_ORDER] = {.name = "order"},
    [QUIZ_TRANSFER] = {"transfer", .typed = true, .signs = true,
                       .of_run = true},
    [QUIZ_MEND] = {"mend", .typed = true, .signs = true, .of_run = true},
    [QUIZ_LINE] = {.name = "line"},
    [QUIZ_WIRING] = {"wiring", .signs = true, .proved = true},
    [QUIZ_RULE] = {"rule", .typed = true, .signs = true, .proved = true},
};

static bool
read_kind(struct question *q, const json_t *with, struct err *err)
{
    const json_t *v = json_object_get(with, "kind");
    const char *name = json_string_value(v);

    if (v == NULL || json_is_null(v)) {
        q->kind = json_is_array(json_object_get(with, "items")) ? QUIZ_ORDER
                                                                : QUIZ_CHOICE;
        return true;
    }
    for (int i = 0; name != NULL && i < QUIZ_KINDS; i++)
        if (strcmp(question_traits[i].name, name) == 0) {
            q->kind = (enum quiz_kind)i;
            return true;
        }
    return err_set(err, "kind must be choice, number, label, rank, order, "
                   "transfer, mend, line, wiring or rule");
}

static json_t *as_answer(const struct question *q, const json_t *said);

/* Reads `wrong`, a list of [answer, text]. */
static bool
read_wrong_lines(struct question *q, const json_t *with, struct err *err)
{
    const json_t *list = json_object_get(with, "wrong"), *pair;
    size_t i;

    if (json_array_size(list) > QUIZ_LINES)
        return err_set(err, "wrong has more than %d lines", QUIZ_LINES);
    if (question_traits[q->kind].proved && json_array_size(list) > 0)
        return err_set(err, "a %s is judged by the proof: leave out wrong",
                       question_traits[q->kind].name);
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
        .nsteps = q->nsteps, .nrows = q->nrows,
        .predicts = json_is_true(json_object_get(with, "predicts")),
        .reasons = json_is_true(json_object_get(with, "reasons")),
        .within = json_number_value(json_object_get(with, "within"))};
    for (int i = 0; i < QUIZ_ITEMS; i++)
        q->shown[i] = i + 1;
    if (!read_kind(q, with, err) ||
        !script_text(with, "text", false, &q->text, err) ||
        (q->kind == QUIZ_CHOICE &&
         !script_texts(with, "choices", 2, 5, q->items, &q->nitems, err)) ||
        (q->kind == QUIZ_ORDER &&
         !script_texts(with, "items", 2, QUIZ_ITEMS, q->items, &q->nitems,
                       err)) ||
        (question_traits[q->kind].proved &&
         !wiring_read(&q->wiring, with, q->kind == QUIZ_RULE, err)) ||
        !script_texts(with, "hints", 0, QUIZ_HINTS, q->hints, &q->nhints,
                      err) ||
        !script_text(with, "why", true, &q->why, err) ||
        !script_text(with, "notes", true, &q->notes, err))
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
    return !question_traits[q->kind].of_run || nranks > 0 ||
           err_set(err, "kind is %s, but there is no run on the screen",
                   question_traits[q->kind].name);
}

void
question_done(struct question *q)
{
    for (int i = 0; i < q->nlines; i++)
        json_decref(q->lines[i].answer);
    json_decref(q->said);
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
    bool sorted = q->kind == QUIZ_ORDER;

    for (int i = q->nitems - 1; i > 0; i--) {
        seed = mix32(seed + 1);
        swap_items(&q->shown[i], &q->shown[seed % (uint32_t)(i + 1)]);
    }
    for (int i = 0; i < q->nitems; i++)
        sorted = sorted && q->shown[i] == i + 1;
    if (sorted)
        swap_items(&q->shown[0], &q->shown[1]);
}

/* Labels: "c1 + A1" becomes "A1+C1", and so do "AC 1" and, with all ranks,
 * "S1". */

enum { LABEL_NAMES = 64, LABEL_NAME = 32 };

static int
by_rank_and_text(const void *a, const void *b)
{
    const char *x = a, *y = b;
    size_t letters_x = strcspn(x, "0123456789");
    size_t letters_y = strcspn(y, "0123456789");

    if (letters_x != letters_y) /* Z comes before AA */
        return letters_x < letters_y ? -1 : 1;
    return strcmp(x, y);
}

/* Adds a label's one form; "efgh 3" is E3+F3+G3+H3, if these are ranks in their
 * order.  Returns false if the text is not a sum of names. */
static bool
write_label(const struct question *q, const char *text, struct buf *out)
{
    char names[LABEL_NAMES][LABEL_NAME], name[LABEL_NAME];
    char letter[LABEL_RANK_MAX];
    size_t count = 0, used, letters, ranks;

    if (text[strspn(text, " ")] == '\0')
        return true;
    do {
        used = ranks = 0;
        for (; *text != '\0' && *text != '+'; text++) {
            if (*text == ' ')
                continue;
            if (used + 1 >= sizeof name ||
                (!isalnum((unsigned char)*text) && *text != '*'))
                return false;
            name[used++] = (char)toupper((unsigned char)*text);
        }
        name[used] = '\0';
        letters = strspn(name, "ABCDEFGHIJKLMNOPQRTUVWXYZ");
        for (int rank = 0; rank < q->nranks && rank < LABEL_LETTERS; rank++)
            ranks += label_rank(rank, letter)[0] == name[ranks];
        if (letters < 2 || ranks != letters)
            letters = 0; /* it is one name */
        if (used == 0 || count + letters >= LABEL_NAMES)
            return false;
        if (letters == 0)
            memcpy(names[count++], name, sizeof name);
        for (size_t i = 0; i < letters; i++)
            snprintf(names[count++], sizeof name, "%c%s", name[i],
                     name + letters);
    } while (*text++ == '+');
    if (count == 1 && q->nranks > 0 && names[0][0] == 'S' &&
        names[0][1] != '\0' &&
        names[0][1 + strspn(names[0] + 1, "0123456789")] == '\0') {
        /* a complete sum, as no rank is called S */
        for (int rank = 0; rank < q->nranks; rank++)
            buf_addf(out, "%s%s%s", rank > 0 ? "+" : "",
                     label_rank(rank, letter), names[0] + 1);
        return true;
    }
    qsort(names, count, sizeof *names, by_rank_and_text);
    for (size_t i = 0; i < count; i++)
        buf_addf(out, "%s%s", i > 0 ? "+" : "", names[i]);
    return true;
}

/* Judging. */

static bool
is_order(const struct question *q, const json_t *v)
{
    bool seen[QUIZ_ITEMS] = {false};
    int64_t item;

    for (int i = 0; i < q->nitems; i++) {
        if (!json_at(v, (size_t)i, 1, q->nitems, &item) || seen[item - 1])
            return false;
        seen[item - 1] = true;
    }
    return json_array_size(v) == (size_t)q->nitems;
}

/* A place, or a change there, as it is written. */
static bool
write_change(const struct question *q, const char *typed, struct buf *out,
             struct err *err)
{
    struct notation n = {.nranks = q->nranks, .nslots = q->nslots,
                         .nsteps = q->nsteps};
    struct change change;
    struct change_place place;

    if (q->kind == QUIZ_TRANSFER) {
        if (!change_place_read(&n, typed, &place, err))
            return false;
        change_place_add(&place, out);
    } else {
        if (!change_read(&n, typed, &change, err))
            return false;
        change_add(&n, &change, out);
    }
    return true;
}

/* Whether it can be wired, and keeps the promise. */
static bool
is_wiring(const struct question *q, const json_t *v,
          struct check_counts *counts, struct err *err)
{
    OWNS(schedule) *s = wiring_schedule(&q->wiring, v, err);

    return s != NULL && schedule_check(s, s->nchunks, counts, err);
}

/* The steps of a wiring, as they are written; NULL: it cannot be wired. */
static json_t *
write_wiring(const struct question *q, const json_t *v, struct err *err)
{
    OWNS(schedule) *s = wiring_schedule(&q->wiring, v, err);

    return s != NULL ? wiring_answer(s) : NULL;
}

/* The one form of an answer, in whatever way it was written; a new reference.
 * NULL, with the reason in *err, if it is no answer. */
static json_t *
one_form(const struct question *q, const json_t *v, struct err *err)
{
    const char *text = json_string_value(v);
    int64_t least = q->kind != QUIZ_RANK;
    int64_t most = q->kind == QUIZ_CHOICE ? q->nitems
                   : q->kind == QUIZ_RANK ? q->nranks - 1
                                          : q->nrows;
    OWN(buf) form = {0};
    bool is;

    switch (q->kind) {
    case QUIZ_LABEL:
        if (text != NULL && write_label(q, text, &form))
            return json_string(buf_text(&form));
        err_set(err, _("'%s': what is in a slot is written like A1 or A1+C1; "
                       "- is nothing"), text != NULL ? text : "");
        return NULL;
    case QUIZ_TRANSFER:
    case QUIZ_MEND:
        return text != NULL && write_change(q, text, &form, err)
                   ? json_string(buf_text(&form))
                   : NULL;
    case QUIZ_NUMBER:
        is = json_is_number(v);
        break;
    case QUIZ_ORDER:
        is = is_order(q, v);
        break;
    case QUIZ_WIRING:
        return write_wiring(q, v, err);
    case QUIZ_RULE:
        is = text != NULL && rule_script(&q->wiring, text, &form, err);
        break;
    default:
        is = json_is_integer(v) && json_integer_value(v) >= least &&
             json_integer_value(v) <= most;
        break;
    }
    return is ? json_deep_copy(v) : NULL;
}

bool
question_fits(const struct question *q, const json_t *v)
{
    struct err ignored;
    json_auto_t *form = one_form(q, v, &ignored);

    return form != NULL;
}

/* An answer that the script gives; a new reference.  A number may stand for the
 * choice that has it as its text.  NULL if it is no answer. */
static json_t *
as_answer(const struct question *q, const json_t *said)
{
    const char *text = json_string_value(said);
    struct err ignored;
    char number[32];

    if (q->kind == QUIZ_TRANSFER || q->kind == QUIZ_MEND ||
        q->kind == QUIZ_WIRING)
        return one_form(q, said, &ignored);
    if (json_is_number(said)) {
        snprintf(number, sizeof number, "%.10g", json_number_value(said));
        text = number;
    }
    for (int i = 0; q->kind == QUIZ_CHOICE && text != NULL && i < q->nitems;
         i++)
        if (strcmp(q->items[i], text) == 0)
            return json_integer(i + 1);
    return question_fits(q, said) ? json_deep_copy(said) : NULL;
}

json_t *
question_truth(const struct question *q, const json_t *said, struct err *err)
{
    json_auto_t *truth = as_answer(q, said);
    OWN(buf) text = {0};
    OWN_MEMORY char *given = json_dumps(said, JSON_ENCODE_ANY | JSON_COMPACT);
    struct check_counts counts;

    if (q->kind == QUIZ_WIRING &&
        (!is_wiring(q, said, &counts, err) ||
         (wiring_over(&q->wiring, &counts) != 0 &&
          !err_set(err, "it takes %d step%s and %d chunk%s a GPU, which is "
                   "not the par", counts.steps, err_plural(counts.steps),
                   (int)counts.most_sent, err_plural(counts.most_sent))))) {
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
    if (q->kind == QUIZ_CHOICE)
        err_set(err, "the run says %s, which is none of the choices",
                buf_text(&text));
    else
        err_set(err, "answer() gives %s, but the question needs a %s",
                buf_text(&text), question_traits[q->kind].name);
    return NULL;
}

bool
question_is_right(const struct question *q, const json_t *answer,
                  const json_t *truth)
{
    struct check_counts counts;
    struct err ignored;
    json_auto_t *form = one_form(q, answer, &ignored), *right = NULL;

    if (form == NULL)
        return false;
    if (q->kind == QUIZ_NUMBER)
        return fabs(json_number_value(answer) - json_number_value(truth)) <=
               fmax(1e-6, q->within) * fabs(json_number_value(truth));
    if (q->kind == QUIZ_WIRING)
        return is_wiring(q, answer, &counts, &ignored) &&
               wiring_over(&q->wiring, &counts) <= 0;
    if (q->kind == QUIZ_RULE && q->proves != NULL)
        return q->proves(&q->wiring, json_string_value(answer));
    right = one_form(q, truth, &ignored);
    return json_equal(form, right);
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
    json_int_t n;

    switch (q->kind) {
    case QUIZ_CHOICE:
        n = json_integer_value(v);
        if (n >= 1 && n <= q->nitems)
            buf_puts(out, question_item(q, (int)n));
        break;
    case QUIZ_NUMBER:
        buf_addf(out, "%.10g", json_number_value(v));
        break;
    case QUIZ_LABEL:
        buf_puts(out, json_string_length(v) > 0 ? json_string_value(v)
                                                : _("nothing"));
        break;
    case QUIZ_RANK:
        buf_addf(out, _("GPU %d"), (int)json_integer_value(v));
        break;
    case QUIZ_TRANSFER:
    case QUIZ_MEND:
    case QUIZ_RULE:
        buf_puts(out, json_is_string(v) ? json_string_value(v) : "");
        break;
    case QUIZ_LINE:
        buf_addf(out, _("line %d"), (int)json_integer_value(v));
        break;
    case QUIZ_WIRING:
        for (size_t i = 0; i < json_array_size(v); i++)
            buf_addf(out, "%s%s", i > 0 ? "; " : "",
                     json_string_value(json_array_get(v, i)));
        break;
    default:
        for (int i = 0; i < q->nitems && is_order(q, v); i++) {
            n = json_integer_value(json_array_get(v, (size_t)i));
            buf_addf(out, "%s%s", i > 0 ? ", " : "", q->items[n - 1]);
        }
        break;
    }
}

/* "8", "0.75", "3/4" */
static json_t *
parse_number(const char *typed, struct err *err)
{
    const char *part = typed;
    double value, below = 1;
    char *end;

    errno = 0;
    value = strtod(part, &end);
    if (end != part && *end == '/') {
        part = end + 1;
        below = strtod(part, &end);
    }
    value /= below;
    if (end == part || end[strspn(end, " ")] != '\0' || errno != 0 ||
        !isfinite(value)) {
        err_set(err, _("'%s' is not a number"), typed);
        return NULL;
    }
    return value == floor(value) && fabs(value) < 1e15
               ? json_integer((json_int_t)value)
               : json_real(value);
}

json_t *
question_parse(const struct question *q, const char *typed, struct err *err)
{
    bool empty = q->kind == QUIZ_LABEL && typed[0] == '-' &&
                 typed[1 + strspn(typed + 1, " ")] == '\0';
    json_auto_t *text = json_string(empty ? "" : typed);

    if (text == NULL) {
        err_set(err, "'%s': this is not text in UTF-8", typed);
        return NULL;
    }
    return q->kind == QUIZ_NUMBER ? parse_number(typed, err)
                                  : one_form(q, text, err);
}
