/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/print.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/prose.h"
#include "text/notation.h"
#include "text/text.h"
#include "tutor/exam.h"
#include "tutor/tutor.h"

enum {
    COLUMNS = 79,
    STEPS_WHOLE = 4, /* steps between two pages that are all printed */
};

struct transcript {
    struct tutor *tutor;
    bool answers;
    int tables; /* number of the tutor's tables printed so far */
    int run;    /* the run whose steps are to be printed next; -1: none */
    int printed[TUTOR_RUNS]; /* steps of each run; -1: not even its input */
    struct {
        int run, step;
    } last; /* the picture printed last; run -1: none */
};

/* Prints wrapped text: the first line after `first`, the others indented to the
 * same column. */
static void
put_lines(const char *first, const char *text)
{
    int indent = utf8_columns(first);
    struct wrap w = {.text = text, .columns = COLUMNS - indent};

    for (const char *before = first; wrap_next(&w); before = "") {
        if (w.length == 0)
            print("\n");
        else
            print("%s%*s%.*s\n", before, before == first ? 0 : indent, "",
                  (int)w.length, w.line);
    }
}

/* "ring all-reduce on 3 GPUs" */
static void
add_title(const struct schedule *s, struct buf *text)
{
    struct buf title = {0};
    int gpus = schedule_members(s);

    text_title(s, &title);
    buf_addf(text, ngettext("%1$s on %2$d GPU", "%1$s on %2$d GPUs", gpus),
             buf_text(&title), gpus);
    buf_putc(text, '\n');
    buf_done(&title);
}

/* Prints the picture of a run at a position, which the text has shown. */
static void
print_picture(struct transcript *p, int run, int position, struct buf *text)
{
    world_seek(p->tutor->runs[run]->session.world, position);
    p->last.run = run;
    p->last.step = position;
    print("%s", buf_text(text));
    buf_done(text);
}

/* Prints what run p->run has done since the last call, of many steps only the
 * first and the last.  The first of all also says how to read it. */
static void
print_run(struct transcript *p)
{
    struct world *w =
        p->run >= 0 ? p->tutor->runs[p->run]->session.world : NULL;
    struct buf text = {0};
    int *printed = &p->printed[p->run >= 0 ? p->run : 0], position, left;

    if (w == NULL || *printed >= w->position)
        return;
    position = w->position;
    if (p->last.run < 0) {
        print("\n");
        put_lines("  ", _("(On paper a line is a GPU, with what its slots "
                          "hold. - is an empty slot, and =>(A2) data on its "
                          "way to the GPU that follows.)"));
    }
    if (*printed < 0) {
        buf_putc(&text, '\n');
        add_title(w->schedule, &text);
        text_input(w, false, &text);
        *printed = 0;
    }
    left = position - *printed;
    for (int step = *printed + 1; step <= position; step++) {
        if (left <= STEPS_WHOLE || step == *printed + 1 || step == position) {
            buf_putc(&text, '\n');
            text_step(w, step, false, &text);
        } else if (step == *printed + 2) {
            buf_addf(&text, ngettext("\n... %d step more ...\n",
                                     "\n... %d steps more ...\n", left - 2),
                     left - 2);
        }
    }
    *printed = position;
    if (position == w->nsteps && w->has_result)
        text_result(w, &text);
    print_picture(p, p->run, position, &text);
}

/* On paper the reader sees what was printed last.  If the screen has another
 * picture, because the lesson has come back to a run or a step, prints that
 * one again. */
static void
print_again(struct transcript *p)
{
    const struct tutor *t = p->tutor;
    struct world *w = tutor_world(t);
    struct buf text = {0};
    int step;

    if (t->table != NULL && p->tables < t->tables) {
        print("\n%s\n", t->table);
        p->tables = t->tables;
    }
    if (w == NULL || t->table != NULL ||
        (p->last.run == t->shown && p->last.step == w->position))
        return;
    step = w->position;
    buf_addf(&text, "\n%s", _("once more: "));
    add_title(w->schedule, &text);
    if (step > 0)
        text_step(w, step, false, &text);
    else
        text_input(w, false, &text);
    print_picture(p, t->shown, step, &text);
}

/* All transfers of the run that a question is about, as they are typed. */
static void
print_schedule(const struct schedule *s)
{
    struct region out = schedule_outputs(s);
    struct notation n = {.nranks = s->nranks, .first = out.first,
                         .nslots = out.count};
    struct buf first = {0}, text = {0};
    size_t count;

    print("\n");
    for (int step = 1; step <= s->nsteps; step++) {
        const struct transfer *t = schedule_transfers(s, step, &count);
        buf_clear(&first);
        buf_clear(&text);
        buf_addf(&first, _("  step %d   "), step);
        for (size_t i = 0; i < count; i++) {
            buf_puts(&text, i > 0 ? ", " : "");
            notation_add(&n, &t[i], &text);
        }
        put_lines(buf_text(&first), buf_text(&text));
    }
    buf_done(&first);
    buf_done(&text);
}

static void
print_question(struct transcript *p)
{
    const struct quiz *q = &p->tutor->quiz;
    struct buf answer = {0}, first = {0};

    if (q->kind == QUIZ_TRANSFER || q->kind == QUIZ_MEND)
        print_schedule(tutor_world(p->tutor)->schedule);
    print("\n");
    put_lines("  ? ", q->text);
    for (int i = 0; i < q->nitems; i++) {
        char letter[] = "    a) ";
        letter[4] = (char)('a' + i);
        put_lines(letter, quiz_item(q, q->shown[i]));
    }
    if (!p->answers || !q->predicts)
        print("%s", _("    answer: ____________\n"));
    for (int i = 0; p->answers && i < q->nhints; i++)
        put_lines(_("    hint: "), q->hints[i]);
    for (int i = 0; p->answers && i < q->nlines; i++) {
        buf_clear(&answer);
        buf_clear(&first);
        quiz_answer_text(q, q->lines[i].answer, &answer);
        buf_addf(&first, _("    not %s: "), buf_text(&answer));
        put_lines(buf_text(&first), q->lines[i].text);
    }
    buf_done(&answer);
    buf_done(&first);
}

static void
print_page(const struct transcript *p)
{
    const struct page *page = &p->tutor->page;
    bool answer = page_answers(page->kind);
    const char *head = page->kind == PAGE_PLAY       ? _("  To play with:")
                       : page->kind == PAGE_REMEMBER ? _("  To remember:")
                       : page->kind == PAGE_USED ? _("  Where it is used:")
                                                 : NULL;

    if (answer && !p->answers)
        return;
    print("\n");
    if (head != NULL)
        print("%s\n", head);
    put_lines(answer ? "  = " : "  ", page->text);
}

static bool
turn(struct transcript *p, struct err *err)
{
    struct tutor *t = p->tutor;
    struct session *s = t->shown >= 0 ? &t->runs[t->shown]->session : NULL;

    /* The result comes soon after the last step, and is printed with it. */
    while (s != NULL && !s->world->has_end && s->granted == s->world->nsteps &&
           s->world->position == s->world->nsteps)
        if (!tutor_await(s, err))
            return false;
    /* A table is printed at once, and a run before another takes its place. */
    if (p->run != t->shown || p->tables < t->tables)
        print_run(p);
    if (p->tables < t->tables)
        print("\n%s\n", t->table);
    p->tables = t->tables;
    p->run = t->shown;
    switch (t->state) {
    case TUTOR_PAGE:
        print_run(p);
        if (t->page.kind == PAGE_TEXT)
            print_again(p);
        print_page(p);
        return tutor_go_on(t, err);
    case TUTOR_ASKS:
        print_run(p);
        print_again(p);
        print_question(p);
        return tutor_answer(t, NULL, err);
    default:
        return tutor_wait(t, err);
    }
}

bool
transcript(const char *path, const struct options *o, bool answers,
           struct err *err)
{
    struct transcript p = {.answers = answers, .run = -1, .last.run = -1};
    struct buf title = {0};
    const struct card *card;
    bool ok;

    p.tutor = tutor_open(path, o, err);
    if (p.tutor == NULL)
        return false;
    memset(p.printed, -1, sizeof p.printed);
    p.tutor->hurry = true;
    card = &p.tutor->card;
    while ((ok = tutor_advance(p.tutor, clock_ns(), err)) &&
           p.tutor->state != TUTOR_OVER && signals_ending() == 0) {
        if (title.length == 0 && card->title != NULL) {
            utf8_add(&title, card->title);
            buf_putc(&title, '\n');
            print("%d  %s", card->number, buf_text(&title));
            put_lines("  ", card->idea);
        }
        if (!(ok = turn(&p, err)))
            break;
    }
    if (ok)
        print_run(&p);
    buf_done(&title);
    tutor_close(p.tutor);
    return ok || signals_ending() != 0;
}

/* Exams. */

/* A question in the round of a task, below the picture that it is about; or its
 * number and its answer. */
static bool
print_task(struct transcript *p, const struct task *task, int number,
           struct err *err)
{
    struct tutor *t = p->tutor;
    bool ok = true, asked = false;

    t->hurry = true;
    tutor_review(t, task->question, task->round);
    while (ok && (ok = tutor_advance(t, clock_ns(), err)) &&
           t->state != TUTOR_OVER && signals_ending() == 0) {
        if (t->state == TUTOR_ASKS) {
            asked = true;
            if (!p->answers) {
                print("\n%d.", number);
                print_again(p);
                print_question(p);
                break;
            }
            ok = tutor_answer(t, NULL, err);
        } else if (t->state == TUTOR_PAGE) {
            if (page_answers(t->page.kind)) {
                struct buf first = {0};
                buf_addf(&first, "%3d  ", number);
                put_lines(buf_text(&first), t->page.text);
                buf_done(&first);
            }
            ok = tutor_go_on(t, err);
        } else {
            ok = tutor_wait(t, err);
        }
    }
    return ok && (asked || err_set(err, "%s: there is no question %d",
                                   task->path, task->question + 1));
}

bool
transcript_exam(const struct exam *e, const struct options *o, bool answers,
                struct err *err)
{
    bool ok = true;

    print(answers ? _("collviz exam %s: the key\n")
                  : _("collviz exam %s          name: "
                      "____________________________\n"), e->name);
    for (int i = 0; ok && i < e->ntasks && signals_ending() == 0; i++) {
        struct transcript p = {.answers = answers, .run = -1, .last.run = -1};
        p.tutor = tutor_open(e->tasks[i].path, o, err);
        ok = p.tutor != NULL && print_task(&p, &e->tasks[i], i + 1, err);
        tutor_close(p.tutor);
    }
    return ok || signals_ending() != 0;
}
