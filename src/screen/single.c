/* SPDX-License-Identifier: MIT */
/* Questions that are asked alone, one after another: reviews, proofs, practice
 * and exams. */
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "lesson/progress.h"
#include "screen/lessons.h"
#include "screen/text_pages.h"

/* Reviews, and proofs. */

/* The plans are read before the first question.  Each is struck when it is
 * asked, so no question comes twice, even if its result cannot be kept.  A
 * question that is gone with its lesson is forgotten. */
enum lesson_end
lessons_review(struct lessons *l, const char *lesson, struct err *trouble)
{
    struct err why, aside;
    json_auto_t *all = progress_read(&why);
    enum lesson_end end = LESSON_NEXT;
    struct due d;

    *trouble = all == NULL ? why : (struct err){.text = ""};
    while (end == LESSON_NEXT && progress_next(all, lesson, &d) &&
           d.due <= time(NULL)) {
        OWN_MEMORY char *path = shelf_find(d.lesson, &aside);
        const struct asked asked = {.manner = &manner_review, .path = path,
                                    .question = d.question,
                                    .round = d.round, .due = &d};
        progress_ended(all, &d, REVIEW_GONE, time(NULL));
        if (path != NULL && d.question >= 0)
            end = lesson_screen_play(l, &asked, &why);
        else if (!progress_keep_due(&d, REVIEW_GONE, &aside, &why))
            end = LESSON_FAILED;
        if (end != LESSON_FAILED)
            continue;
        if (path != NULL)
            err_prefix(&why, "%s", _("a question that is due cannot be asked"));
        if (trouble->text[0] == '\0')
            *trouble = why;
        json_object_del(json_object_get(all, "lessons"), d.lesson);
        end = LESSON_NEXT;
    }
    return end;
}

/* Practice, and exams. */

/* `how` has the manner, and what is shown beside the title. */
static enum lesson_end
ask_task(struct lessons *l, struct exam *e, struct task *task,
         struct asked how, struct err *err)
{
    how.path = task->path;
    how.question = task->question;
    how.round = task->round;
    how.task = task;
    how.known = exam_known(e, task->path);
    return lesson_screen_play(l, &how, err);
}

enum lesson_end
lessons_practice(struct lessons *l, enum skill skill, uint32_t seed,
                struct err *err)
{
    enum lesson_end end = LESSON_NEXT;

    for (; end == LESSON_NEXT; seed++) {
        OWN(exam) one;
        OWN(buf) status = {0};
        if (!exam_practice(&one, seed, skill, l->o, err))
            return one.left ? LESSON_MENU : LESSON_FAILED;
        buf_addf(&status, "%s %s", _(skills[skill].name), one.name);
        end = ask_task(l, &one, one.tasks, (struct asked){
            .manner = &manner_practice, .status = buf_text(&status),
            .progress = -1}, err);
    }
    return end;
}

enum lesson_end
lessons_exam(struct lessons *l, struct exam *e, int minutes, struct err *err)
{
    int64_t until_ns = minutes > 0
                           ? clock_ns() + minutes * INT64_C(60000000000)
                           : 0;
    enum lesson_end end = LESSON_NEXT;
    struct tally result[SKILLS];
    OWN(buf) title = {0}, text = {0};
    struct err aside;

    for (int i = 0; i < e->ntasks && end == LESSON_NEXT; i++) {
        OWN(buf) status = {0};
        buf_addf(&status, _("exam %1$s   task %2$d of %3$d"), e->name, i + 1,
                 e->ntasks);
        end = until_ns > 0 && clock_ns() >= until_ns
                  ? LESSON_MENU
                  : ask_task(l, e, &e->tasks[i], (struct asked){
                        .manner = &manner_exam, .status = buf_text(&status),
                        .progress = (double)i / e->ntasks,
                        .until_ns = until_ns}, err);
    }
    if (end == LESSON_FAILED || signals_ending() != 0)
        return end;
    exam_result(e, result);
    if (!progress_keep_skills(result, e->name, &aside, err))
        return LESSON_FAILED;
    exam_add_result(e, window_glyphs(l->screen, l->o->ascii), &text);
    exam_add_title(e, &title);
    text_pages_result(l->screen, l->o->ascii, buf_text(&title), &text);
    return LESSON_NEXT;
}
