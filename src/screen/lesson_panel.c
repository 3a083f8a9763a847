/* SPDX-License-Identifier: MIT */
#include "screen/lesson_panel.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "tutor/notes.h"

/* "✓ " or "✗ ": right and wrong differ without colours and in any language. */
static void
add_sign(struct buf *text, enum glyph_set set, enum glyph g)
{
    char sign[4];

    buf_addf(text, "%.*s ", utf8_put(sign, glyph(set, g)), sign);
}

static void
add_item(struct panel *panel, const char *text)
{
    panel->items[panel->nitems++] = text;
}

/* Adds the items to choose from or to sort, by numbers from 1; a class calls
 * them by letters. */
static void
add_items(struct lesson_panel *p, const struct question *q, const int *numbers)
{
    for (int i = 0; i < q->nitems; i++)
        add_item(&p->panel, question_item(q, numbers[i]));
    p->panel.stacked = q->kind == QUIZ_ORDER;
    p->panel.letter = p->class ? 'a' : '\0';
}

/* The answer, below the question: the right choice is marked. */
static void
fill_revealed(struct lesson_panel *p, const struct tutor *t)
{
    const struct question *q = &t->question;
    size_t last = json_array_size(t->truths) - 1;
    json_int_t truth = json_integer_value(json_array_get(t->truths, last));

    buf_puts(&p->text, q->text);
    if (q->kind != QUIZ_CHOICE) {
        p->panel.closing = t->page.text;
        return;
    }
    add_items(p, q, q->shown);
    for (int i = 0; i < q->nitems; i++)
        if (q->shown[i] == truth)
            p->panel.right = i;
    p->panel.closing = q->why;
}

static void
fill_page(struct lesson_panel *p, const struct tutor *t, enum glyph_set set)
{
    enum page_kind kind = t->page.kind;
    const char *head = kind == PAGE_PLAY       ? _("Now you.")
                       : kind == PAGE_REMEMBER ? _("To remember")
                                               : NULL;
    bool answers = page_answers(kind);

    p->panel.headed = head != NULL || (answers && !p->class);
    if (head != NULL)
        buf_addf(&p->text, "%s\n", head);
    if (answers)
        p->panel.asked =
            (struct asked_slot){t->question.rank, t->question.slot};
    if (kind == PAGE_RIGHT || kind == PAGE_WRONG)
        add_sign(&p->text, set, kind == PAGE_RIGHT ? GLYPH_YES : GLYPH_NO);
    if (p->class && kind == PAGE_TRUTH) {
        fill_revealed(p, t);
        return;
    }
    p->panel.above = answers ? t->question.text : NULL;
    buf_puts(&p->text, t->page.text);
}

static const char *
not_known(const struct lesson_panel *p)
{
    return p->exam ? _("I don't know") : _("I don't know: show me");
}

/* Shows the ranks around the chosen one.  After the last rank comes the answer
 * that the learner does not know. */
static void
fill_rank(struct lesson_panel *p, const struct answer *a)
{
    int nranks = a->question->nranks, last = nranks + 1 - PANEL_RANKS;
    int first = (a->chosen < 0 ? a->refused : a->chosen) - PANEL_RANKS / 2;

    first = within(first, 0, last);
    for (int i = 0; i < PANEL_RANKS && first + i <= nranks; i++) {
        snprintf(p->ranks[i].text, sizeof p->ranks[i].text, _("GPU %d"),
                 first + i);
        add_item(&p->panel, first + i < nranks ? p->ranks[i].text
                                               : not_known(p));
    }
    p->panel.chosen = a->chosen - first;
    p->panel.refused = a->refused < 0 ? -1 : a->refused - first;
}

/* Says below a task to wire which step it is, which transfer comes next, and
 * the par; or that all is there. */
static void
fill_wiring(struct lesson_panel *p, const struct tutor *t,
            const struct answer *a)
{
    const struct wiring *w = &a->question->wiring;
    struct buf *text = &p->wiring;
    OWN(buf) cost = {0}, par = {0}, model = {0};

    buf_clear(text);
    wiring_add_cost(w, &t->cost, &cost);
    wiring_add_par(w, &par);
    wiring_add_model(w, &model);
    if (t->keeps && !a->typing) {
        buf_addf(text, _("Every output holds what it should: %s."),
                 buf_text(&cost));
        buf_putc(text, '\n');
        int over = wiring_over(w, &t->cost);
        buf_puts(text, over > 0
                           ? _("More than the best known: u takes a step back, "
                               "Enter hands it in as it is.")
                       : over == 0
                           ? _("None better is known. Enter hands it in.")
                           : _("Better than the best known! Enter hands it "
                               "in."));
        buf_putc(text, '\n');
    } else {
        answer_add_step(a, text);
        buf_putc(text, '\n');
        if (a->typing)
            p->panel.typed = a->prompt.text + 1;
        else
            answer_add_next(a, text);
        if (!a->typing)
            buf_putc(text, '\n');
        p->panel.asked = (struct asked_slot){a->gpu, a->slot};
    }
    buf_addf(text, _("best known: %1$s; %2$s"), buf_text(&par),
             buf_text(&model));
    p->panel.closing = buf_text(text);
}

/* Says what can be answered, and the answer so far. */
static void
fill_answer(struct lesson_panel *p, const struct tutor *t,
            const struct answer *a)
{
    p->panel.chosen = a->chosen;
    p->panel.refused = a->refused;
    p->panel.held = a->held;
    switch (a->question->kind) {
    case QUIZ_CHOICE:
        add_items(p, a->question, a->question->shown);
        add_item(&p->panel, not_known(p));
        break;
    case QUIZ_RANK:
        fill_rank(p, a);
        break;
    case QUIZ_ORDER:
        add_items(p, a->question, a->order);
        break;
    case QUIZ_LINE:
        p->panel.row = a->chosen < a->question->nrows ? a->chosen + 1 : 0;
        p->panel.refused_row = a->refused + 1;
        p->panel.chosen = a->chosen - a->question->nrows;
        p->panel.refused = -1;
        add_item(&p->panel, _("I don't know: show me"));
        break;
    case QUIZ_WIRING:
        if (t->state == TUTOR_ASKS)
            fill_wiring(p, t, a);
        break;
    case QUIZ_RULE:
        buf_clear(&p->wiring);
        rule_add_form(&a->question->wiring, &p->wiring);
        p->panel.typed = a->prompt.text + 1;
        p->panel.closing = buf_text(&p->wiring);
        break;
    default:
        p->panel.typed = a->prompt.text + 1; /* skips the label's blank */
        break;
    }
}

/* A hint that was asked for, or why the first try is wrong; below it the votes
 * of browsers and the speaker's notes, so that what the class asked for stays
 * in sight. */
static void
fill_aside(struct lesson_panel *p, const struct tutor *t,
           const struct answer *a, enum glyph_set set)
{
    bool asks = t->state == TUTOR_ASKS;

    buf_clear(&p->aside);
    if (asks && a->hints > 0) {
        buf_puts(&p->aside, t->question.hints[a->hints - 1]);
    } else if (asks && t->objection != NULL) {
        add_sign(&p->aside, set, GLYPH_NO);
        buf_puts(&p->aside, t->objection);
    }
    if (p->polled || !p->class || t->state == TUTOR_PAGE) {
        if (p->aside.length > 0 && p->voters > 0)
            buf_putc(&p->aside, '\n');
        buf_puts(&p->aside, buf_text(&p->votes));
    }
    if (p->noted && (asks || t->state == TUTOR_PAGE)) {
        if (p->aside.length > 0)
            buf_putc(&p->aside, '\n');
        notes_add(t, set, &p->aside);
    }
    if (p->aside.length > 0)
        p->panel.aside = buf_text(&p->aside);
}

static void
fill_question_keys(const struct lesson_panel *p, const struct tutor *t,
                   const struct answer *a, struct key_line *l)
{
    uint64_t kind = question_faces[t->question.kind]->keys;

    if (a->hints < t->question.nhints)
        l->state |= KEY(HINTS);
    if (p->class) {
        l->state |= KEY(REVEALS);
        l->enter = p->voters > 0 && !p->polled ? N_("show the votes")
                   : t->question.predicts          ? N_("show the answer")
                                               : N_("go on");
        return;
    }
    l->state |= KEY(ASKED) | kind | (a->held ? KEY(HELD) : 0);
    if (t->card.program != NULL && !(kind & KEY(LABEL)))
        l->state |= KEY(PROGRAM);
    if (kind == KEY(WIRE)) {
        l->state |= a->typing ? KEY(TYPES) : 0;
        l->state |= tutor_world(t)->nsteps > 0 ? KEY(UNDOES) : 0;
        l->enter = a->typing    ? N_("add to the step")
                   : t->drafted ? N_("run the step")
                   : t->keeps || (p->exam && tutor_world(t)->nsteps > 0)
                       ? N_("hand it in")
                   : p->exam ? N_("I don't know")
                             : N_("show me one way");
        return;
    }
    l->enter = (kind & KEY(CHOICE)) || !a->empty ? N_("answer")
               : p->exam                        ? N_("I don't know")
                         : N_("I don't know: show me");
}

/* The keys of the lesson, and the state in which they are looked up. */
static struct key_line
lesson_keys(const struct lesson_panel *p, const struct tutor *t,
            const struct answer *a)
{
    struct key_line l = {.on = ON_LESSON, .back = p->back};
    bool tries = t->page.kind == PAGE_PLAY && !p->played && !p->closed;

    if (p->back != NULL)
        l.state |= KEY(VISITING);
    if (p->exam)
        l.state |= KEY(EXAM);
    if (p->presents)
        l.state |= KEY(PRESENTING);
    if (t->pages > (t->state != TUTOR_OVER) && t->review < 0)
        l.state |= KEY(BEFORE);
    if (t->state == TUTOR_PAGE) {
        l.enter = tries ? N_("try it") : N_("go on");
        if (tries)
            l.state |= KEY(TO_TRY);
        if (t->page.kind == PAGE_REMEMBER)
            l.state |= KEY(TABLE);
        if (t->card.program != NULL && t->table != NULL)
            l.state |= KEY(PROGRAM);
    } else if (t->state == TUTOR_ASKS) {
        fill_question_keys(p, t, a, &l);
    }
    if (t->shown >= 0 && !p->closed &&
        !(l.state & (KEY(TO_TRY) | KEY(TYPES))) &&
        (t->state != TUTOR_ASKS || t->question.kind != QUIZ_RULE))
        l.state |= KEY(RUN);
    return l;
}

/* The part of the lesson that is over, 0 to 1. */
static double
progress_of_lesson(const struct tutor *t)
{
    const double minute_ns = 60e9;
    double part = (double)t->farthest / t->lines;

    if (t->options.lecture && t->card.lecture > 0)
        part = (double)t->planned_ns / (t->card.lecture * minute_ns);
    return t->state == TUTOR_OVER || part > 1 ? 1 : part;
}

void
lesson_panel_fill(struct lesson_panel *p, const struct tutor *t,
                  const struct answer *a, enum glyph_set set)
{
    buf_clear(&p->text);
    p->panel = (struct panel){
        .number = t->card.number,
        .title = t->card.title != NULL ? t->card.title : "",
        .progress = progress_of_lesson(t),
        .full = t->shown < 0 && t->table == NULL,
        .table = t->table,
        .headless = t->nlines > 0,
        .figure = t->figure,
        .chosen = -1,
        .refused = -1,
        .right = -1,
        .asked.rank = -1,
        .keys = lesson_keys(p, t, a),
    };
    if (t->state == TUTOR_PAGE) {
        fill_page(p, t, set);
    } else if (t->state == TUTOR_ASKS || t->revealing) {
        /* the question stays while the run shows the answer */
        buf_puts(&p->text, t->question.text);
        p->panel.asked =
            (struct asked_slot){t->question.rank, t->question.slot};
        if (p->class)
            add_items(p, &t->question, t->question.shown);
        else if (a->question != NULL)
            fill_answer(p, t, a);
    } else if (t->measurement != NULL) {
        buf_puts(&p->text, _("Measuring ..."));
    } else if (t->state == TUTOR_BUSY && p->panel.full) {
        buf_puts(&p->text, _("Starting ..."));
    }
    p->panel.text = buf_text(&p->text);
    fill_aside(p, t, a, set);
}

void
lesson_panel_add_score(struct buf *text, const char *key,
                       const struct progress *p)
{
    buf_addf(text, ngettext("\n%d of %d question answered right at once, "
                            "without a hint: ",
                            "\n%d of %d questions answered right at once, "
                            "without a hint: ", (unsigned long)p->asked),
             p->right, p->asked);
    buf_puts(text, p->passed ? _("passed.") : _("read."));
    if (p->proof.questions != NULL)
        buf_addf(text, progress_provable(p, time(NULL))
                           ? _("\nNow prove it, with other numbers: "
                               "collviz learn --review %s")
                           : _("\nProve it tomorrow, with other numbers: "
                               "collviz learn --review %s"), key);
}

void
lesson_panel_end(struct lesson_panel *p, const struct tutor *t, const char *key,
                 const struct card *next)
{
    struct buf *text = &p->text;
    OWN(buf) title = {0}, practice = {0};
    struct err ignored;
    json_auto_t *all = progress_read(&ignored);
    struct progress score = progress_of(all, key);

    buf_addf(text, _("This was lesson %d: %s"), t->card.number, t->card.title);
    score.asked = t->predicted;
    score.right = t->right;
    if (t->predicted > 0 && !p->class)
        lesson_panel_add_score(text, key, &score);
    for (int i = SKILL_NONE + 1; i < SKILLS && !p->class; i++)
        if (skills[i].lesson != NULL && strcmp(skills[i].lesson, key) == 0)
            buf_addf(&practice, "%scollviz %s",
                     practice.length > 0 ? _(", ") : "", skills[i].exercise);
    if (practice.length > 0)
        buf_addf(text, _("\nPractise it: %s"), buf_text(&practice));
    if (next != NULL) {
        buf_addf(&title, "%d  %s", next->number, next->title);
        buf_addf(text, _("\nNext: %s"), buf_text(&title));
    }
    p->panel.keys.enter = next != NULL      ? N_("go on")
                          : p->back == NULL ? N_("all lessons")
                                            : NULL;
    p->panel.headed = true;
    p->panel.text = buf_text(text);
}

void
lesson_panel_done(struct lesson_panel *p)
{
    buf_done(&p->text);
    buf_done(&p->aside);
    buf_done(&p->status);
    buf_done(&p->wiring);
    buf_done(&p->votes);
}
