/* SPDX-License-Identifier: MIT */
/* Questions that are asked alone, one after another: reviews, proofs, practice
 * and exams. */
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "lesson/attempt.h"
#include "lesson/progress.h"
#include "screen/course.h"
#include "screen/sheets.h"

static enum review_result
result_of(const struct tutor *t, const struct asked *a)
{
    json_t *missed = json_array_get(t->missed, json_array_size(t->missed) - 1);

    return (int)json_array_size(t->truths) <= a->question ? REVIEW_GONE
           : json_is_integer(missed) &&
                   json_integer_value(missed) == a->question
               ? REVIEW_MISSED
               : REVIEW_RIGHT;
}

/* Reviews, and proofs. */

static bool
keep_due(const struct asked *a, const struct tutor *t, struct err *aside,
         struct err *err)
{
    return progress_keep_due(a->of, result_of(t, a), aside, err);
}

/* The plans are read before the first question.  Each is struck when it is
 * asked, so no question comes twice, even if its result cannot be kept.  A
 * question that is gone with its lesson is forgotten. */
enum teach_end
course_review(struct course *c, const char *lesson, struct err *trouble)
{
    struct err why, aside;
    json_auto_t *all = progress_read(&why);
    enum teach_end end = TEACH_NEXT;
    struct due d;

    *trouble = all == NULL ? why : (struct err){.text = ""};
    while (end == TEACH_NEXT && progress_next(all, lesson, &d) &&
           d.due <= time(NULL)) {
        const struct asked only = {.question = d.question,
                                   .round = d.round, .keep = keep_due,
                                   .of = &d};
        OWN_MEMORY char *path = shelf_find(d.lesson, &aside);
        progress_ended(all, &d, REVIEW_GONE, time(NULL));
        if (path != NULL && d.question >= 0)
            end = course_teach(c, path, &only, &why);
        else if (!progress_keep_due(&d, REVIEW_GONE, &aside, &why))
            end = TEACH_FAILED;
        if (end != TEACH_FAILED)
            continue;
        if (path != NULL)
            err_prefix(&why, "%s", _("a question that is due cannot be asked"));
        if (trouble->text[0] == '\0')
            *trouble = why;
        json_object_del(json_object_get(all, "lessons"), d.lesson);
        end = TEACH_NEXT;
    }
    return end;
}

/* Practice, and exams. */

static char *
answer_text(const struct question *q, const json_t *answer)
{
    OWN(buf) text = {0};

    if (answer == NULL || json_is_null(answer))
        return NULL;
    question_answer_text(q, answer, &text);
    return mem_string(buf_text(&text));
}

/* The result of an exam is kept at its end. */
static bool
keep_task(const struct asked *a, const struct tutor *t, struct err *aside,
          struct err *err)
{
    enum review_result result = result_of(t, a);
    size_t i = (size_t)a->question;
    struct tally done[SKILLS] = {{0}};
    struct task *task = a->of;

    task->right = result == REVIEW_RIGHT;
    done[task->skill] = (struct tally){result != REVIEW_GONE, task->right};
    if (!a->examines)
        return progress_keep_skills(done, NULL, aside, err);
    if (result == REVIEW_GONE)
        return true;
    task->text = mem_string(t->question.text);
    task->given = answer_text(
        &t->question, attempt_read(json_array_get(t->answers, i)).first);
    task->truth = answer_text(&t->question, json_array_get(t->truths, i));
    return true;
}

/* "repair 7F3A", "exam 7F3A   task 4 of 10" */
static enum teach_end
ask_task(struct course *c, struct exam *e, int i, bool examines,
         int64_t until_ns, struct err *err)
{
    struct task *task = &e->tasks[i];
    OWN(buf) status = {0};

    if (examines)
        buf_addf(&status, _("exam %1$s   task %2$d of %3$d"), e->name, i + 1,
                 e->ntasks);
    else
        buf_addf(&status, "%s %s", _(skills[task->skill].name), e->name);
    return course_teach(c, task->path, &(struct asked){
        task->question, task->round, keep_task, task, buf_text(&status),
        examines ? (double)i / e->ntasks : -1, examines, until_ns,
        exam_known(e, task->path)}, err);
}

enum teach_end
course_practice(struct course *c, enum skill skill, uint32_t seed,
                struct err *err)
{
    enum teach_end end = TEACH_NEXT;

    for (; end == TEACH_NEXT; seed++) {
        OWN(exam) one;
        end = exam_practice(&one, seed, skill, c->o, err)
                  ? ask_task(c, &one, 0, false, 0, err)
              : one.left ? TEACH_MENU
                         : TEACH_FAILED;
    }
    return end;
}

enum teach_end
course_exam(struct course *c, struct exam *e, int minutes, struct err *err)
{
    int64_t until_ns = minutes > 0
                           ? clock_ns() + minutes * INT64_C(60000000000)
                           : 0;
    enum teach_end end = TEACH_NEXT;
    struct tally result[SKILLS];
    OWN(buf) title = {0}, text = {0};
    struct err aside;

    for (int i = 0; i < e->ntasks && end == TEACH_NEXT; i++)
        end = until_ns > 0 && clock_ns() >= until_ns
                  ? TEACH_MENU
                  : ask_task(c, e, i, true, until_ns, err);
    if (end == TEACH_FAILED || signals_ending() != 0)
        return end;
    exam_result(e, result);
    if (!progress_keep_skills(result, e->name, &aside, err))
        return TEACH_FAILED;
    exam_add_result(e, stage_glyphs(c->screen, c->o->ascii), &text);
    exam_add_title(e, &title);
    sheets_text(c->screen, c->o->ascii, buf_text(&title), &text);
    return TEACH_NEXT;
}
