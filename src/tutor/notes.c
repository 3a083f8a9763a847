/* SPDX-License-Identifier: MIT */
#include "tutor/notes.h"

#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "text/words.h"

enum { FIRST_COLUMNS = 80, SENTENCE_COLUMNS = 150, INPUT_MOST = 60 };
enum { PAGES_MOST = 1000 }; /* a lesson that never ends would fill the memory */

__attribute__((format(printf, 2, 3))) static void
add_note_line(struct buf *out, const char *format, ...)
{
    va_list args;

    buf_puts(out, out->length > 0 ? "\n" : "");
    va_start(args, format);
    buf_vaddf(out, format, args);
    va_end(args);
}

/* `notes` may be NULL or empty. */
static void
add_notes(struct buf *out, const char *notes)
{
    if (notes != NULL && notes[0] != '\0')
        add_note_line(out, "%s", notes);
}

/* All choices in the order in which the class sees them.  Each wrong choice of
 * a prediction has its line; the one that has none is marked as right. */
static void
add_choices(const struct question *q, enum glyph_set set, struct buf *out)
{
    OWN(buf) line = {0};
    int without = 0;
    char sign[4];

    for (int i = 0; i < q->nitems; i++)
        without += question_choice_line(q, q->shown[i]) == NULL;
    for (int i = 0; i < q->nitems; i++) {
        buf_addf(&line, "%s%c) %s", i > 0 ? "   " : "", 'a' + i,
                 question_item(q, q->shown[i]));
        if (q->predicts && without == 1 &&
            question_choice_line(q, q->shown[i]) == NULL)
            buf_addf(&line, " %.*s",
                     utf8_put(sign, glyph(set, GLYPH_YES)), sign);
    }
    add_note_line(out, "%s", buf_text(&line));
}

/* Adds the line of each wrong answer.  Choices go by their letters. */
static void
add_wrong_lines(const struct question *q, struct buf *out)
{
    OWN(buf) answer = {0};

    for (int i = 0; question_kind(q)->chooses && i < q->nitems; i++)
        if (question_choice_line(q, q->shown[i]) != NULL)
            add_note_line(out, "%c) %s", 'a' + i,
                          question_choice_line(q, q->shown[i]));
    for (int i = 0; !question_kind(q)->chooses && i < q->nlines; i++) {
        buf_clear(&answer);
        question_answer_text(q, q->lines[i].answer, &answer);
        add_note_line(out, "%s: %s", buf_text(&answer), q->lines[i].text);
    }
}

/* A command without the value of a long --input, which may be NULL. */
static void
add_command(const char *command, const char *input, struct buf *out)
{
    bool is_long = input != NULL && strlen(input) > INPUT_MOST;
    const char *cut = is_long ? strstr(command, input) : NULL;

    if (cut == NULL)
        buf_puts(out, command);
    else
        buf_addf(out, "%.*s...%s", (int)(cut - command), command,
                 cut + strlen(input));
}

/* The run on the screen as a command, unless the learner wired it, and in a
 * sentence what its last step did. */
static void
add_shown_run(const struct tutor_seen *t, struct buf *out)
{
    struct world *w = picture_world(&t->picture);
    struct scene scene = {.world = w, .target = -1};
    const char *command = picture_command(&t->picture);
    OWN(buf) line = {0};

    if (out->length == 0) {
        words_now(&scene, SENTENCE_COLUMNS, &line);
        add_notes(out, buf_text(&line));
    }
    if (command == NULL) {
        add_note_line(out, _("on the screen: what was wired, step %d of %d"),
                      w->position, w->nsteps);
        return;
    }
    buf_clear(&line);
    add_command(command, picture_job(&t->picture)->plan->o.input, &line);
    add_note_line(out, _("on the screen: collviz %s, step %d of %d"),
                  buf_text(&line), w->position, w->nsteps);
}

void
notes_add(const struct tutor_seen *t, enum glyph_set set, struct buf *out)
{
    const struct question *q = &t->question;
    OWN(buf) notes = {0};

    if (t->state == TUTOR_ASKS) {
        if (question_kind(q)->chooses)
            add_choices(q, set, &notes);
        add_notes(&notes, q->notes);
        if (q->why != NULL)
            add_note_line(&notes, _("why: %s"), q->why);
        add_wrong_lines(q, &notes);
        for (int i = 0; i < q->nhints; i++)
            add_note_line(&notes, _("hint: %s"), q->hints[i]);
    } else {
        add_notes(&notes, t->page.notes);
        for (int i = 0; i < t->page.ntries; i++)
            add_note_line(&notes, _("to type at the key a: %s"),
                          t->page.tries[i]);
        if (page_answers(t->page.kind))
            add_wrong_lines(q, &notes);
    }
    if (t->picture.shown >= 0 && t->picture.table == NULL)
        add_shown_run(t, &notes);
    else if (notes.length == 0)
        add_notes(&notes, t->card.idea);
    buf_puts(out, buf_text(&notes));
}

void
notes_add_first_line(const struct tutor_seen *t, struct buf *out)
{
    const char *text = t->state == TUTOR_ASKS ? t->question.text : t->page.text;
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

/* The outline. */

void
outline_init(struct outline *o, const char *path,
             const struct options *options)
{
    static const struct tutor_how how = {.unwatched = true};
    struct err none;

    *o = (struct outline){tutor_open(path, options, &how, &none),
                          json_array()};
}

void
outline_done(struct outline *o)
{
    tutor_close(o->tutor);
    json_decref(o->pages);
    *o = (struct outline){.tutor = NULL};
}

bool
outline_has(const struct outline *o, int page, const char *first)
{
    const json_t *known = json_array_get(o->pages, (size_t)page - 1);

    return known != NULL && strcmp(json_string_value(known), first) == 0;
}

void
outline_advance(struct outline *o, int64_t now)
{
    struct tutor *t = o->tutor;
    const struct tutor_seen *seen;
    struct err none;
    bool ok;

    if (t == NULL)
        return;
    seen = tutor_seen(t);
    while ((ok = tutor_advance(t, now, &none)) &&
           (seen->state == TUTOR_PAGE || seen->state == TUTOR_ASKS)) {
        OWN(buf) first = {0};
        notes_add_first_line(seen, &first);
        json_array_append_new(o->pages, json_string(buf_text(&first)));
        ok = json_array_size(o->pages) < PAGES_MOST &&
             (seen->state == TUTOR_ASKS ? tutor_answer(t, NULL, &none)
                                     : tutor_go_on(t, &none));
        if (!ok)
            break;
    }
    if (ok && seen->state != TUTOR_OVER && seen->measurement == NULL)
        return;
    tutor_close(t);
    o->tutor = NULL;
}
