/* SPDX-License-Identifier: MIT */
/* The look ahead: a second tutor plays the lesson, unseen, as far as the answer
 * to the present question. */
#include "base/clock.h"
#include "base/signals.h"
#include "base/translate.h"
#include "tutor/verbs.h"

void
ahead_begin(struct tutor *t)
{
    struct tutor_how how = t->seen.how;
    struct err ignored;

    how.skip = t->seen.pages - 1; /* to the question */
    how.earlier = t->seen.record.answers;
    how.unwatched = how.examines = true; /* it looks no further ahead itself */
    t->ahead.page = t->seen.pages;
    t->ahead.tutor = tutor_open(t->path, &t->options, &how, &ignored);
}

void
ahead_end(struct tutor *t)
{
    tutor_close(t->ahead.tutor);
    t->ahead.tutor = NULL;
}

const json_t *
ahead_go_on(struct tutor *t, int64_t now)
{
    struct tutor *s = t->ahead.tutor;
    const json_t *truth;
    json_t *first = t->seen.question.first;
    struct err ignored;
    bool ok = s != NULL && s->seen.state != TUTOR_OVER;

    if (s == NULL)
        return NULL;
    truth = json_array_get(s->seen.record.truths,
                           record_count(&t->seen.record));
    if (truth != NULL) { /* its runs are still needed, its script is not */
        script_close(s->script);
        s->script = NULL;
        return truth;
    }
    if (ok && s->seen.state == TUTOR_PAGE)
        ok = tutor_go_on(s, &ignored);
    else if (ok && s->seen.state == TUTOR_ASKS && !s->seen.question.reasons)
        ok = tutor_answer(s, NULL, &ignored);
    else if (ok && s->seen.state == TUTOR_ASKS)
        /* a reason is about an answer */
        ok = first == NULL || tutor_answer(s, json_incref(first), &ignored);
    if (!ok || !tutor_advance(s, now, &ignored))
        ahead_end(t);
    return NULL;
}

bool
ahead_objects(struct tutor *t, const json_t *given, struct buf *out)
{
    const struct question *q = &t->seen.question;
    const struct world *w = tutor_world(t);
    const struct ahead *a = &t->ahead;
    const json_t *truth = NULL;
    const char *said;
    struct err ignored;

    if (a->page != t->seen.pages)
        ahead_begin(t);
    while (a->tutor != NULL && signals_ending() == 0 &&
           (truth = ahead_go_on(t, clock_ns())) == NULL && a->tutor != NULL)
        if (a->tutor->seen.state == TUTOR_BUSY)
            tutor_wait(a->tutor, &ignored);
    if (truth == NULL || question_is_right(q, given, truth))
        return false;
    said = json_string_value(
        json_object_get(a->tutor->seen.page.said, "reason"));
    if (said != NULL)
        buf_puts(out, said);
    else if (question_kind(q)->reason != NULL)
        question_kind(q)->reason(
            q, &(struct slip){given, truth, tutor_world(a->tutor),
                              w != NULL ? w->position : 0}, out);
    if (said == NULL && out->length == 0)
        buf_puts(out, _("The run shows something else."));
    return true;
}
