/* SPDX-License-Identifier: MIT */
/* One of several choices, by its number from 1. */
#include <stdio.h>
#include <string.h>

#include "tutor/question.h"

static json_t *
choice_form(const struct question *q, const json_t *v, struct err *err)
{
    (void)err;
    return question_integer(v, 1, q->nitems);
}

/* A number may stand for the choice that has it as its text. */
static json_t *
choice_meant(const struct question *q, const json_t *said)
{
    const char *text = json_string_value(said);
    char number[32];

    if (json_is_number(said)) {
        snprintf(number, sizeof number, "%.10g", json_number_value(said));
        text = number;
    }
    for (int i = 0; text != NULL && i < q->nitems; i++)
        if (strcmp(q->items[i], text) == 0)
            return json_integer(i + 1);
    return question_integer(said, 1, q->nitems);
}

static void
choice_text(const struct question *q, const json_t *v, struct buf *out)
{
    json_int_t n = json_integer_value(v);

    if (n >= 1 && n <= q->nitems)
        buf_puts(out, question_item(q, (int)n));
}

const struct question_kind kind_choice = {
    .name = "choice", .chooses = true, .votes = true,
    .items = "choices", .most_items = 5, .samples = "[1, 2]",
    .form = choice_form, .meant = choice_meant,
    .text = choice_text,
};
