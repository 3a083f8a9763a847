/* SPDX-License-Identifier: MIT */
/* A number, which may be wrong by a part of the truth. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/translate.h"
#include "tutor/question.h"

static json_t *
number_form(const struct question *q, const json_t *v, struct err *err)
{
    (void)q;
    (void)err;
    return json_is_number(v) ? json_deep_copy(v) : NULL;
}

/* "8", "0.75", "3/4" */
static json_t *
number_parse(const struct question *q, const char *typed, struct err *err)
{
    const char *part = typed;
    double value, below = 1;
    char *end;

    (void)q;
    errno = 0;
    value = strtod(part, &end);
    if (end != part && *end == '/') {
        part = end + 1;
        below = strtod(part, &end);
    }
    value /= below;
    if (end == part || end[strspn(end, " ")] != '\0' || errno != 0 ||
        !isfinite(value)) {
        err_set(err, _("'%s' is not a number"), typed);
        return NULL;
    }
    return value == floor(value) && fabs(value) < 1e15
               ? json_integer((json_int_t)value)
               : json_real(value);
}

static void
number_text(const struct question *q, const json_t *v, struct buf *out)
{
    (void)q;
    buf_addf(out, "%.10g", json_number_value(v));
}

static bool
number_right(const struct question *q, const json_t *given,
             const json_t *truth)
{
    return fabs(json_number_value(given) - json_number_value(truth)) <=
           fmax(1e-6, q->within) * fabs(json_number_value(truth));
}

const struct question_kind kind_number = {
    .name = "number", .typed = true, .votes = true,
    .form = number_form, .parse = number_parse, .text = number_text,
    .right = number_right,
};
