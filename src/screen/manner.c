/* SPDX-License-Identifier: MIT */
#include "screen/manner.h"

#include "base/mem.h"
#include "lesson/attempt.h"
#include "lesson/shelf.h"

static bool
keep_lesson(const struct asked *a, const struct tutor *t, struct err *aside,
            struct err *err)
{
    OWN_MEMORY char *key = shelf_key(a->path);
    json_auto_t *answers = tutor_answered(t);
    const struct tutor_seen *seen = tutor_seen(t);
    const struct progress played = {
        .page = seen->pages > 0 ? seen->pages - 1 : 0,
        .done = seen->state == TUTOR_OVER,
        .asked = seen->record.predicted,
        .right = seen->record.right,
        .answers = answers,
    };

    return progress_keep(key, &played, seen->record.missed,
                         seen->record.offered, aside, err);
}

static enum review_result
result_of(const struct asked *a, const struct tutor *t)
{
    const struct record *r = &tutor_seen(t)->record;
    json_t *missed = json_array_get(r->missed, json_array_size(r->missed) - 1);

    return (int)json_array_size(r->truths) <= a->question ? REVIEW_GONE
           : json_is_integer(missed) &&
                   json_integer_value(missed) == a->question
               ? REVIEW_MISSED
               : REVIEW_RIGHT;
}

static bool
keep_due(const struct asked *a, const struct tutor *t, struct err *aside,
         struct err *err)
{
    return progress_keep_due(a->due, result_of(a, t), aside, err);
}

static bool
keep_practice(const struct asked *a, const struct tutor *t, struct err *aside,
              struct err *err)
{
    enum review_result result = result_of(a, t);
    struct tally done[SKILLS] = {{0}};

    done[a->task->skill] =
        (struct tally){result != REVIEW_GONE, result == REVIEW_RIGHT};
    return progress_keep_skills(done, NULL, aside, err);
}

static char *
answer_text(const struct question *q, const json_t *answer)
{
    OWN(buf) text = {0};

    if (answer == NULL || json_is_null(answer))
        return NULL;
    question_answer_text(q, answer, &text);
    return mem_string(buf_text(&text));
}

/* In the exam; its result is kept at its end. */
static bool
keep_task(const struct asked *a, const struct tutor *t, struct err *aside,
          struct err *err)
{
    const struct tutor_seen *seen = tutor_seen(t);
    enum review_result result = result_of(a, t);
    size_t i = (size_t)a->question;
    struct task *task = a->task;
    const json_t *given;

    (void)aside;
    (void)err;
    task->right = result == REVIEW_RIGHT;
    if (result == REVIEW_GONE)
        return true;
    task->text = mem_string(seen->question.text);
    given = attempt_read(json_array_get(seen->record.answers, i)).first;
    task->given = answer_text(&seen->question, given);
    task->truth = answer_text(&seen->question,
                              json_array_get(seen->record.truths, i));
    return true;
}

const struct manner manner_lesson = {
    .resumes = true, .leads_back = true, .keep = keep_lesson};
const struct manner manner_lecture = {.leads_back = true};
const struct manner manner_class = {.class = true, .leads_back = true};
const struct manner manner_review = {.alone = true, .keep = keep_due};
const struct manner manner_practice = {
    .alone = true, .leads_back = true, .keep = keep_practice};
const struct manner manner_exam = {
    .alone = true, .examines = true, .leads_back = true, .keep = keep_task};
