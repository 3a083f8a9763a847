/* SPDX-License-Identifier: MIT */
#include "screen/teach_panel.h"

#include <stdio.h>

#include "base/translate.h"

static void
fill_page(struct teach_panel *p, const struct tutor *t, bool arrows)
{
    struct panel *panel = &p->panel;
    const struct page *page = &t->page;

    switch (page->kind) {
    case PAGE_PLAY:
        buf_addf(&p->text, "%s\n%s", _("Now you."), page->text);
        panel->headed = true;
        panel_add_key(panel, "Enter", _("try it"));
        panel_add_key(panel, arrows ? "→" : "l", _("go on"));
        break;
    case PAGE_REMEMBER:
        buf_addf(&p->text, "%s\n%s", _("To remember"), page->text);
        panel->headed = true;
        break;
    default:
        buf_puts(&p->text, page->text);
        panel->headed = page->kind == PAGE_RIGHT ||
                        page->kind == PAGE_WRONG || page->kind == PAGE_TRUTH;
        break;
    }
    if (panel->headed && page->kind != PAGE_PLAY &&
        page->kind != PAGE_REMEMBER) {
        panel->asked.rank = t->quiz.rank;
        panel->asked.slot = t->quiz.slot;
    }
    if (page->kind != PAGE_PLAY)
        panel_add_key(panel, "Enter", _("go on"));
    if (t->pages > 1)
        panel_add_key(panel, arrows ? "←" : "h", _("back"));
    if (page->kind != PAGE_PLAY && t->shown >= 0)
        panel_add_key(panel, "Esc", _("play by yourself"));
    panel_add_key(panel, "m", _("lessons"));
    panel_add_key(panel, "q", _("quit"));
}

/* Those around the chosen one; behind the last, not to know. */
static void
add_ranks(struct teach_panel *p, const struct reply *r)
{
    struct panel *panel = &p->panel;
    int first = r->chosen - TEACH_RANKS / 2;

    if (first > r->quiz->nranks + 1 - TEACH_RANKS)
        first = r->quiz->nranks + 1 - TEACH_RANKS;
    if (first < 0)
        first = 0;
    for (int i = 0; i < TEACH_RANKS && first + i <= r->quiz->nranks; i++) {
        snprintf(p->ranks[i], sizeof p->ranks[i], _("GPU %d"), first + i);
        panel->items[panel->nitems++] = first + i < r->quiz->nranks
                                            ? p->ranks[i]
                                            : _("I don't know: show me");
    }
    panel->chosen = r->chosen - first;
}

static void
fill_question(struct teach_panel *p, const struct tutor *t,
              const struct reply *r, bool arrows)
{
    struct panel *panel = &p->panel;
    const struct quiz *q = &t->quiz;

    buf_puts(&p->text, q->text);
    panel->asked.rank = q->rank;
    panel->asked.slot = q->slot;
    panel->chosen = r->chosen;
    panel->held = r->held;
    panel->stacked = q->kind == QUIZ_ORDER;
    for (int i = 0; i < q->nitems; i++) {
        int item = q->kind == QUIZ_ORDER ? r->order[i] - 1 : i;
        panel->items[panel->nitems++] =
            q->items[item][0] != '\0' ? q->items[item] : _("nothing");
    }
    switch (q->kind) {
    case QUIZ_CHOICE:
        panel->items[panel->nitems++] = _("I don't know: show me");
        panel_add_key(panel, arrows ? "←→" : "Tab", _("choose"));
        break;
    case QUIZ_RANK:
        add_ranks(p, r);
        panel_add_key(panel, arrows ? "←→" : "Tab", _("choose"));
        break;
    case QUIZ_ORDER:
        panel_add_key(panel, arrows ? "↑↓" : "Tab", _("choose"));
        panel_add_key(panel, _("space"),
                      r->held ? _("put down") : _("take along"));
        break;
    default:
        panel->typed = r->prompt.text + 1; /* behind an empty label's blank */
        panel_add_key(panel, q->kind == QUIZ_NUMBER ? "0-9" : "A-Z 0-9 +",
                      _("type"));
        break;
    }
    panel_add_key(panel, "Enter",
            panel->typed != NULL && r->prompt.typed[0] == '\0'
                ? _("I don't know: show me")
                : _("answer"));
    if (r->hints < q->nhints)
        panel_add_key(panel, "?", _("hint"));
    if (t->pages > 1)
        panel_add_key(panel,
                      panel->typed == NULL ? "Backspace"
                      : arrows             ? "←"
                                           : "Left",
                      _("back"));
    if (t->shown >= 0)
        panel_add_key(panel, "Esc", _("play by yourself"));
    if (r->hints > 0)
        panel->aside = q->hints[r->hints - 1];
}

void
teach_panel_fill(struct teach_panel *p, const struct tutor *t,
                 const struct reply *r, enum glyph_set set)
{
    bool arrows = set == GLYPHS_FULL;

    buf_clear(&p->text);
    p->panel = (struct panel){
        .number = t->number,
        .title = t->title != NULL ? t->title : "",
        .progress = (double)t->farthest / t->lines,
        .full = t->shown < 0 && t->table == NULL,
        .table = t->table,
        .chosen = -1,
        .asked.rank = -1,
    };
    if (t->state == TUTOR_PAGE)
        fill_page(p, t, arrows);
    else if (t->state == TUTOR_ASKS)
        fill_question(p, t, r, arrows);
    p->panel.text = buf_text(&p->text);
}

void
teach_panel_done(struct teach_panel *p)
{
    buf_done(&p->text);
}
