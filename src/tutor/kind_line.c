/* SPDX-License-Identifier: MIT */
/* A line of the table on the screen, by its number from 1. */
#include "base/translate.h"
#include "tutor/question.h"

static json_t *
line_form(const struct question *q, const json_t *v, struct err *err)
{
    (void)err;
    return question_integer(v, 1, q->nrows);
}

static void
line_text(const struct question *q, const json_t *v, struct buf *out)
{
    (void)q;
    buf_addf(out, _("line %d"), (int)json_integer_value(v));
}

const struct question_kind kind_line = {
    .name = "line", .of_rows = true,
    .samples = "[1, 2]",
    .form = line_form, .text = line_text,
};
