/* SPDX-License-Identifier: MIT */
/* A rank of the run on the screen, by its number. */
#include "base/translate.h"
#include "play/parse.h"
#include "tutor/question.h"

static json_t *
rank_form(const struct question *q, const json_t *v, struct err *err)
{
    (void)err;
    return question_integer(v, 0, q->nranks - 1);
}

/* The votes of a class are typed. */
static json_t *
rank_parse(const struct question *q, const char *typed, struct err *err)
{
    int rank;

    return parse_int(_("answer"), typed, 0, q->nranks - 1, &rank, err)
               ? json_integer(rank)
               : NULL;
}

static void
rank_text(const struct question *q, const json_t *v, struct buf *out)
{
    (void)q;
    buf_addf(out, _("GPU %d"), (int)json_integer_value(v));
}

const struct question_kind kind_rank = {
    .name = "rank", .votes = true, .of_run = true,
    .form = rank_form, .parse = rank_parse, .text = rank_text,
};
