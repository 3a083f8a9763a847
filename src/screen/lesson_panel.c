/* SPDX-License-Identifier: MIT */
#include "screen/lesson_panel.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "lesson/attempt.h"
#include "tutor/notes.h"

/* "✓ " or "✗ ": right and wrong differ without colours and in any language. */
static void
add_sign(struct buf *text, enum glyph_set set, enum glyph g)
{
    char sign[4];

    buf_addf(text, "%.*s ", utf8_put(sign, glyph(set, g)), sign);
}

void
lesson_panel_add_item(struct lesson_panel *p, const char *text)
{
    p->panel.items[p->panel.nitems++] = text;
}

void
lesson_panel_add_items(struct lesson_panel *p, const struct question *q,
                       const int *numbers)
{
    for (int i = 0; i < q->nitems; i++)
        lesson_panel_add_item(p, question_item(q, numbers[i]));
    p->panel.letter = 'a';
}

/* The answer, below the question: the choice or line that is right is marked,
 * and one that was wrong. */
static void
fill_answer(struct lesson_panel *p, const struct tutor_seen *t)
{
    const struct question *q = &t->question;
    const json_t *all = t->record.answers;
    size_t count = json_array_size(all);
    struct attempt a = attempt_read(json_array_get(all, count - 1));
    json_int_t truth = json_integer_value(record_truth(&t->record));
    json_int_t last = json_integer_value(a.last);
    json_int_t wrong = last != truth ? last : json_integer_value(a.first);

    if (q->kind == QUIZ_LINE) {
        p->panel.right_row = (int)truth;
        p->panel.refused_row = (int)wrong;
    }
    if (!question_kind(q)->chooses)
        return;
    lesson_panel_add_items(p, q, q->shown);
    for (int i = 0; i < q->nitems; i++) {
        if (q->shown[i] == truth)
            p->panel.right = i;
        else if (q->shown[i] == wrong)
            p->panel.refused = i;
    }
}

static void
fill_page(struct lesson_panel *p, const struct tutor_seen *t,
          enum glyph_set set)
{
    enum page_kind kind = t->page.kind;
    const char *head = kind == PAGE_PLAY       ? _("Now you.")
                       : kind == PAGE_REMEMBER ? _("To remember")
                                               : NULL;
    const char *why = t->question.why != NULL ? t->question.why : "";
    bool answers = page_answers(kind);

    p->panel.headed = head != NULL || (answers && !p->class);
    if (head != NULL)
        buf_addf(&p->text, "%s\n", head);
    if (answers)
        p->panel.asked =
            (struct asked_slot){t->question.rank, t->question.slot};
    if (kind == PAGE_RIGHT || kind == PAGE_WRONG)
        add_sign(&p->text, set, kind == PAGE_RIGHT ? GLYPH_YES : GLYPH_NO);
    buf_puts(&p->text, t->page.text);
    if (!answers)
        return;
    p->panel.above = t->question.text;
    fill_answer(p, t);
    if (p->panel.nitems > 0) { /* the text stands below them */
        buf_clear(&p->closing);
        buf_puts(&p->closing, p->class ? why : buf_text(&p->text));
        buf_clear(&p->text);
        if (p->closing.length > 0)
            p->panel.closing = buf_text(&p->closing);
    }
}

/* The votes of browsers beside the choices, or what was typed in them with the
 * most frequent first. */
static void
fill_votes(struct lesson_panel *p, const struct tutor_seen *t)
{
    const struct question *q = &t->question;
    const json_t *truth = record_truth(&t->record);
    bool over = t->state == TUTOR_PAGE;

    if (p->voters == 0 || (p->class && !p->polled && !over) ||
        (p->panel.nitems > 0 && !question_kind(q)->chooses))
        return;
    p->panel.voters = p->voters;
    for (int i = 0; i < PANEL_ITEMS; i++)
        p->panel.votes[i] = i < p->nvotes ? p->votes[i].count : -1;
    for (int i = 0; i < p->nvotes && !question_kind(q)->chooses; i++) {
        lesson_panel_add_item(p, p->votes[i].answer);
        if (over && question_text_is_right(q, p->votes[i].answer, truth))
            p->panel.right = i;
    }
}

/* A hint that was asked for, or why the first try is wrong, which belongs to
 * the choice that is marked, if there is one; below it the speaker's notes. */
static void
fill_aside(struct lesson_panel *p, const struct tutor_seen *t,
           const struct answer *a, enum glyph_set set)
{
    bool asks = t->state == TUTOR_ASKS;

    buf_clear(&p->aside);
    buf_clear(&p->reason);
    if (asks && a->hints > 0) {
        buf_puts(&p->aside, t->question.hints[a->hints - 1]);
    } else if (asks && t->question.objection != NULL) {
        add_sign(&p->reason, set, GLYPH_NO);
        buf_puts(&p->reason, t->question.objection);
        p->panel.reason = buf_text(&p->reason);
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
fill_question_keys(const struct lesson_panel *p, const struct tutor_seen *t,
                   const struct answer *a, struct key_line *l)
{
    const struct question_face *face = question_faces[t->question.kind];

    if (a->hints < t->question.nhints)
        l->state |= KEY(HINTS);
    if (p->class) {
        l->state |= KEY(REVEALS);
        l->enter = p->voters > 0 && !p->polled ? N_("show the votes")
                   : t->question.predicts      ? N_("show the answer")
                                               : N_("go on");
        return;
    }
    l->state |= KEY(ASKED) | face->keys | (a->held ? KEY(HELD) : 0);
    if (t->card.program != NULL && !(face->keys & (KEY(NUMBER) | KEY(LABEL))))
        l->state |= KEY(PROGRAM);
    l->enter = a->empty ? answer_not_known(a) : N_("answer");
    if (face->add_keys != NULL && a->question != NULL)
        face->add_keys(a, l);
}

/* The keys of the lesson, and the state in which they are looked up. */
static struct key_line
lesson_keys(const struct lesson_panel *p, const struct tutor_seen *t,
            const struct answer *a)
{
    struct key_line l = {.on = ON_LESSON, .back = p->back};
    bool tries = t->page.kind == PAGE_PLAY && !p->played && !p->closed;

    if (p->back != NULL)
        l.state |= KEY(VISITING);
    if (t->how.examines)
        l.state |= KEY(EXAM);
    if (p->presents)
        l.state |= KEY(PRESENTING);
    if (t->pages > (t->state != TUTOR_OVER) && t->how.round == 0)
        l.state |= KEY(BEFORE);
    if (t->state == TUTOR_PAGE) {
        l.enter = tries ? N_("try it") : N_("go on");
        if (tries)
            l.state |= KEY(TO_TRY);
        if (t->page.kind == PAGE_REMEMBER)
            l.state |= KEY(TABLE);
        if (t->card.program != NULL && t->picture.table != NULL)
            l.state |= KEY(PROGRAM);
    } else if (t->state == TUTOR_ASKS) {
        fill_question_keys(p, t, a, &l);
    }
    if (t->picture.shown >= 0 && !p->closed &&
        !(l.state & (KEY(TO_TRY) | KEY(TYPES))) &&
        (t->state != TUTOR_ASKS || /* where > is part of the answer */
         !(question_faces[t->question.kind]->keys & KEY(PLACE))))
        l.state |= KEY(RUN);
    return l;
}

/* The part of the lesson that is over, 0 to 1. */
static double
progress_of_lesson(const struct tutor_seen *t)
{
    const double minute_ns = 60e9;
    double part = (double)t->farthest / t->lines;

    if (t->lecture && t->card.lecture > 0)
        part = (double)t->planned_ns / (t->card.lecture * minute_ns);
    return t->state == TUTOR_OVER || part > 1 ? 1 : part;
}

void
lesson_panel_fill(struct lesson_panel *p, const struct tutor_seen *t,
                  const struct answer *a, enum glyph_set set)
{
    buf_clear(&p->text);
    p->panel = (struct panel){
        .number = t->card.number,
        .title = t->card.title != NULL ? t->card.title : "",
        .progress = progress_of_lesson(t),
        .full = t->picture.shown < 0 && t->picture.table == NULL,
        .table = t->picture.table,
        .headless = t->picture.nlines > 0,
        .figure = t->picture.figure,
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
            lesson_panel_add_items(p, &t->question, t->question.shown);
        else if (a->question != NULL)
            answer_face(a)->fill(a, p);
    } else if (t->measurement != NULL) {
        buf_puts(&p->text, _("Measuring ..."));
    } else if (t->state == TUTOR_BUSY && p->panel.full) {
        buf_puts(&p->text, _("Starting ..."));
    }
    p->panel.text = buf_text(&p->text);
    fill_votes(p, t);
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
lesson_panel_end(struct lesson_panel *p, const struct tutor_seen *t,
                 const char *key, const struct card *next)
{
    struct buf *text = &p->text;
    OWN(buf) title = {0}, practice = {0};
    struct err ignored;
    json_auto_t *all = progress_read(&ignored);
    struct progress score = progress_of(all, key);

    buf_addf(text, _("This was lesson %d: %s"), t->card.number, t->card.title);
    score.asked = t->record.predicted;
    score.right = t->record.right;
    if (t->record.predicted > 0 && !p->class)
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
    buf_done(&p->closing);
    buf_done(&p->reason);
}
