/* SPDX-License-Identifier: MIT */
#include "tutor/notes.h"

#include <string.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "text/words.h"

enum { FIRST_COLUMNS = 80, SENTENCE_COLUMNS = 150, COMMAND_MOST = 100 };

static void
add_line(struct buf *out, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    buf_addf(out, "%s%s", out->length > 0 ? "\n" : "", text);
}

/* The choice that is right, as an index into what is shown; -1: unknown.  Each
 * wrong choice of a prediction has its line. */
static int
right_choice(const struct quiz *q)
{
    int right = -1;

    for (int i = 0; i < q->nitems; i++) {
        json_t *choice = json_integer(q->shown[i]);
        bool has_line = quiz_line(q, choice) != NULL;
        json_decref(choice);
        if (!has_line && right >= 0)
            return -1;
        if (!has_line)
            right = i;
    }
    return q->predicts ? right : -1;
}

/* All choices in the order in which the class sees them. */
static void
add_choices(const struct quiz *q, enum glyph_set set, struct buf *out)
{
    int right = right_choice(q);
    struct buf line = {0};
    char sign[4];

    for (int i = 0; i < q->nitems; i++) {
        json_t *choice = json_integer(q->shown[i]);
        buf_addf(&line, "%s%c) ", i > 0 ? "   " : "", 'a' + i);
        quiz_answer_text(q, choice, &line);
        if (i == right)
            buf_addf(&line, " %.*s",
                     utf8_put(sign, glyph(set, GLYPH_YES)), sign);
        json_decref(choice);
    }
    add_line(out, buf_text(&line));
    buf_done(&line);
}

/* Adds what to say to those who give a wrong answer, after the answer or its
 * letter. */
static void
add_wrong(const struct quiz *q, const json_t *answer, char letter,
          struct buf *out)
{
    const char *text = quiz_line(q, answer);
    struct buf line = {0};

    if (text == NULL)
        return;
    if (letter != 0)
        buf_addf(&line, "%c) %s", letter, text);
    else {
        quiz_answer_text(q, answer, &line);
        buf_addf(&line, ": %s", text);
    }
    add_line(out, buf_text(&line));
    buf_done(&line);
}

static void
add_lines(const struct quiz *q, struct buf *out)
{
    if (q->kind != QUIZ_CHOICE) {
        for (int i = 0; i < q->nlines; i++)
            add_wrong(q, q->lines[i].answer, 0, out);
        return;
    }
    for (int i = 0; i < q->nitems; i++) {
        json_t *choice = json_integer(q->shown[i]);
        add_wrong(q, choice, (char)('a' + i), out);
        json_decref(choice);
    }
}

static void
add_question(const struct quiz *q, enum glyph_set set, struct buf *out)
{
    struct buf line = {0};

    if (q->kind == QUIZ_CHOICE)
        add_choices(q, set, out);
    add_line(out, q->notes);
    if (q->why != NULL) {
        buf_addf(&line, _("why: %s"), q->why);
        add_line(out, buf_text(&line));
    }
    add_lines(q, out);
    for (int i = 0; i < q->nhints; i++) {
        buf_clear(&line);
        buf_addf(&line, _("hint: %s"), q->hints[i]);
        add_line(out, buf_text(&line));
    }
    buf_done(&line);
}

static void
add_tries(const struct page *p, struct buf *out)
{
    struct buf line = {0};

    for (int i = 0; i < p->ntries; i++) {
        buf_clear(&line);
        buf_addf(&line, _("to type at the key a: %s"), p->tries[i]);
        add_line(out, buf_text(&line));
    }
    buf_done(&line);
}

/* The run on the screen as a command, without a long input, and in a sentence
 * what its last step did. */
static void
add_run(const struct tutor *t, struct buf *out)
{
    struct world *w = tutor_world(t);
    struct scene scene = {.world = w, .target = -1};
    const char *command = t->commands[t->shown];
    const char *input = strstr(command, " --input ");
    bool cut = input != NULL && strlen(command) > COMMAND_MOST;
    struct buf line = {0}, shown = {0};

    if (out->length == 0) {
        words_now(&scene, SENTENCE_COLUMNS, &line);
        add_line(out, buf_text(&line));
        buf_clear(&line);
    }
    buf_add(&shown, command, cut ? (size_t)(input - command)
                                 : strlen(command));
    buf_puts(&shown, cut ? " --input ..." : "");
    buf_addf(&line, _("on the screen: collviz %s, step %d of %d"),
             buf_text(&shown), w->position, w->nsteps);
    add_line(out, buf_text(&line));
    buf_done(&shown);
    buf_done(&line);
}

void
notes_add(const struct tutor *t, enum glyph_set set, struct buf *out)
{
    struct buf notes = {0};
    enum page_kind kind = t->page.kind;

    if (t->state == TUTOR_ASKS) {
        add_question(&t->quiz, set, &notes);
    } else {
        add_line(&notes, t->page.notes);
        add_tries(&t->page, &notes);
        if (kind == PAGE_RIGHT || kind == PAGE_WRONG || kind == PAGE_TRUTH)
            add_lines(&t->quiz, &notes);
    }
    if (t->shown >= 0 && t->table == NULL)
        add_run(t, &notes);
    else if (notes.length == 0)
        add_line(&notes, t->card.idea);
    buf_puts(out, buf_text(&notes));
    buf_done(&notes);
}

void
notes_add_first_line(const struct tutor *t, struct buf *out)
{
    const char *text = t->state == TUTOR_ASKS ? t->quiz.text : t->page.text;
    const char *end = text, *next = text;
    int columns = 0;

    if (text == NULL)
        return;
    while (*end != '\0' && *end != '\n' &&
           (columns += utf8_width(utf8_next(&next))) <= FIRST_COLUMNS)
        end = next;
    buf_add(out, text, (size_t)(end - text));
    if (*end != '\0' && *end != '\n')
        buf_puts(out, "...");
}
