/* SPDX-License-Identifier: MIT */
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "base/bounds.h"
#include "base/language.h"
#include "base/mem.h"
#include "base/print.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/prose.h"
#include "lesson/progress.h"
#include "lesson/shelf.h"
#include "screen/home.h"
#include "screen/lesson_panel.h"
#include "tutor/tutor.h"

/* How questions are answered. */
enum manner { NOT_AT_ALL, RIGHTLY, WRONGLY, MANNERS };

enum {
    EXERCISE_ROUNDS = 20, /* of each question of an exercise */
    ASIDE_ROWS = 2,
    BEFORE_ITEM = 5, /* columns: a sign and, for a class, a letter */
};

struct lint {
    const char *path;
    const struct options *o;
    const char *language;
    enum manner manner;
    json_t *truths; /* the right answers, once they are known */
    struct kept_runs kept;
    json_t *known; /* what plays of the lesson have found out (tutor/tutor.h) */
    json_t *offered; /* the questions that a review asks in another way */
    int question, round; /* what is played of it; round 0: the whole lesson */
    json_t *variants; /* an object: its keys are what these rounds asked */
    int line;         /* of the last question */
    json_t *originals; /* texts in the source's language, by line */
    int rounds; /* of each of these */
    struct buf printed; /* lines that were printed */
    bool ours; /* whether our catalogues must have its texts */
    bool over; /* the lesson failed, or a signal asks to end */
};

/* Whether it is the language in which lessons are written. */
static bool
is_source(const struct lint *l)
{
    return strcmp(l->language, language_at(0)) == 0;
}

/* Prints a mistake once, however often it is found. */
static void
print_once(struct lint *l, const char *text)
{
    OWN(buf) line = {0};

    buf_addf(&line, "%s\n", text);
    if (strstr(buf_text(&l->printed), buf_text(&line)) == NULL) {
        print("%s", buf_text(&line));
        buf_puts(&l->printed, buf_text(&line));
    }
}

__attribute__((format(printf, 3, 4))) static void
report_at(struct lint *l, int line, const char *format, ...)
{
    const char *slash = strrchr(l->path, '/');
    struct err text;
    char message[400];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    err_set(&text, "%s:%d: %s: %s", slash != NULL ? slash + 1 : l->path, line,
            l->language, message);
    print_once(l, text.text);
}

/* Whether texts fit. */

static void
check_fit(struct lint *l, const struct tutor_seen *t, const struct answer *a)
{
    struct lesson_panel p = {.text = {0}};
    struct layout at;
    int columns = LAYOUT_COLUMNS_FULL - 4, rows, room;

    layout(LAYOUT_COLUMNS_FULL, LAYOUT_ROWS_FULL, true, &at);
    lesson_panel_fill(&p, t, a, GLYPHS_FULL);
    room = panel_room(&p.panel, &at);
    rows = panel_rows(&p.panel, columns, room);
    if (rows > room)
        report_at(l, t->line, "this takes %d lines, there are %d on 80x24",
                  rows, room);
    for (int i = 0; i < p.panel.nitems; i++)
        if (utf8_columns(p.panel.items[i]) > columns - BEFORE_ITEM)
            report_at(l, t->line, "the choice '%s' does not fit on a line",
                      p.panel.items[i]);
    lesson_panel_done(&p);
}

/* Terms. */

/* Terms of the whole course, and the lesson with the page that explains each
 * (say { terms = ... }). */
static const struct {
    const char *word;
    int lesson;
} terms[] = {{"step", 1}, {"link", 1}, {"N", 2}, {"S", 2}, {"flat", 2}};

/* A term is used where a text has the word or its plural. */
static void
check_terms(struct lint *l, const struct tutor_seen *t, const char *text)
{
    if (!is_source(l) || l->manner != NOT_AT_ALL)
        return;
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        const char *word = terms[i].word;
        char pattern[32];
        regex_t words;
        bool used;
        snprintf(pattern, sizeof pattern, "\\b%s%s\\b", word,
                 word[1] != '\0' ? "s?" : "");
        if (regcomp(&words, pattern, REG_EXTENDED | REG_NOSUB) != 0)
            die("out of memory");
        used = regexec(&words, text, 0, NULL, 0) == 0;
        regfree(&words);
        if (used && t->card.skill == SKILL_NONE &&
            t->card.number <= terms[i].lesson &&
            json_object_get(t->record.terms, word) == NULL)
            report_at(l, t->line, "'%s' is used before a page has explained it",
                      word);
    }
}

/* Checks what a question says besides its text: that it fits, and its terms. */
static void
check_question(struct lint *l, const struct tutor_seen *t)
{
    const struct question *q = &t->question;
    enum { COLUMNS = LAYOUT_COLUMNS_FULL - 4, SIGN = 2 };

    check_terms(l, t, q->text);
    for (int i = 0; i < q->nitems; i++)
        check_terms(l, t, q->items[i]);
    for (int i = 0; i < q->nhints; i++) {
        if (wrap_rows(q->hints[i], COLUMNS) > ASIDE_ROWS)
            report_at(l, t->line, "a hint takes more than %d lines",
                      ASIDE_ROWS);
        check_terms(l, t, q->hints[i]);
    }
    for (int i = 0; i < q->nlines; i++) {
        const char *text = q->lines[i].text;
        if (wrap_rows(text, COLUMNS - SIGN) > ASIDE_ROWS)
            report_at(l, t->line, "this takes more than %d lines: %.60s",
                      ASIDE_ROWS, text);
        check_terms(l, t, text);
    }
}

/* Choices. */

/* Checks, at the page with the truth, that every choice but the right one has a
 * line that says why it is wrong.  Learners notice a right choice that is
 * longer or shorter than all others. */
static void
check_choices(struct lint *l, const struct tutor_seen *t)
{
    enum { SHORT = 16 }; /* columns, too few to be noticed */
    const struct question *q = &t->question;
    int right = (int)json_integer_value(record_truth(&t->record));
    int columns, longest = 0, shortest = LAYOUT_COLUMNS_FULL;

    if (t->page.kind != PAGE_TRUTH || !question_kind(q)->chooses ||
        !q->predicts)
        return;
    columns = utf8_columns(q->items[right - 1]);
    for (int i = 1; i <= q->nitems; i++) {
        int others = utf8_columns(q->items[i - 1]);
        if (i != right && question_choice_line(q, i) == NULL && !q->reasons)
            report_at(l, t->line, "wrong has no line for the choice '%s'",
                      q->items[i - 1]);
        if (i == right)
            continue;
        longest = most(others, longest);
        shortest = least(others, shortest);
    }
    if (columns > SHORT && columns * 2 > longest * 3)
        report_at(l, t->line, "the right choice is much longer than the "
                  "others: '%s'", q->items[right - 1]);
    if (shortest > SHORT && shortest * 2 > columns * 3)
        report_at(l, t->line, "the right choice is much shorter than the "
                  "others: '%s'", q->items[right - 1]);
}

/* What a page asks the learner to type, one after another. */
static void
check_tries(struct lint *l, const struct tutor_seen *t)
{
    const struct job *first = picture_job(&t->picture);
    const struct page *p = &t->page;
    struct job *job = NULL;
    struct err err;

    for (int i = 0; i < p->ntries; i++) {
        struct job *next = job_changed(job != NULL ? job : first, p->tries[i],
                                       &err);
        if (next == NULL) {
            report_at(l, t->line, "try: '%s': %s", p->tries[i], err.text);
            break;
        }
        job_free(job);
        job = next;
    }
    job_free(job);
}

/* Variants. */

/* Every question that is judged can be asked another way, so that a lesson can
 * be proved and what was missed comes back as something new. */
static void
check_variant(struct lint *l, const struct tutor_seen *t)
{
    const char *command = picture_command(&t->picture);
    size_t questions = record_count(&t->record);
    const json_t *offered = t->record.offered;
    json_t *last = json_array_get(offered, json_array_size(offered) - 1);
    OWN(buf) all = {0};

    l->line = t->line;
    if (t->question.predicts && l->round == 0 && is_source(l) &&
        (last == NULL || json_integer_value(last) != (json_int_t)questions))
        report_at(l, t->line, "a prediction needs again, which asks it for "
                  "another N, root, step or rank");
    buf_addf(&all, "%s\n%s\n%s", t->question.text,
             t->picture.table != NULL ? t->picture.table : "",
             command != NULL ? command : "");
    if (l->round > 0)
        json_object_set_new(l->variants, buf_text(&all), json_true());
}

/* Translation. */

/* A text that is the same in two languages has not been translated, unless it
 * has no words. */
static void
check_words(struct lint *l, int line, const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    const char *original, *word = text;
    char key[16];

    snprintf(key, sizeof key, "%d", line);
    original = json_string_value(json_object_get(l->originals, key));
    while (*word != '\0' && strspn(word, letters) <= 3) {
        word += strspn(word, letters);
        word += *word != '\0';
    }
    if (is_source(l))
        json_object_set_new(l->originals, key, json_string(text));
    else if (original != NULL && strcmp(original, text) == 0 && *word != '\0')
        report_at(l, line, "not translated: %.60s", text);
}

/* Answers. */

/* The first of the kind's samples that is wrong.  A list has as many numbers as
 * there are items. */
static json_t *
wrong_answer(const struct question *q, const json_t *truth)
{
    json_auto_t *samples = json_loads(question_kind(q)->samples, 0, NULL);
    json_t *sample;
    size_t i;

    json_array_foreach(samples, i, sample) {
        while (json_array_size(sample) > (size_t)q->nitems)
            json_array_remove(sample, json_array_size(sample) - 1);
        if (question_fits(q, sample) && !question_is_right(q, sample, truth))
            return json_incref(sample);
    }
    return NULL;
}

static json_t *
answer_in_manner(const struct lint *l, const struct tutor_seen *t)
{
    const json_t *truth = json_array_get(l->truths,
                                         record_count(&t->record));

    if (l->manner == NOT_AT_ALL || truth == NULL || json_is_null(truth))
        return NULL;
    return l->manner == RIGHTLY ? json_deep_copy(truth)
                                : wrong_answer(&t->question, truth);
}

/* Whether the pages marked for the lecture take what the lesson says. */
static void
check_lecture(struct lint *l, const struct tutor_seen *t)
{
    int seconds = (int)(t->planned_ns / 1000000000);

    if (t->card.lecture == 0 && seconds > 0)
        report_at(l, 1, "it marks pages with lecture(), but its header has no "
                  "lecture =");
    else if (t->card.lecture > 0 && seconds == 0)
        report_at(l, 1, "it is part of the lecture, but marks no page: "
                  "lecture()");
    else if (seconds > t->card.lecture * 60)
        report_at(l, 1, "what it marks for the lecture takes %d:%02d, more "
                  "than its %d min", seconds / 60, seconds % 60,
                  t->card.lecture);
}

/* Playing. */

static bool
check_stop(struct lint *l, struct tutor *tutor, struct err *err)
{
    static const enum page_kind verdicts[MANNERS] = {PAGE_TRUTH, PAGE_RIGHT,
                                                     PAGE_WRONG};
    const struct tutor_seen *t = tutor_seen(tutor);
    struct answer answer = {0};

    if (t->state == TUTOR_ASKS) {
        answer_begin(&answer, t, tutor);
        check_fit(l, t, &answer);
        check_question(l, t);
        check_variant(l, t);
        if (l->manner == NOT_AT_ALL && l->ours)
            check_words(l, t->line, t->question.text);
        return tutor_answer(tutor, answer_in_manner(l, t), err);
    }
    check_fit(l, t, &answer);
    if (page_answers(t->page.kind) && t->page.kind != verdicts[l->manner])
        report_at(l, t->line, "the answer is not judged as it should be");
    check_tries(l, t);
    if (l->manner == NOT_AT_ALL) {
        check_choices(l, t);
        check_terms(l, t, t->page.text);
        if (t->page.kind != PAGE_USED && l->ours)
            check_words(l, t->line, t->page.text);
    }
    return tutor_go_on(tutor, err);
}

/* What is looked at once a lesson has been played to its end. */
static void
check_whole_lesson(struct lint *l, const struct tutor_seen *t)
{
    json_t *missing;
    size_t i;

    json_array_foreach(t->record.untranslated, i, missing) {
        if (l->manner == NOT_AT_ALL && !is_source(l) && l->ours)
            report_at(l, (int)json_integer_value(json_array_get(missing, 0)),
                      "not translated: %.60s",
                      json_string_value(json_array_get(missing, 1)));
    }
    if (l->manner == NOT_AT_ALL && l->round == 0)
        check_lecture(l, t);
    if (l->truths != NULL)
        return;
    l->truths = json_incref(t->record.truths);
    l->offered = json_incref(t->record.offered);
    l->rounds = t->card.skill != SKILL_NONE ? EXERCISE_ROUNDS : REVIEW_ROUNDS;
    if (t->card.skill != SKILL_NONE && json_array_size(l->offered) == 0)
        report_at(l, 1, "an exercise needs a question with again");
}

static void
play_lesson(struct lint *l)
{
    struct err err;
    struct tutor_how how = {
        .question = l->question, .round = l->round, .unwatched = true,
        .simulates = l->known != NULL, /* one play has real delays */
        .kept = l->known != NULL ? &l->kept : NULL,
        .known = l->known};
    struct tutor *t = tutor_open(l->path, l->o, &how, &err);
    bool ok = t != NULL;

    if (ok && l->known == NULL)
        l->known = json_incref(tutor_seen(t)->how.known);
    while (ok && (ok = tutor_play(t, &err)) &&
           tutor_seen(t)->state != TUTOR_OVER)
        ok = check_stop(l, t, &err);
    if (signals_ending() == 0 && ok)
        check_whole_lesson(l, tutor_seen(t));
    else if (signals_ending() == 0)
        print_once(l, err.text);
    l->over = l->over || signals_ending() != 0 || !ok;
    tutor_close(t);
}

int
lint(const char *path, const struct options *o)
{
    struct lint l = {.path = path, .o = o, .originals = json_object(),
                     .variants = json_object(),
                     .ours = shelf_is_ours(path)};
    json_t *question;
    struct err err;
    size_t k;
    int status;

    for (int i = 0; !l.over && language_at(i) != NULL; i++) {
        l.language = language_at(i);
        language_init(l.language, &err);
        if (i > 0 && !language_has_catalogue()) {
            print("%s: there is no catalogue here\n", l.language);
            continue;
        }
        for (int m = 0; !l.over && m < MANNERS; m++) {
            l.manner = (enum manner)m;
            play_lesson(&l);
        }
        /* The questions that reviews ask of the lesson, without answers. */
        l.manner = NOT_AT_ALL;
        json_array_foreach(l.offered, k, question) {
            l.question = (int)json_integer_value(question);
            json_object_clear(l.variants);
            for (int round = 1; !l.over && round <= l.rounds; round++) {
                l.round = round;
                play_lesson(&l);
            }
            if (!l.over && is_source(&l) &&
                json_object_size(l.variants) < REVIEW_ROUNDS)
                report_at(&l, l.line, "again makes %d different question%s in "
                          "%d rounds, at least %d are needed",
                          (int)json_object_size(l.variants),
                          err_plural((int)json_object_size(l.variants)),
                          l.rounds, REVIEW_ROUNDS);
        }
        l.round = 0;
    }
    json_decref(l.originals);
    json_decref(l.variants);
    json_decref(l.truths);
    json_decref(l.offered);
    json_decref(l.known);
    kept_done(&l.kept);
    status = l.printed.length > 0 ? EXIT_WRONG : EXIT_RIGHT;
    buf_done(&l.printed);
    return status;
}
