/* SPDX-License-Identifier: MIT */
/* A schedule that the learner wires (tutor/wiring.h). */
#include "base/mem.h"
#include "tutor/question.h"

static bool
wiring_read_task(struct question *q, const json_t *with, struct err *err)
{
    return wiring_read(&q->wiring, with, false, err);
}

static json_t *
wiring_form(const struct question *q, const json_t *v, struct err *err)
{
    OWNS(schedule) *s = wiring_schedule(&q->wiring, v, err);

    return s != NULL ? wiring_answer(s) : NULL;
}

/* Whether it can be wired, and keeps the promise. */
static bool
is_wiring(const struct question *q, const json_t *v,
          struct check_counts *counts, struct err *err)
{
    OWNS(schedule) *s = wiring_schedule(&q->wiring, v, err);

    return s != NULL && schedule_check(s, s->nchunks, counts, err);
}

static void
wiring_text(const struct question *q, const json_t *v, struct buf *out)
{
    (void)q;
    for (size_t i = 0; i < json_array_size(v); i++)
        buf_addf(out, "%s%s", i > 0 ? "; " : "",
                 json_string_value(json_array_get(v, i)));
}

static bool
wiring_right(const struct question *q, const json_t *given,
             const json_t *truth)
{
    struct check_counts counts;
    struct err ignored;

    (void)truth;
    return is_wiring(q, given, &counts, &ignored) &&
           wiring_over(&q->wiring, &counts) <= 0;
}

static bool
wiring_check_truth(const struct question *q, const json_t *said,
                   struct err *err)
{
    struct check_counts counts;

    return is_wiring(q, said, &counts, err) &&
           (wiring_over(&q->wiring, &counts) == 0 ||
            err_set(err, "it takes %d step%s and %d chunk%s a GPU, which is "
                    "not the par", counts.steps, err_plural(counts.steps),
                    (int)counts.most_sent, err_plural(counts.most_sent)));
}

const struct question_kind kind_wiring = {
    .name = "wiring", .signs = true, .proved = true,
    .read = wiring_read_task, .form = wiring_form, .text = wiring_text,
    .right = wiring_right, .check_truth = wiring_check_truth,
};
