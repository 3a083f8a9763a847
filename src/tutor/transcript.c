/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/print.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/prose.h"
#include "text/text.h"
#include "tutor/exam.h"
#include "tutor/notes.h"
#include "tutor/read.h"

enum { COLUMNS = 79 };

static const struct tutor_how nobody = {.unwatched = true};

struct transcript {
    struct tutor *tutor;
    const struct tutor_seen *seen; /* of it */
    struct buf key; /* the answers, which have a page of their own */
    int questions;  /* number of questions printed so far */
    struct buf printed; /* tables, and what pictures showed */
    struct {
        int run, step;
    } last; /* the picture printed last; run -1: none */
    bool explained; /* how transfers are written */
};

/* Adds wrapped text: the first line after `first`, the others indented to the
 * same column. */
static void
add_wrapped(struct buf *out, const char *first, const char *text)
{
    int indent = utf8_columns(first);
    struct wrap w = {.text = text, .columns = COLUMNS - indent};

    for (const char *before = first; wrap_next(&w); before = "") {
        if (w.length > 0)
            buf_addf(out, "%s%*s%.*s", before, before == first ? 0 : indent,
                     "", (int)w.length, w.line);
        buf_putc(out, '\n');
    }
}

static void
print_wrapped(const char *first, const char *text)
{
    OWN(buf) lines = {0};

    add_wrapped(&lines, first, text);
    print("%s", buf_text(&lines));
}

/* Prints a line without the blanks at its end.  If it is too long, it has none
 * between slots either, and goes on below its second word. */
static void
print_trimmed(const char *line, size_t length)
{
    OWN(buf) text = {0}, head = {0};
    size_t blanks = strspn(line, " "), word = strcspn(line + blanks, " \n");

    while (length > 0 && line[length - 1] == ' ')
        length--;
    buf_add(&text, line, length);
    if (utf8_columns(buf_text(&text)) > COLUMNS) {
        buf_clear(&text);
        for (size_t i = 0; i < length; i++)
            if (line[i] != ' ' || i == 0 || i + 1 == length ||
                (line[i - 1] != '|' && line[i + 1] != '|'))
                buf_putc(&text, line[i]);
    }
    if (utf8_columns(buf_text(&text)) > COLUMNS && blanks + word < length) {
        buf_add(&head, line, blanks + word + 1);
        print_wrapped(buf_text(&head), buf_text(&text) + head.length);
    } else {
        print("%s\n", buf_text(&text));
    }
}

/* Prints a table; of a chart's points, below two lines, every third and the
 * last. */
static void
print_shown_table(const char *table, bool chart)
{
    size_t length;

    for (int i = 0; *table != '\0'; i++) {
        length = strcspn(table, "\n");
        if (!chart || i < 2 || i % 3 == 1 || table[length] == '\0' ||
            table[length + 1] == '\0')
            print_trimmed(table, length);
        table += length + (table[length] == '\n');
    }
}

/* Prints the rows of a picture.  Ranks stand side by side as far as there is
 * room, "GPU0 [A0]   GPU1 [B0]", and those that hold the same have one row,
 * "GPU2-GPU7 [-]". */
static void
print_rows(const struct step_rows *all)
{
    const struct step_row *row = all->rows, *end = row + all->count;
    OWN(buf) line = {0};
    size_t column[2] = {1, 1}; /* what they send; what they hold */
    bool held = false;

    for (const struct step_row *r = row; r < end; r++) {
        size_t width = 2 + r->who.length + r->holds + r->what.length + 1;
        column[r->holds] = width > column[r->holds] ? width : column[r->holds];
    }
    while (row < end) {
        const struct step_row *first = row++;
        size_t begin;
        if (line.length > 0 &&
            (first->holds != held ||
             line.length + column[first->holds] > COLUMNS)) {
            print_trimmed(buf_text(&line), line.length);
            buf_clear(&line);
        }
        held = first->holds;
        begin = line.length;
        buf_addf(&line, "  %s", buf_text(&first->who));
        while (held && row < end && row->holds &&
               strcmp(buf_text(&row->what), buf_text(&first->what)) == 0)
            row++;
        if (row > first + 1)
            buf_addf(&line, "-%s", buf_text(&row[-1].who));
        if (held)
            buf_addf(&line, " %s", buf_text(&first->what));
        do
            buf_putc(&line, ' ');
        while ((line.length - begin) % column[held] != 0);
    }
    if (line.length > 0)
        print_trimmed(buf_text(&line), line.length);
}

/* Whether a text speaks of what a picture shows: of a GPU by its number, of
 * data by their name, or of "this". */
static bool
is_about_picture(const char *text)
{
    /* TRANSLATORS: what a text calls the picture above it */
    const char *this = _("this");

    for (const char *p = text; *p != '\0'; p++) {
        bool begins = p == text || !isalnum((unsigned char)p[-1]);
        if (begins && (strncasecmp(p, this, strlen(this)) == 0 ||
                       (isupper((unsigned char)p[0]) &&
                        isdigit((unsigned char)p[1])) ||
                       (strncmp(p, "GPU ", 4) == 0 &&
                        isdigit((unsigned char)p[4]))))
            return true;
    }
    return false;
}

/* Prints what stands above the text on the screen, a table or a picture, unless
 * it has been printed. */
static void
print_shown(struct transcript *p)
{
    const struct picture *shown = &p->seen->picture;
    struct world *w = picture_world(shown);
    OWN(buf) text = {0}, title = {0}, head = {0};
    OWN(step_rows) rows = {0};
    int gpus;

    if (shown->table != NULL &&
        strstr(buf_text(&p->printed), shown->table) == NULL) {
        buf_puts(&p->printed, shown->table);
        print("\n");
        print_shown_table(shown->table, shown->figure != NULL);
    }
    if (shown->table != NULL || w == NULL ||
        (p->last.run == shown->shown && p->last.step == w->position))
        return;
    if (p->last.run < 0) {
        print("\n");
        print_wrapped("  ", _("(On paper a line is a GPU, with what its slots "
                              "hold. - is an empty slot, and =>(A2) data on "
                              "its way to the GPU that follows.)"));
    }
    text_title(w->schedule, &title);
    gpus = schedule_members(w->schedule);
    buf_addf(&head, ngettext("%1$s on %2$d GPU, ", "%1$s on %2$d GPUs, ", gpus),
             buf_text(&title), gpus);
    text_step_head(w, w->position, false, &head);
    text_step_rows(w, w->position, false, &rows);
    step_rows_add(&rows, &text);
    print("\n");
    print_trimmed(buf_text(&head), head.length);
    if (strstr(buf_text(&p->printed), buf_text(&text)) == NULL) {
        buf_puts(&p->printed, buf_text(&text));
        print_rows(&rows);
    } else {
        print("%s", _("  as above\n"));
    }
    p->last.run = shown->shown;
    p->last.step = w->position;
}

/* Says how transfers are written, once, before the first of them. */
static void
explain_transfers(struct transcript *p, const char *first, struct buf *out)
{
    if (!p->explained)
        add_wrapped(out, first,
                    _("(0>1 +2: GPU 0 sends what is in its slot 2 to GPU 1, "
                      "which adds it to its slot 2; 0>1 =2: which replaces it; "
                      "0>1 =2..4: the same with slots 2 to 4.)"));
    p->explained = true;
}

/* Adds a line for each step: its number in this format, then its transfers as
 * they are typed. */
static void
add_step_lines(const json_t *steps, const char *format, struct buf *out)
{
    OWN(buf) first = {0};

    for (size_t i = 0; i < json_array_size(steps); i++) {
        buf_clear(&first);
        buf_addf(&first, format, (int)i + 1);
        add_wrapped(out, buf_text(&first),
                    json_string_value(json_array_get(steps, i)));
    }
}

/* All transfers of the run that a question is about. */
static void
print_schedule(struct transcript *p)
{
    json_auto_t *steps = wiring_answer(
        picture_world(&p->seen->picture)->schedule);
    OWN(buf) text = {0};

    explain_transfers(p, "  ", &text);
    add_step_lines(steps, _("  step %d   "), &text);
    print("\n%s", buf_text(&text));
}

/* What a learner needs to answer on paper, and the room for it. */
static void
print_answer_room(struct transcript *p, const struct question *q)
{
    const struct question_kind *kind = question_kind(q);
    OWN(buf) text = {0}, room = {0};

    if (kind->explain != NULL) {
        kind->explain(q, &text);
        print_wrapped("    ", buf_text(&text));
    }
    if (kind->sheet != NULL) {
        explain_transfers(p, "    ", &room);
        kind->sheet(q, picture_world(&p->seen->picture), COLUMNS, &room);
    } else {
        buf_puts(&room, _("    answer: ____________\n"));
    }
    print("%s", buf_text(&room));
}

static void
print_question(void *self)
{
    struct transcript *p = self;
    const struct question *q = &p->seen->question;
    const struct question_kind *kind = question_kind(q);
    OWN(buf) first = {0};

    if (p->seen->picture.table != NULL || q->rank >= 0 || kind->sheet != NULL ||
        is_about_picture(q->text))
        print_shown(p);
    if (kind->notates && kind->of_run)
        print_schedule(p);
    print("\n");
    buf_addf(&first, "%2d. ", ++p->questions);
    print_wrapped(buf_text(&first), q->text);
    for (int i = 0; i < q->nitems; i++) {
        char letter[] = "    a) ";
        letter[4] = (char)('a' + i);
        print_wrapped(letter, question_item(q, q->shown[i]));
    }
    print_answer_room(p, q);
}

/* The answer to the last question, its hints, and what is wrong with others. */
static void
add_key_answer(void *self)
{
    struct transcript *p = self;
    const struct question *q = &p->seen->question;
    OWN(buf) answer = {0}, first = {0};

    buf_addf(&first, "%2d. ", p->questions);
    add_wrapped(&p->key, buf_text(&first), p->seen->page.text);
    if (question_kind(q)->notates)
        explain_transfers(p, "    ", &p->key);
    if (question_kind(q)->steps)
        add_step_lines(record_truth(&p->seen->record), _("    step %d: "),
                       &p->key);
    for (int i = 0; i < q->nlines; i++) {
        buf_clear(&answer);
        buf_clear(&first);
        question_answer_text(q, q->lines[i].answer, &answer);
        buf_addf(&first, _("    not %s: "), buf_text(&answer));
        add_wrapped(&p->key, buf_text(&first), q->lines[i].text);
    }
    for (int i = 0; i < q->nhints; i++)
        add_wrapped(&p->key, _("    hint: "), q->hints[i]);
}

static void
print_page(void *self)
{
    struct transcript *p = self;
    const struct page *page = &p->seen->page;
    const char *head = page->kind == PAGE_PLAY       ? _("  To play with:")
                       : page->kind == PAGE_REMEMBER ? _("  To remember:")
                       : page->kind == PAGE_USED ? _("  Where it is used:")
                                                 : NULL;

    if (p->seen->picture.table != NULL ||
        (page->kind == PAGE_TEXT && is_about_picture(page->text)))
        print_shown(p);
    print("\n");
    if (head != NULL)
        print("%s\n", head);
    print_wrapped("  ", page->text);
}

static void
transcript_done(struct transcript *p)
{
    buf_done(&p->key);
    buf_done(&p->printed);
    tutor_close(p->tutor);
}

static bool
print_title(void *self, struct err *err)
{
    const struct transcript *p = self;
    const struct card *card = &p->seen->card;
    OWN(buf) title = {0};

    (void)err;
    if (card->number > 0)
        buf_addf(&title, "%d  ", card->number);
    utf8_add(&title, card->title);
    print("%s\n", buf_text(&title));
    print_wrapped("  ", card->idea);
    return true;
}

/* Reads all that the tutor plays, if it could be opened. */
static bool
read_all(struct transcript *p, const struct tutor_reader *r, struct err *err)
{
    if (p->tutor == NULL)
        return false;
    p->seen = tutor_seen(p->tutor);
    return tutor_read(p->tutor, r, p, err);
}

static const struct tutor_reader all_pages = {print_title, print_page,
                                              print_question, add_key_answer};

bool
transcript(const char *path, const struct options *o, bool answers,
           struct err *err)
{
    OWN(transcript) p = {.tutor = tutor_open(path, o, &nobody, err),
                         .last.run = -1};
    bool ok = read_all(&p, &all_pages, err);

    if (ok && answers && p.key.length > 0) {
        print_page_break(); /* a form feed, at which printers begin a page */
        print("%s", _("Answers\n"));
        print("\n%s", buf_text(&p.key));
    }
    return ok || signals_ending() != 0;
}

/* The plan of a lecture. */

bool
transcript_plan(const char *path, const struct options *o, int64_t *at_ns,
                struct err *err)
{
    const int64_t second_ns = 1000000000;
    struct tutor *t = tutor_open(path, o, &nobody, err);
    int64_t begins = *at_ns; /* a page, or what moves before it */
    OWN(buf) first = {0};
    const struct tutor_seen *seen;
    bool ok;

    if (t == NULL)
        return false;
    seen = tutor_seen(t);
    while (tutor_next(t, err)) {
        if (seen->state == TUTOR_ASKS || !page_answers(seen->page.kind)) {
            buf_clear(&first);
            notes_add_first_line(seen, &first);
            print("%5d:%02d %s%s %s\n", (int)(begins / second_ns / 60),
                  (int)(begins / second_ns % 60),
                  seen->state == TUTOR_ASKS ? "?" : " ",
                  seen->mark == MARK_SPARE ? "-" : " ", buf_text(&first));
        }
        begins = *at_ns + seen->planned_ns;
    }
    *at_ns = begins;
    ok = seen->state == TUTOR_OVER;
    tutor_close(t);
    return ok || signals_ending() != 0;
}

/* Exams. */

/* A task's question is not printed in the key. */
static void
count_question(void *self)
{
    struct transcript *p = self;

    p->questions++;
}

bool
transcript_exam(const struct exam *e, const struct options *o, bool answers,
                struct err *err)
{
    static const struct tutor_reader key = {NULL, print_page, count_question,
                                            add_key_answer};
    static const struct tutor_reader sheet = {NULL, print_page, print_question,
                                              NULL};
    bool ok = true, explained = false;

    print(answers ? _("collviz %1$s %2$s: the key\n\n")
                  : _("collviz %1$s %2$s          name: "
                      "____________________________\n"), o->command, e->name);
    for (int i = 0; ok && i < e->ntasks && signals_ending() == 0; i++) {
        const struct task *task = &e->tasks[i];
        OWN(transcript) p = {.tutor = exam_open(e, task, o, err),
                             .questions = i, .explained = explained,
                             .last.run = i > 0 ? PICTURE_RUNS : -1};
        ok = read_all(&p, answers ? &key : &sheet, err) &&
             (p.questions > i ||
              err_set(err, "%s: there is no question %d", task->path,
                      task->question + 1));
        print("%s", buf_text(&p.key));
        explained = p.explained;
    }
    return ok || signals_ending() != 0;
}
