/* SPDX-License-Identifier: MIT */
#include "screen/answer.h"

#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "term/screen.h"
#include "text/notation.h"
#include "text/sum.h"

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

void
answer_begin(struct answer *a, struct tutor *t)
{
    const struct question *q = &t->question;
    const json_t *wrong = t->first; /* NULL: it is the first try */
    int number = (int)json_integer_value(wrong);

    *a = (struct answer){
        .tutor = t, .question = q, .chosen = -1, .refused = -1, .digit = -1};
    if (json_is_integer(wrong) &&
        (q->kind == QUIZ_RANK || q->kind == QUIZ_LINE))
        a->refused = number - (q->kind == QUIZ_LINE);
    for (int i = 0; q->kind == QUIZ_CHOICE && i < q->nitems; i++)
        if (q->shown[i] == number)
            a->refused = i;
    memcpy(a->order, q->shown, sizeof a->order);
    a->gpu = q->wiring.root;
    a->adds = q->kind == QUIZ_WIRING && q->wiring.collective->reduces;
    if (q->kind == QUIZ_TRANSFER && t->shown >= 0)
        add_places(&a->places, tutor_world(t)->schedule);
    prompt_open(&a->prompt, "", &a->places);
    for (const char *c = q->kind == QUIZ_RULE ? json_string_value(wrong) : NULL;
         c != NULL && *c != '\0'; c++) /* to be mended */
        prompt_key(&a->prompt, *c);
}

/* The number of choices, of which the last is "I don't know", or of items. */
static int
count_choices(const struct answer *a)
{
    int n = a->question->kind == QUIZ_RANK   ? a->question->nranks
            : a->question->kind == QUIZ_LINE ? a->question->nrows
                                         : a->question->nitems;

    return a->question->kind == QUIZ_ORDER ? n : n + 1;
}

/* Choices wrap around and leave out the wrong one; a held item stops at the
 * ends.  The first key chooses the first or the last, or what is beside a wrong
 * choice. */
static void
move_choice(struct answer *a, int by)
{
    int n = count_choices(a), from = a->chosen >= 0    ? a->chosen
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

/* An empty line means "I don't know", as the last choice does, but only when
 * Enter is pressed twice. */
static enum answer_did
take_entered(struct answer *a, json_t **given, struct err *err)
{
    const struct question *q = a->question;

    if (question_kind(a->question)->typed) {
        bool again = a->empty;
        a->empty = a->prompt.typed[strspn(a->prompt.typed, " ")] == '\0';
        if (a->empty && !again)
            err_set(err, "%s", _("Enter again: show me the answer"));
        if (a->empty ? !again
                     : (*given = question_parse(q, a->prompt.typed, err)) ==
                           NULL)
            return ANSWER_REFUSED;
    } else if (a->chosen < 0) {
        err_set(err, "%s", _("choose first, with the arrows or with Tab"));
        return ANSWER_REFUSED;
    } else if (q->kind == QUIZ_ORDER) {
        *given = json_array();
        for (int i = 0; i < q->nitems; i++)
            json_array_append_new(*given, json_integer(a->order[i]));
    } else if (a->chosen < count_choices(a) - 1) {
        *given = json_integer(q->kind == QUIZ_RANK   ? a->chosen
                               : q->kind == QUIZ_LINE ? a->chosen + 1
                                                      : q->shown[a->chosen]);
    }
    return ANSWER_GIVEN;
}

static enum answer_did
key_answer(struct answer *a, int key)
{
    bool places = a->question->kind == QUIZ_TRANSFER;

    if (places && (key == SCREEN_KEY_UP || key == SCREEN_KEY_DOWN)) {
        prompt_key(&a->prompt, key == SCREEN_KEY_UP ? SCREEN_KEY_DOWN
                                                    : SCREEN_KEY_UP);
        return ANSWER_CHANGED;
    }
    if (!prompt_edits(key) &&
        (key < ' ' || key >= 0x7f ||
         (key == '>' && !question_kind(a->question)->signs)))
        return ANSWER_NOTHING;
    if (a->question->kind == QUIZ_NUMBER && !prompt_edits(key) &&
        strchr("0123456789.,-eE/", key) == NULL)
        return ANSWER_NOTHING;
    prompt_key(&a->prompt, key);
    return ANSWER_CHANGED;
}

/* a, b, c, ... and 1, 2, 3, ... choose directly; GPUs are chosen by their
 * number. */
static enum answer_did
key_choose(struct answer *a, int key)
{
    int n = count_choices(a);
    int at = a->question->kind == QUIZ_RANK    ? key - '0'
             : key >= 'a' && key < 'a' + n ? key - 'a'
                                           : key - '1';

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
    case ' ':
        if (a->question->kind != QUIZ_ORDER || a->chosen < 0)
            return ANSWER_NOTHING;
        a->held = !a->held;
        return ANSWER_CHANGED;
    default:
        if (a->held || at < 0 || at >= n || at > 9)
            return ANSWER_NOTHING;
        a->chosen = at;
        return ANSWER_CHANGED;
    }
}

/* Wiring. */

static const struct schedule *
schedule_wired(const struct answer *a)
{
    return tutor_world(a->tutor)->schedule;
}

/* The transfers of the step that is being wired. */
static const struct transfer *
drafted_step(const struct answer *a, size_t *count)
{
    const struct schedule *s = schedule_wired(a);

    return schedule_transfers(s, a->tutor->drafted ? s->nsteps : 0, count);
}

const struct flight *
answer_flights(struct answer *a, size_t *count)
{
    const struct transfer *t = drafted_step(a, count);

    for (size_t i = 0; i < *count; i++)
        a->flights[i] = (struct flight){.transfer = &t[i]};
    return a->flights;
}

/* The outcome of a key; `done`: the tutor has done what it asks for. */
static enum answer_did
end_wiring(struct answer *a, bool done)
{
    if (done)
        a->picked = a->typing = false;
    return done ? ANSWER_CHANGED : ANSWER_REFUSED;
}

/* The next transfer, to a GPU. */
static enum answer_did
send_to(struct answer *a, int gpu, struct err *err)
{
    int slot = schedule_outputs(schedule_wired(a)).first + a->slot;
    struct transfer t = {
        .src = a->gpu, .dst = gpu, .src_slot = slot, .dst_slot = slot,
        .add_slot = slot, .nslots = 1,
        .op = a->adds ? TRANSFER_REDUCE : TRANSFER_COPY};

    a->picked = false;
    if (gpu >= a->question->wiring.nranks) {
        err_set(err, _("there is no GPU %d"), gpu);
        return ANSWER_REFUSED;
    }
    return end_wiring(a, tutor_wire(a->tutor, &t, 1, err));
}

static enum answer_did
set_op(struct answer *a, bool adds, struct err *err)
{
    const struct collective *c = a->question->wiring.collective;

    if (adds && !c->reduces) {
        err_set(err, _("%s adds nothing: data only replaces"), _(c->title));
        return ANSWER_REFUSED;
    }
    a->adds = adds;
    return ANSWER_CHANGED;
}

/* Typed transfers belong to the step together, or not at all. */
static enum answer_did
enter_typed(struct answer *a, struct err *err)
{
    const struct world *w = tutor_world(a->tutor);
    bool drafted = a->tutor->drafted;
    struct notation n = notation_of(w, w->nsteps - drafted);
    struct transfer list[WIRING_TRANSFERS];
    size_t count;

    if (a->prompt.typed[strspn(a->prompt.typed, " ")] == '\0') {
        a->typing = false;
        return ANSWER_CHANGED;
    }
    n.example = wiring_example(&a->question->wiring, w->schedule, drafted);
    return end_wiring(a, notation_read(&n, a->prompt.typed, list,
                                       WIRING_TRANSFERS, &count, err) &&
                             tutor_wire(a->tutor, list, count, err));
}

static enum answer_did
key_typing(struct answer *a, int key, struct err *err)
{
    if (key == SCREEN_KEY_ENTER)
        return enter_typed(a, err);
    if (key == SCREEN_KEY_ESCAPE ||
        (key == SCREEN_KEY_BACKSPACE && a->prompt.typed[0] == '\0')) {
        a->typing = false;
        return ANSWER_CHANGED;
    }
    return key_answer(a, key);
}

static void
begin_typing(struct answer *a)
{
    a->typing = true;
    prompt_open(&a->prompt, "", NULL);
}

/* Enter hands in what keeps the promise; before that, pressed twice, it gives
 * up. */
static enum answer_did
hand_in(struct answer *a, json_t **given, struct err *err)
{
    bool again = a->empty;

    if (a->tutor->keeps) {
        *given = wiring_answer(schedule_wired(a));
        return ANSWER_GIVEN;
    }
    a->empty = true;
    if (again)
        return ANSWER_GIVEN;
    err_set(err, "%s", _("this step has no transfer yet; Enter again: show me "
                         "one way"));
    return ANSWER_REFUSED;
}

static enum answer_did
key_wire(struct answer *a, int key, json_t **given, struct err *err)
{
    int ranks = a->question->wiring.nranks, digit = a->digit;
    int slots = schedule_outputs(schedule_wired(a)).count;
    size_t count, had = a->digit_count;

    drafted_step(a, &count);
    a->digit = key >= '0' && key <= '9' ? key - '0' : -1;
    a->digit_count = count;
    switch (key) {
    case SCREEN_KEY_LEFT:
    case SCREEN_KEY_BACKTAB:
        a->gpu = (a->gpu + ranks - 1) % ranks;
        return ANSWER_CHANGED;
    case SCREEN_KEY_RIGHT:
    case '\t':
        a->gpu = (a->gpu + 1) % ranks;
        return ANSWER_CHANGED;
    case SCREEN_KEY_UP:
        a->slot = (a->slot + slots - 1) % slots;
        return ANSWER_CHANGED;
    case SCREEN_KEY_DOWN:
        a->slot = (a->slot + 1) % slots;
        return ANSWER_CHANGED;
    case '+':
    case '=':
        return set_op(a, key == '+', err);
    case 't':
        begin_typing(a);
        return ANSWER_CHANGED;
    case 'u':
    case SCREEN_KEY_BACKSPACE:
        return tutor_unwire(a->tutor, err) ? ANSWER_CHANGED : ANSWER_REFUSED;
    case SCREEN_KEY_ENTER:
        return a->tutor->drafted ? end_wiring(a, tutor_wire_run(a->tutor, err))
                                 : hand_in(a, given, err);
    case '>':
        if (digit < 0)
            return ANSWER_NOTHING;
        /* "0>1 +A1": the digit before turns out to be the sender */
        if (count > had && !tutor_unwire(a->tutor, err))
            return ANSWER_REFUSED;
        begin_typing(a);
        prompt_key(&a->prompt, '0' + digit);
        prompt_key(&a->prompt, '>');
        return ANSWER_CHANGED;
    default:
        return a->digit >= 0 ? send_to(a, a->digit, err) : ANSWER_NOTHING;
    }
}

void
answer_add_step(const struct answer *a, struct buf *out)
{
    const struct world *w = tutor_world(a->tutor);
    struct notation n = notation_of(w, w->nsteps);
    size_t count;
    const struct transfer *t = drafted_step(a, &count);

    buf_addf(out, _("step %d:"), w->nsteps + !a->tutor->drafted);
    buf_puts(out, count > 0 ? " " : _(" no transfer yet"));
    notation_add_list(&n, t, count, out);
}

void
answer_add_next(const struct answer *a, struct buf *out)
{
    const struct world *w = tutor_world(a->tutor);
    int slot = schedule_outputs(w->schedule).first + a->slot;
    int step = w->nsteps - a->tutor->drafted;
    OWN(buf) holds = {0};

    sum_name(w, world_row_at(w, a->gpu, slot, step), &holds);
    if (holds.length == 0)
        buf_addf(out, _("GPU %1$d's slot %2$d is empty"), a->gpu, a->slot);
    else
        buf_addf(out, _("GPU %1$d sends %2$s (slot %3$d) to GPU _"), a->gpu,
                 buf_text(&holds), a->slot);
    if (a->question->wiring.collective->reduces && holds.length > 0)
        buf_puts(out, a->adds ? _(", which adds it (= replaces)")
                              : _(", in place of its own (+ adds)"));
}

/* A click on a slot, then one on another GPU: to whom. */
static enum answer_did
click_to_wire(struct answer *a, int rank, int slot, struct err *err)
{
    a->digit = -1;
    if (rank >= a->question->wiring.nranks || a->typing)
        return ANSWER_NOTHING;
    if (a->picked && rank != a->gpu)
        return send_to(a, rank, err);
    a->gpu = rank;
    if (slot >= 0 && slot < schedule_outputs(schedule_wired(a)).count)
        a->slot = slot;
    a->picked = true;
    return ANSWER_CHANGED;
}

enum answer_did
answer_click(struct answer *a, int rank, int slot, struct err *err)
{
    const struct question *q = a->question;

    a->empty = false;
    if (q->kind == QUIZ_WIRING)
        return click_to_wire(a, rank, slot, err);
    if (q->kind != QUIZ_RANK || rank >= q->nranks)
        return ANSWER_NOTHING;
    a->chosen = rank;
    return ANSWER_CHANGED;
}

enum answer_did
answer_key(struct answer *a, int key, json_t **given, struct err *err)
{
    *given = NULL;
    a->empty = a->empty && key == SCREEN_KEY_ENTER;
    if (key == '?' || (key == 'h' && a->question->kind != QUIZ_LABEL &&
                       !question_kind(a->question)->signs)) {
        a->hints += a->hints < a->question->nhints;
        return ANSWER_CHANGED;
    }
    if (a->question->kind == QUIZ_WIRING)
        return a->typing ? key_typing(a, key, err)
                         : key_wire(a, key, given, err);
    if (key == SCREEN_KEY_ENTER)
        return take_entered(a, given, err);
    return question_kind(a->question)->typed ? key_answer(a, key)
                                             : key_choose(a, key);
}
