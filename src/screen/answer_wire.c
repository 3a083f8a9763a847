/* SPDX-License-Identifier: MIT */
/* Steps that are wired: the next transfer goes from a slot, which the arrows or
 * a click choose, to the GPU whose digit or box comes next.  Or it is typed
 * (text/notation.h).  What is wired goes to the tutor at once. */
#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "screen/lesson_panel.h"
#include "term/screen.h"
#include "text/notation.h"
#include "text/sum.h"

static void
wire_begin(struct answer *a)
{
    const struct wiring *w = &a->question->wiring;

    a->digit = -1;
    a->gpu = w->root;
    a->adds = w->collective->reduces;
}

static const struct schedule *
schedule_wired(const struct answer *a)
{
    return picture_world(&a->seen->picture)->schedule;
}

/* The transfers of the step that is being wired. */
static const struct transfer *
drafted_step(const struct answer *a, size_t *count)
{
    const struct schedule *s = schedule_wired(a);

    return schedule_transfers(s, a->question->drafted ? s->nsteps : 0, count);
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
    const struct world *w = picture_world(&a->seen->picture);
    bool drafted = a->question->drafted;
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
    return answer_type(a, key);
}

static void
begin_typing(struct answer *a)
{
    a->typing = true;
    prompt_open(&a->prompt, "", NULL);
}

/* Enter hands in what keeps the promise; before that, pressed twice, it gives
 * up, or in an exam hands in what there is. */
static enum answer_did
hand_in(struct answer *a, json_t **given, struct err *err)
{
    bool again = a->empty;

    if (a->question->keeps) {
        *given = wiring_answer(schedule_wired(a));
        return ANSWER_GIVEN;
    }
    a->empty = true;
    if (again)
        return ANSWER_GIVEN;
    err_set(err, "%s",
            !a->seen->how.examines
                ? _("this step has no transfer yet; Enter again: show me one "
                    "way")
            : schedule_wired(a)->nsteps > 0
                ? _("Enter once more: it is handed in unfinished")
                : _("Enter once more: no answer"));
    return ANSWER_REFUSED;
}

static enum answer_did
wire_key(struct answer *a, int key, json_t **given, struct err *err)
{
    int ranks = a->question->wiring.nranks, digit = a->digit;
    int slots = schedule_outputs(schedule_wired(a)).count;
    size_t count, had = a->digit_count;

    if (a->typing)
        return key_typing(a, key, err);
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
        return a->question->drafted
                   ? end_wiring(a, tutor_wire_run(a->tutor, err))
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

static void
add_wired_step(const struct answer *a, struct buf *out)
{
    const struct world *w = picture_world(&a->seen->picture);
    struct notation n = notation_of(w, w->nsteps);
    size_t count;
    const struct transfer *t = drafted_step(a, &count);

    buf_addf(out, _("step %d:"), w->nsteps + !a->question->drafted);
    buf_puts(out, count > 0 ? " " : _(" no transfer yet"));
    notation_add_list(&n, t, count, out);
    buf_putc(out, '\n');
}

static void
add_next_transfer(const struct answer *a, struct buf *out)
{
    const struct world *w = picture_world(&a->seen->picture);
    int slot = schedule_outputs(w->schedule).first + a->slot;
    int step = w->nsteps - a->question->drafted;
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
    buf_putc(out, '\n');
}

/* A click on a slot, then one on another GPU: to whom. */
static enum answer_did
wire_click(struct answer *a, int rank, int slot, struct err *err)
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

/* Says below a task to wire which step it is, which transfer comes next, and
 * the par; or that all is there. */
static void
wire_fill(const struct answer *a, struct lesson_panel *p)
{
    const struct tutor_seen *t = a->seen;
    const struct wiring *w = &a->question->wiring;
    struct buf *text = &p->closing;
    OWN(buf) cost = {0};

    if (t->state != TUTOR_ASKS)
        return;
    buf_clear(text);
    wiring_add_cost(w, &t->question.cost, &cost);
    if (t->question.keeps && !a->typing) {
        int over = wiring_over(w, &t->question.cost);
        buf_addf(text, _("Every output holds what it should: %s."),
                 buf_text(&cost));
        buf_putc(text, '\n');
        buf_puts(text, over > 0
                           ? _("More than the best known: u takes a step back, "
                               "Enter hands it in as it is.")
                       : over == 0
                           ? _("None better is known. Enter hands it in.")
                           : _("Better than the best known! Enter hands it "
                               "in."));
        buf_putc(text, '\n');
    } else {
        add_wired_step(a, text);
        if (a->typing)
            p->panel.typed = a->prompt.text + 1;
        else
            add_next_transfer(a, text);
        p->panel.asked = (struct asked_slot){a->gpu, a->slot};
    }
    question_kind(a->question)->explain(a->question, text);
    p->panel.closing = buf_text(text);
}

/* The view is one of boxes, unless the learner has chosen another.  A step that
 * is not run yet is about to leave. */
static void
wire_scene(struct answer *a, struct scene *s)
{
    const struct transfer *t;

    s->selected = a->gpu;
    s->hides = false; /* the steps are the learner's own */
    if (s->view < 0 && a->question->wiring.topology.kind == TOPOLOGY_ANY)
        while (view_at(++s->view) != &view_arcs)
            ;
    if (!a->question->drafted)
        return;
    t = drafted_step(a, &s->nflights);
    for (size_t i = 0; i < s->nflights; i++)
        a->flights[i] = (struct flight){.transfer = &t[i]};
    s->step = s->world->nsteps;
    s->flights = a->flights;
}

static json_t *
wire_unfinished(const struct answer *a)
{
    const struct schedule *s = schedule_wired(a);

    return s->nsteps > 0 ? wiring_answer(s) : NULL;
}

static void
wire_add_keys(const struct answer *a, struct key_line *l)
{
    bool exam = a->seen->how.examines;
    bool begun = schedule_wired(a)->nsteps > 0;

    l->state |= a->typing ? KEY(TYPES) : 0;
    l->state |= begun ? KEY(UNDOES) : 0;
    l->enter = a->typing                            ? N_("add to the step")
               : a->question->drafted                  ? N_("run the step")
               : a->question->keeps || (exam && begun) ? N_("hand it in")
               : exam                                  ? N_("I don't know")
                                                       : N_("show me one way");
}

const struct question_face face_wiring = {
    .keys = KEY(WIRE), .begin = wire_begin, .key = wire_key,
    .click = wire_click, .fill = wire_fill, .add_keys = wire_add_keys,
    .scene = wire_scene, .unfinished = wire_unfinished};
