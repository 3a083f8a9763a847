/* SPDX-License-Identifier: MIT */
/* A place in the run, and a change there (text/notation.h). */
#include "base/mem.h"
#include "text/notation.h"
#include "tutor/question.h"

static struct notation
run_notation(const struct question *q)
{
    return (struct notation){.nranks = q->nranks, .nslots = q->nslots,
                             .nsteps = q->nsteps};
}

static json_t *
transfer_form(const struct question *q, const json_t *v, struct err *err)
{
    struct notation n = run_notation(q);
    struct change_place place;
    OWN(buf) form = {0};

    if (!json_is_string(v) ||
        !change_place_read(&n, json_string_value(v), &place, err))
        return NULL;
    change_place_add(&place, &form);
    return json_string(buf_text(&form));
}

static json_t *
mend_form(const struct question *q, const json_t *v, struct err *err)
{
    struct notation n = run_notation(q);
    struct change change;
    OWN(buf) form = {0};

    if (!json_is_string(v) ||
        !change_read(&n, json_string_value(v), &change, err))
        return NULL;
    change_add(&n, &change, &form);
    return json_string(buf_text(&form));
}

const struct question_kind kind_transfer = {
    .name = "transfer", .notates = true, .of_run = true,
    .samples = "[\"step 1, 0>1\", \"step 2, 1>0\"]",
    .form = transfer_form,
};

const struct question_kind kind_mend = {
    .name = "mend", .notates = true, .of_run = true,
    .samples = "[\"step 1, 0>1\", \"step 2, 1>0\", \"step 1\", \"-\"]",
    .form = mend_form,
};
