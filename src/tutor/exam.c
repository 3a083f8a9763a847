/* SPDX-License-Identifier: MIT */
#include "tutor/exam.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/mix.h"
#include "base/near.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "base/waiter.h"
#include "tutor/tutor.h"

enum { SEED_DIGITS = 4, TRIES = 40 };

/* Seeds. */

bool
seed_parse(const char *text, uint32_t *seed, struct err *err)
{
    size_t length = strspn(text, "0123456789abcdefABCDEF");

    if (text[length] != '\0' || length == 0 || length >= SEED_TEXT)
        return err_set(err, "--seed '%s': a seed is up to 8 hexadecimal "
                       "digits, as in 7F3A", text);
    *seed = (uint32_t)strtoul(text, NULL, 16);
    return true;
}

uint32_t
seed_new(void)
{
    return (uint32_t)(clock_ns() / 1000 ^ time(NULL)) & 0xffff;
}

/* A round of an exercise. */
static int
round_of(uint32_t seed)
{
    return 1 + (int)(seed % INT32_MAX);
}

/* Which skills. */

bool
exam_skills(const char *text, unsigned *wanted, struct err *err)
{
    const char *names[SKILLS] = {NULL};
    OWN_MEMORY char *list = mem_string(text);
    char *rest = list, *name;
    OWN(buf) meant = {0};
    enum skill skill = SKILL_NONE;

    for (int i = SKILL_NONE + 1; i < SKILLS; i++)
        names[i - 1] = skills[i].name;
    *wanted = 0;
    while ((name = strsep(&rest, ",")) != NULL &&
           (skill = skill_named(name)) != SKILL_NONE)
        *wanted |= 1U << skill;
    if (skill == SKILL_NONE) {
        near_among(name, names, &meant);
        err_set(err, "--skills: there is no skill '%s': %s", name,
                buf_text(&meant));
    }
    return skill != SKILL_NONE;
}

/* Drawing. */

/* Plays on until the tutor asks, or is over.  Where a lesson measures, or has
 * to see that a run stands still, its questions are not the same everywhere: it
 * is then treated as over. */
static bool
play_on(struct exam *e, struct tutor *t, struct err *err)
{
    const struct tutor_seen *seen = tutor_seen(t);

    while (!e->left && tutor_advance(t, clock_ns(), err)) {
        e->left = !waiter_goes_on(_("drawing an exam"), err);
        if (seen->state == TUTOR_ASKS || seen->state == TUTOR_OVER ||
            seen->measurement != NULL || seen->picture.settling ||
            signals_ending() != 0)
            return signals_ending() == 0;
        if (!(seen->state == TUTOR_PAGE ? tutor_go_on(t, err)
                                     : tutor_wait(t, err)))
            return false;
    }
    return false;
}

json_t *
exam_known(const struct exam *e, const char *path)
{
    OWN_MEMORY char *key = shelf_key(path);
    json_t *known = json_object_get(e->known, key);

    if (known == NULL) {
        known = tutor_new_known();
        json_object_set_new(e->known, key, known);
    }
    return known;
}

struct tutor *
exam_open(const struct exam *e, const struct task *task,
          const struct options *o, struct err *err)
{
    struct tutor_how how = {.question = task->question, .round = task->round,
                            .unwatched = true,
                            .known = exam_known(e, task->path)};

    return tutor_open(task->path, o, &how, err);
}

/* The questions of a lesson or exercise that can be asked in other rounds, by
 * number; the caller releases them.  NULL: it cannot be played. */
static json_t *
questions_of(struct exam *e, char *path, const struct options *o,
             struct err *err)
{
    struct task all = {.path = path};
    struct tutor *t = exam_open(e, &all, o, err);
    json_t *offered = NULL;
    bool ok = t != NULL;

    while (ok && (ok = play_on(e, t, err)) &&
           tutor_seen(t)->state == TUTOR_ASKS)
        ok = tutor_answer(t, NULL, err);
    if (ok)
        offered = json_incref(tutor_seen(t)->record.offered);
    tutor_close(t);
    return offered;
}

/* Whether a task can be asked, and is open. */
static bool
is_open_task(struct exam *e, const struct task *task,
             const struct options *o, struct err *err)
{
    struct tutor *t = exam_open(e, task, o, err);
    bool open = t != NULL && play_on(e, t, err) &&
                tutor_seen(t)->state == TUTOR_ASKS &&
                !question_kind(&tutor_seen(t)->question)->chooses;
    tutor_close(t);
    return open;
}

/* The lessons and exercises that tasks are drawn from. */
struct task_pool {
    const struct options *o;
    struct shelf shelf;
    json_t **questions; /* of each lesson, then of each skill's exercise; NULL:
                         * not known yet */
};

/* The index of the lesson that a number stands for; -1: there are none. */
static int
choose_lesson(const struct shelf *shelf, uint32_t number)
{
    int n = 0; /* those without a number come last */

    while (n < shelf->ncards && shelf->cards[n].number > 0)
        n++;
    return n > 0 ? (int)(number % (uint32_t)n) : -1;
}

/* Draws a task that the exam does not have yet.  Lessons are asked in their
 * later rounds, which a learner has hardly seen in a review. */
static bool
draw_task(struct exam *e, struct task_pool *u, enum skill skill,
          struct err *err)
{
    struct task *task = &e->tasks[e->ntasks];
    uint32_t x = mix32(e->seed + 0x9e3779b9 * (uint32_t)(e->ntasks + 1));
    OWN_MEMORY char *exercise = shelf_exercise(skill);
    OWN(buf) name = {0};

    for (int i = 0; i < TRIES; i++, x = mix32(x + 1)) {
        int at = skill == SKILL_PREDICT
                     ? choose_lesson(&u->shelf, x)
                     : shelf_index(&u->shelf, skills[skill].lesson);
        const struct card *lesson = at >= 0 ? &u->shelf.cards[at] : NULL;
        int list = skill == SKILL_PREDICT ? at : u->shelf.ncards + (int)skill;
        json_t *questions;
        bool again = false;
        size_t n;
        *task = (struct task){
            .skill = skill,
            .path = skill != SKILL_PREDICT ? exercise
                    : lesson != NULL       ? lesson->path
                                           : NULL};
        if (task->path == NULL || e->left || signals_ending() != 0)
            return false;
        if (u->questions[list] == NULL)
            u->questions[list] = questions_of(e, task->path, u->o, err);
        questions = u->questions[list];
        n = json_array_size(questions);
        if (n == 0)
            continue;
        task->question = (int)json_integer_value(
            json_array_get(questions, (x >> 8) % n));
        task->round = skill != SKILL_PREDICT
                          ? round_of(mix32(x))
                          : REVIEW_ROUNDS - (int)(x >> 16 & 1);
        for (int k = 0; k < e->ntasks; k++)
            again |= strcmp(e->tasks[k].path, task->path) == 0 &&
                     e->tasks[k].question == task->question &&
                     (skill == SKILL_PREDICT ||
                      e->tasks[k].round == task->round);
        if (again || !is_open_task(e, task, u->o, err))
            continue;
        if (lesson != NULL && lesson->number > 0)
            buf_addf(&name, "%d ", lesson->number);
        buf_puts(&name, lesson != NULL ? lesson->name : skills[skill].lesson);
        task->path = mem_string(task->path);
        task->lesson = mem_string(buf_text(&name));
        e->ntasks++;
        return true;
    }
    return false;
}

static void
begin_exam(struct exam *e, uint32_t seed)
{
    *e = (struct exam){.seed = seed, .known = json_object()};
    snprintf(e->name, sizeof e->name, "%0*X", SEED_DIGITS, (unsigned)seed);
}

bool
exam_draw(struct exam *e, uint32_t seed, unsigned wanted,
          const struct options *o, struct err *err)
{
    struct task_pool u = {.o = o};
    bool drawn = true;

    begin_exam(e, seed);
    shelf_read(&u.shelf);
    u.questions = mem_new((size_t)u.shelf.ncards + SKILLS, sizeof(json_t *));
    while (drawn && e->ntasks < EXAM_TASKS) {
        drawn = false;
        for (int i = SKILL_NONE + 1; i < SKILLS && e->ntasks < EXAM_TASKS; i++)
            drawn |= (wanted >> i & 1) != 0 &&
                     draw_task(e, &u, (enum skill)i, err);
    }
    for (int i = 0; i < u.shelf.ncards + SKILLS; i++)
        json_decref(u.questions[i]);
    free(u.questions);
    shelf_done(&u.shelf);
    if (e->left)
        return false;
    return e->ntasks > 0 ||
           err_set(err, "there are no open questions of these skills here");
}

bool
exam_practice(struct exam *e, uint32_t seed, enum skill skill,
              const struct options *o, struct err *err)
{
    char *path = shelf_exercise(skill);
    json_t *questions;
    size_t n;

    begin_exam(e, seed);
    if (path == NULL)
        return err_set(err, "its exercise is not here: lessons/exercises/"
                       "%s.lua", skills[skill].exercise);
    e->tasks[e->ntasks++] = (struct task){.skill = skill, .path = path,
                                          .round = round_of(seed)};
    questions = questions_of(e, path, o, err);
    n = json_array_size(questions);
    if (n > 0)
        e->tasks[0].question = (int)json_integer_value(
            json_array_get(questions, seed % n));
    else if (questions != NULL)
        err_set(err, "exercises/%s has no question with again",
                skills[skill].exercise);
    json_decref(questions);
    return n > 0;
}

void
exam_done(struct exam *e)
{
    for (int i = 0; i < e->ntasks; i++) {
        free(e->tasks[i].path);
        free(e->tasks[i].lesson);
        free(e->tasks[i].text);
        free(e->tasks[i].given);
        free(e->tasks[i].truth);
    }
    json_decref(e->known);
    *e = (struct exam){0};
}

void
exam_result(const struct exam *e, struct tally result[SKILLS])
{
    memset(result, 0, SKILLS * sizeof *result);
    for (int i = 0; i < e->ntasks; i++) {
        result[e->tasks[i].skill].asked++;
        result[e->tasks[i].skill].right += e->tasks[i].right;
    }
}

enum { BAR_CELLS = 20 };

static void
add_glyphs(struct buf *text, enum glyph_set set, enum glyph g, int count)
{
    char sign[4];
    int length = utf8_put(sign, glyph(set, g));

    for (int i = 0; i < count; i++)
        buf_add(text, sign, (size_t)length);
}

/* Adds the lessons of tasks that were not answered right, each once. */
static void
add_missed_lessons(const struct exam *e, enum skill skill, enum glyph_set set,
                   struct buf *text)
{
    OWN(buf) names = {0};

    for (int i = 0; i < e->ntasks; i++) {
        const struct task *t = &e->tasks[i];
        bool again = false;
        for (int k = 0; k < i; k++)
            again |= e->tasks[k].skill == skill && !e->tasks[k].right &&
                     strcmp(e->tasks[k].lesson, t->lesson) == 0;
        if (t->skill == skill && !t->right && !again)
            buf_addf(&names, "%s%s", names.length > 0 ? ", " : "", t->lesson);
    }
    if (names.length > 0) {
        buf_puts(text, "            ");
        add_glyphs(text, set, GLYPH_RIGHT, 1);
        buf_putc(text, ' ');
        buf_addf(text, _("go back to: %s"), buf_text(&names));
        buf_putc(text, '\n');
    }
}

void
exam_add_title(const struct exam *e, struct buf *text)
{
    int right = 0;

    for (int i = 0; i < e->ntasks; i++)
        right += e->tasks[i].right;
    buf_addf(text, _("exam %1$s: %2$d of %3$d right"), e->name, right,
             e->ntasks);
}

void
exam_add_result(const struct exam *e, enum glyph_set set, struct buf *text)
{
    struct tally result[SKILLS];
    int done;

    exam_result(e, result);
    for (int i = SKILL_NONE + 1; i < SKILLS; i++) {
        const struct tally *t = &result[i];
        if (t->asked == 0)
            continue;
        done = BAR_CELLS * t->right / t->asked;
        utf8_pad(text, _(skills[i].name), -12);
        add_glyphs(text, set, GLYPH_FULL, done);
        add_glyphs(text, set, GLYPH_AHEAD, BAR_CELLS - done);
        buf_addf(text, _("  %1$d of %2$d"), t->right, t->asked);
        buf_putc(text, '\n');
        add_missed_lessons(e, (enum skill)i, set, text);
    }
    for (int i = 0; i < e->ntasks; i++) {
        const struct task *t = &e->tasks[i];
        buf_addf(text, "\n%2d ", i + 1);
        add_glyphs(text, set, t->right ? GLYPH_YES : GLYPH_NO, 1);
        buf_addf(text, "  %s: ", _(skills[t->skill].name));
        for (const char *c = t->text; c != NULL && *c != '\0'; c++)
            if (*c != '\n')
                buf_putc(text, *c);
            else if (c[1] != '\n')
                buf_putc(text, ' ');
        buf_puts(text, t->text != NULL ? "\n      " : "");
        if (!t->right && t->text != NULL) {
            add_glyphs(text, set, GLYPH_RIGHT, 1);
            buf_putc(text, ' ');
        }
        if (t->truth == NULL)
            buf_puts(text, _("not answered"));
        else if (t->right)
            buf_puts(text, t->truth);
        else
            buf_addf(text, _("you said: %1$s; it is: %2$s"),
                     t->given != NULL ? t->given : _("nothing"), t->truth);
    }
    buf_putc(text, '\n');
}
