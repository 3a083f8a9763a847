/* SPDX-License-Identifier: MIT */
#include "screen/teach_panel.h"

#include <stdio.h>

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

/* An item of a question; an empty slot has no text. */
static const char *
item_text(const struct quiz *q, int i)
{
    return q->items[i][0] != '\0' ? q->items[i] : _("nothing");
}

/* What the class may choose from, or sort. */
static void
fill_items(struct teach_panel *p, const struct quiz *q)
{
    for (int i = 0; i < q->nitems; i++)
        add_item(&p->panel, item_text(q, q->shown[i] - 1));
    p->panel.letter = 'a';
    p->panel.stacked = q->kind == QUIZ_ORDER;
}

/* The answer, below the question: the right choice is marked. */
static void
fill_revealed(struct teach_panel *p, const struct tutor *t)
{
    const struct quiz *q = &t->quiz;
    size_t last = json_array_size(t->truths) - 1;
    json_int_t truth = json_integer_value(json_array_get(t->truths, last));

    buf_puts(&p->text, q->text);
    if (q->kind != QUIZ_CHOICE) {
        p->panel.closing = t->page.text;
        return;
    }
    fill_items(p, q);
    for (int i = 0; i < q->nitems; i++)
        if (q->shown[i] == truth)
            p->panel.right = i;
    p->panel.closing = q->why;
}

static void
fill_page(struct teach_panel *p, const struct tutor *t, enum glyph_set set)
{
    struct panel *panel = &p->panel;
    const struct page *page = &t->page;

    switch (page->kind) {
    case PAGE_PLAY:
        buf_addf(&p->text, "%s\n", _("Now you."));
        panel->headed = true;
        break;
    case PAGE_REMEMBER:
        buf_addf(&p->text, "%s\n", _("To remember"));
        panel->headed = true;
        break;
    case PAGE_RIGHT:
    case PAGE_WRONG:
    case PAGE_TRUTH:
        panel->headed = !p->class;
        panel->asked.rank = t->quiz.rank;
        panel->asked.slot = t->quiz.slot;
        if (page->kind != PAGE_TRUTH)
            add_sign(&p->text, set,
                     page->kind == PAGE_RIGHT ? GLYPH_YES : GLYPH_NO);
        break;
    default:
        break;
    }
    if (p->class && page->kind == PAGE_TRUTH)
        fill_revealed(p, t);
    else
        buf_puts(&p->text, page->text);
}

static void
fill_choice(struct panel *panel, const struct reply *r)
{
    for (int i = 0; i < r->quiz->nitems; i++)
        add_item(panel, item_text(r->quiz, r->quiz->shown[i] - 1));
    panel->refused = r->refused;
    add_item(panel, _("I don't know: show me"));
    panel->chosen = r->chosen;
}

/* Shows the ranks around the chosen one.  After the last rank comes the answer
 * that the learner does not know. */
static void
fill_rank(struct teach_panel *p, const struct reply *r)
{
    int choices = r->quiz->nranks + 1;
    int first = (r->chosen < 0 ? r->refused : r->chosen) - TEACH_RANKS / 2;

    if (first > choices - TEACH_RANKS)
        first = choices - TEACH_RANKS;
    if (first < 0)
        first = 0;
    for (int i = 0; i < TEACH_RANKS && first + i < choices; i++) {
        snprintf(p->ranks[i], sizeof p->ranks[i], _("GPU %d"), first + i);
        add_item(&p->panel, first + i < r->quiz->nranks
                                ? p->ranks[i]
                                : _("I don't know: show me"));
    }
    p->panel.chosen = r->chosen - first;
    p->panel.refused = r->refused < 0 ? -1 : r->refused - first;
}

static void
fill_order(struct panel *panel, const struct reply *r)
{
    for (int i = 0; i < r->quiz->nitems; i++)
        add_item(panel, item_text(r->quiz, r->order[i] - 1));
    panel->chosen = r->chosen;
    panel->held = r->held;
    panel->stacked = true;
}

/* What can be answered, and the reply so far. */
static void
fill_answer(struct teach_panel *p, const struct reply *r)
{
    switch (r->quiz->kind) {
    case QUIZ_CHOICE:
        fill_choice(&p->panel, r);
        break;
    case QUIZ_RANK:
        fill_rank(p, r);
        break;
    case QUIZ_ORDER:
        fill_order(&p->panel, r);
        break;
    default:
        p->panel.typed = r->prompt.text + 1; /* skips the label's blank */
        break;
    }
}

/* The question stays while the run shows the answer. */
static void
fill_question(struct teach_panel *p, const struct tutor *t,
              const struct reply *r)
{
    buf_puts(&p->text, t->quiz.text);
    p->panel.asked.rank = t->quiz.rank;
    p->panel.asked.slot = t->quiz.slot;
    if (p->class)
        fill_items(p, &t->quiz);
    else if (r->quiz != NULL)
        fill_answer(p, r);
}

/* The hint that was asked for, or why the first try is wrong. */
static void
add_help(const struct tutor *t, const struct reply *r, enum glyph_set set,
         struct buf *aside)
{
    if (r->hints > 0) {
        buf_puts(aside, t->quiz.hints[r->hints - 1]);
    } else if (t->objection != NULL) {
        add_sign(aside, set, GLYPH_NO);
        buf_puts(aside, t->objection);
    }
}

/* The speaker's notes come last: what the class asked for stays in sight. */
static void
fill_aside(struct teach_panel *p, const struct tutor *t, const struct reply *r,
           enum glyph_set set)
{
    bool asks = t->state == TUTOR_ASKS;

    buf_clear(&p->aside);
    if (asks)
        add_help(t, r, set, &p->aside);
    if (p->noted && (asks || t->state == TUTOR_PAGE)) {
        if (p->aside.length > 0)
            buf_putc(&p->aside, '\n');
        notes_add(t, set, &p->aside);
    }
    if (p->aside.length > 0)
        p->panel.aside = buf_text(&p->aside);
}

static unsigned
state_of_page(const struct teach_panel *p, const struct tutor *t)
{
    bool tries = t->page.kind == PAGE_PLAY && !p->played;

    return (tries ? KEY_TO_TRY : KEY_GOES_ON) |
           (t->page.kind == PAGE_REMEMBER ? KEY_REMEMBER : 0) |
           (t->program != NULL && t->table != NULL ? KEY_PROGRAM : 0);
}

static unsigned
state_of_question(const struct teach_panel *p, const struct tutor *t,
                  const struct reply *r)
{
    unsigned state = r->hints < t->quiz.nhints ? KEY_HINTS : 0;
    bool letters = t->quiz.kind == QUIZ_LABEL;
    bool typed = letters || t->quiz.kind == QUIZ_NUMBER;

    if (p->class)
        return state | KEY_REVEALS |
               (t->quiz.predicts ? KEY_PREDICTS : KEY_GOES_ON);
    return state | KEY_ASKED |
           (t->program != NULL && !letters ? KEY_PROGRAM : 0) |
           (!typed                    ? KEY_CHOICE
            : r->prompt.typed[0] == '\0' ? KEY_BLANK
                                         : 0) |
           (t->quiz.kind == QUIZ_ORDER ? KEY_ORDER : 0) |
           (r->held ? KEY_HELD : 0) |
           (t->quiz.kind == QUIZ_NUMBER ? KEY_NUMBER : 0) |
           (letters ? KEY_LABEL : 0);
}

/* The state in which the keys of the lesson are looked up and shown. */
static unsigned
state_of(const struct teach_panel *p, const struct tutor *t,
         const struct reply *r)
{
    int before = t->pages - (t->state != TUTOR_OVER);

    return (p->back != NULL ? KEY_VISITING : 0) |
           (p->presents ? KEY_PRESENTING : 0) |
           (before > 0 && t->review < 0 ? KEY_BEFORE : 0) |
           (t->shown >= 0 ? KEY_RUN : 0) |
           (t->state == TUTOR_PAGE   ? state_of_page(p, t)
            : t->state == TUTOR_ASKS ? state_of_question(p, t, r)
                                     : 0);
}

void
teach_panel_fill(struct teach_panel *p, const struct tutor *t,
                 const struct reply *r, enum glyph_set set)
{
    buf_clear(&p->text);
    p->panel = (struct panel){
        .number = t->number,
        .title = t->title != NULL ? t->title : "",
        .progress = (double)t->farthest / t->lines,
        .full = t->shown < 0 && t->table == NULL,
        .table = t->table,
        .figure = t->figure,
        .chosen = -1,
        .refused = -1,
        .right = -1,
        .asked.rank = -1,
        .keys = lesson_keys,
        .state = state_of(p, t, r),
    };
    if (t->state == TUTOR_PAGE) {
        fill_page(p, t, set);
    } else if (t->state == TUTOR_ASKS) {
        fill_question(p, t, r);
    } else if (t->revealing) {
        fill_question(p, t, r);
    } else if (t->measurement != NULL) {
        buf_puts(&p->text, _("Measuring ..."));
    } else if (t->state == TUTOR_BUSY && p->panel.full) {
        buf_puts(&p->text, _("Starting ..."));
    }
    p->panel.text = buf_text(&p->text);
    fill_aside(p, t, r, set);
}

void
teach_panel_done(struct teach_panel *p)
{
    buf_done(&p->text);
    buf_done(&p->aside);
    buf_done(&p->status);
}
