/* SPDX-License-Identifier: MIT */
#include "screen/reply.h"

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
reply_begin(struct reply *r, struct tutor *t)
{
    const struct question *q = &t->question;
    const json_t *wrong = t->first; /* NULL: it is the first try */
    int number = (int)json_integer_value(wrong);

    *r = (struct reply){.tutor = t, .question = q, .chosen = -1, .refused = -1};
    if (json_is_integer(wrong) &&
        (q->kind == QUIZ_RANK || q->kind == QUIZ_LINE))
        r->refused = number - (q->kind == QUIZ_LINE);
    for (int i = 0; q->kind == QUIZ_CHOICE && i < q->nitems; i++)
        if (q->shown[i] == number)
            r->refused = i;
    memcpy(r->order, q->shown, sizeof r->order);
    r->digit = -1;
    r->gpu = q->wiring.root;
    r->adds = q->kind == QUIZ_WIRING && q->wiring.collective->reduces;
    if (q->kind == QUIZ_TRANSFER && t->shown >= 0)
        add_places(&r->places, tutor_world(t)->schedule);
    prompt_open(&r->prompt, "", &r->places);
    for (const char *c = q->kind == QUIZ_RULE ? json_string_value(wrong) : NULL;
         c != NULL && *c != '\0'; c++) /* to be mended */
        prompt_key(&r->prompt, *c);
}

/* The number of choices, of which the last is "I don't know", or of items. */
static int
count_choices(const struct reply *r)
{
    int n = r->question->kind == QUIZ_RANK   ? r->question->nranks
            : r->question->kind == QUIZ_LINE ? r->question->nrows
                                         : r->question->nitems;

    return r->question->kind == QUIZ_ORDER ? n : n + 1;
}

/* Choices wrap around and leave out the wrong one; a held item stops at the
 * ends.  The first key chooses the first or the last, or what is beside a wrong
 * choice. */
static void
move_choice(struct reply *r, int by)
{
    int n = count_choices(r), from = r->chosen >= 0    ? r->chosen
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
take_entered(struct reply *r, json_t **answer, struct err *err)
{
    const struct question *q = r->question;

    if (question_traits[r->question->kind].typed) {
        bool again = r->empty;
        r->empty = r->prompt.typed[strspn(r->prompt.typed, " ")] == '\0';
        if (r->empty && !again)
            err_set(err, "%s", _("Enter again: show me the answer"));
        if (r->empty ? !again
                     : (*answer = question_parse(q, r->prompt.typed, err)) ==
                           NULL)
            return REPLY_REFUSED;
    } else if (r->chosen < 0) {
        err_set(err, "%s", _("choose first, with the arrows or with Tab"));
        return REPLY_REFUSED;
    } else if (q->kind == QUIZ_ORDER) {
        *answer = json_array();
        for (int i = 0; i < q->nitems; i++)
            json_array_append_new(*answer, json_integer(r->order[i]));
    } else if (r->chosen < count_choices(r) - 1) {
        *answer = json_integer(q->kind == QUIZ_RANK   ? r->chosen
                               : q->kind == QUIZ_LINE ? r->chosen + 1
                                                      : q->shown[r->chosen]);
    }
    return REPLY_GIVEN;
}

static enum reply_did
key_answer(struct reply *r, int key)
{
    bool places = r->question->kind == QUIZ_TRANSFER;

    if (places && (key == SCREEN_KEY_UP || key == SCREEN_KEY_DOWN)) {
        prompt_key(&r->prompt, key == SCREEN_KEY_UP ? SCREEN_KEY_DOWN
                                                    : SCREEN_KEY_UP);
        return REPLY_CHANGED;
    }
    if (!prompt_edits(key) &&
        (key < ' ' || key >= 0x7f ||
         (key == '>' && !question_traits[r->question->kind].signs)))
        return REPLY_NOTHING;
    if (r->question->kind == QUIZ_NUMBER && !prompt_edits(key) &&
        strchr("0123456789.,-eE/", key) == NULL)
        return REPLY_NOTHING;
    prompt_key(&r->prompt, key);
    return REPLY_CHANGED;
}

/* a, b, c, ... and 1, 2, 3, ... choose directly; GPUs are chosen by their
 * number. */
static enum reply_did
key_choose(struct reply *r, int key)
{
    int n = count_choices(r);
    int at = r->question->kind == QUIZ_RANK    ? key - '0'
             : key >= 'a' && key < 'a' + n ? key - 'a'
                                           : key - '1';

    switch (key) {
    case SCREEN_KEY_LEFT:
    case SCREEN_KEY_UP:
    case SCREEN_KEY_BACKTAB:
    case 'k':
        move_choice(r, -1);
        return REPLY_CHANGED;
    case SCREEN_KEY_RIGHT:
    case SCREEN_KEY_DOWN:
    case '\t':
    case 'j':
        move_choice(r, 1);
        return REPLY_CHANGED;
    case ' ':
        if (r->question->kind != QUIZ_ORDER || r->chosen < 0)
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

/* Wiring. */

static const struct schedule *
schedule_wired(const struct reply *r)
{
    return tutor_world(r->tutor)->schedule;
}

/* The transfers of the step that is being wired. */
static const struct transfer *
drafted_step(const struct reply *r, size_t *count)
{
    const struct schedule *s = schedule_wired(r);

    return schedule_transfers(s, r->tutor->drafted ? s->nsteps : 0, count);
}

const struct flight *
reply_flights(struct reply *r, size_t *count)
{
    const struct transfer *t = drafted_step(r, count);

    for (size_t i = 0; i < *count; i++)
        r->flights[i] = (struct flight){.transfer = &t[i]};
    return r->flights;
}

/* The outcome of a key; `done`: the tutor has done what it asks for. */
static enum reply_did
end_wiring(struct reply *r, bool done)
{
    if (done)
        r->picked = r->typing = false;
    return done ? REPLY_CHANGED : REPLY_REFUSED;
}

/* The next transfer, to a GPU. */
static enum reply_did
send_to(struct reply *r, int gpu, struct err *err)
{
    int slot = schedule_outputs(schedule_wired(r)).first + r->slot;
    struct transfer t = {
        .src = r->gpu, .dst = gpu, .src_slot = slot, .dst_slot = slot,
        .add_slot = slot, .nslots = 1,
        .op = r->adds ? TRANSFER_REDUCE : TRANSFER_COPY};

    r->picked = false;
    if (gpu >= r->question->wiring.nranks) {
        err_set(err, _("there is no GPU %d"), gpu);
        return REPLY_REFUSED;
    }
    return end_wiring(r, tutor_wire(r->tutor, &t, 1, err));
}

static enum reply_did
set_op(struct reply *r, bool adds, struct err *err)
{
    const struct collective *c = r->question->wiring.collective;

    if (adds && !c->reduces) {
        err_set(err, _("%s adds nothing: data only replaces"), _(c->title));
        return REPLY_REFUSED;
    }
    r->adds = adds;
    return REPLY_CHANGED;
}

/* Typed transfers belong to the step together, or not at all. */
static enum reply_did
enter_typed(struct reply *r, struct err *err)
{
    const struct world *w = tutor_world(r->tutor);
    bool drafted = r->tutor->drafted;
    struct notation n = notation_of(w, w->nsteps - drafted);
    struct transfer list[WIRING_TRANSFERS];
    size_t count;

    if (r->prompt.typed[strspn(r->prompt.typed, " ")] == '\0') {
        r->typing = false;
        return REPLY_CHANGED;
    }
    n.example = wiring_example(&r->question->wiring, w->schedule, drafted);
    return end_wiring(r, notation_read(&n, r->prompt.typed, list,
                                       WIRING_TRANSFERS, &count, err) &&
                             tutor_wire(r->tutor, list, count, err));
}

static enum reply_did
key_typing(struct reply *r, int key, struct err *err)
{
    if (key == SCREEN_KEY_ENTER)
        return enter_typed(r, err);
    if (key == SCREEN_KEY_ESCAPE ||
        (key == SCREEN_KEY_BACKSPACE && r->prompt.typed[0] == '\0')) {
        r->typing = false;
        return REPLY_CHANGED;
    }
    return key_answer(r, key);
}

static void
begin_typing(struct reply *r)
{
    r->typing = true;
    prompt_open(&r->prompt, "", NULL);
}

/* Enter hands in what keeps the promise; before that, pressed twice, it gives
 * up. */
static enum reply_did
hand_in(struct reply *r, json_t **answer, struct err *err)
{
    bool again = r->empty;

    if (r->tutor->keeps) {
        *answer = wiring_answer(schedule_wired(r));
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
key_wire(struct reply *r, int key, json_t **answer, struct err *err)
{
    int ranks = r->question->wiring.nranks, digit = r->digit;
    int slots = schedule_outputs(schedule_wired(r)).count;
    size_t count, had = r->digit_count;

    drafted_step(r, &count);
    r->digit = key >= '0' && key <= '9' ? key - '0' : -1;
    r->digit_count = count;
    switch (key) {
    case SCREEN_KEY_LEFT:
    case SCREEN_KEY_BACKTAB:
        r->gpu = (r->gpu + ranks - 1) % ranks;
        return REPLY_CHANGED;
    case SCREEN_KEY_RIGHT:
    case '\t':
        r->gpu = (r->gpu + 1) % ranks;
        return REPLY_CHANGED;
    case SCREEN_KEY_UP:
        r->slot = (r->slot + slots - 1) % slots;
        return REPLY_CHANGED;
    case SCREEN_KEY_DOWN:
        r->slot = (r->slot + 1) % slots;
        return REPLY_CHANGED;
    case '+':
    case '=':
        return set_op(r, key == '+', err);
    case 't':
        begin_typing(r);
        return REPLY_CHANGED;
    case 'u':
    case SCREEN_KEY_BACKSPACE:
        return tutor_unwire(r->tutor, err) ? REPLY_CHANGED : REPLY_REFUSED;
    case SCREEN_KEY_ENTER:
        return r->tutor->drafted ? end_wiring(r, tutor_wire_run(r->tutor, err))
                                 : hand_in(r, answer, err);
    case '>':
        if (digit < 0)
            return REPLY_NOTHING;
        /* "0>1 +A1": the digit before turns out to be the sender */
        if (count > had && !tutor_unwire(r->tutor, err))
            return REPLY_REFUSED;
        begin_typing(r);
        prompt_key(&r->prompt, '0' + digit);
        prompt_key(&r->prompt, '>');
        return REPLY_CHANGED;
    default:
        return r->digit >= 0 ? send_to(r, r->digit, err) : REPLY_NOTHING;
    }
}

void
reply_add_step(const struct reply *r, struct buf *out)
{
    const struct world *w = tutor_world(r->tutor);
    struct notation n = notation_of(w, w->nsteps);
    size_t count;
    const struct transfer *t = drafted_step(r, &count);

    buf_addf(out, _("step %d:"), w->nsteps + !r->tutor->drafted);
    buf_puts(out, count > 0 ? " " : _(" no transfer yet"));
    notation_add_list(&n, t, count, out);
}

void
reply_add_next(const struct reply *r, struct buf *out)
{
    const struct world *w = tutor_world(r->tutor);
    int slot = schedule_outputs(w->schedule).first + r->slot;
    int step = w->nsteps - r->tutor->drafted;
    OWN(buf) holds = {0};

    sum_name(w, world_row_at(w, r->gpu, slot, step), &holds);
    if (holds.length == 0)
        buf_addf(out, _("GPU %1$d's slot %2$d is empty"), r->gpu, r->slot);
    else
        buf_addf(out, _("GPU %1$d sends %2$s (slot %3$d) to GPU _"), r->gpu,
                 buf_text(&holds), r->slot);
    if (r->question->wiring.collective->reduces && holds.length > 0)
        buf_puts(out, r->adds ? _(", which adds it (= replaces)")
                              : _(", in place of its own (+ adds)"));
}

/* A click on a slot, then one on another GPU: to whom. */
static enum reply_did
click_to_wire(struct reply *r, int rank, int slot, struct err *err)
{
    r->digit = -1;
    if (rank >= r->question->wiring.nranks || r->typing)
        return REPLY_NOTHING;
    if (r->picked && rank != r->gpu)
        return send_to(r, rank, err);
    r->gpu = rank;
    if (slot >= 0 && slot < schedule_outputs(schedule_wired(r)).count)
        r->slot = slot;
    r->picked = true;
    return REPLY_CHANGED;
}

enum reply_did
reply_click(struct reply *r, int rank, int slot, struct err *err)
{
    const struct question *q = r->question;

    r->empty = false;
    if (q->kind == QUIZ_WIRING)
        return click_to_wire(r, rank, slot, err);
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
    if (key == '?' || (key == 'h' && r->question->kind != QUIZ_LABEL &&
                       !question_traits[r->question->kind].signs)) {
        r->hints += r->hints < r->question->nhints;
        return REPLY_CHANGED;
    }
    if (r->question->kind == QUIZ_WIRING)
        return r->typing ? key_typing(r, key, err)
                         : key_wire(r, key, answer, err);
    if (key == SCREEN_KEY_ENTER)
        return take_entered(r, answer, err);
    return question_traits[r->question->kind].typed ? key_answer(r, key)
                                            : key_choose(r, key);
}
