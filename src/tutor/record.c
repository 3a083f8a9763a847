/* SPDX-License-Identifier: MIT */
#include "tutor/record.h"

void
record_init(struct record *r)
{
    *r = (struct record){.answers = json_array(), .truths = json_array(),
                         .missed = json_array(), .offered = json_array(),
                         .terms = json_object(), .untranslated = json_array()};
}

void
record_done(struct record *r)
{
    json_decref(r->answers);
    json_decref(r->truths);
    json_decref(r->missed);
    json_decref(r->offered);
    json_decref(r->terms);
    json_decref(r->untranslated);
}

size_t
record_count(const struct record *r)
{
    return json_array_size(r->answers);
}

const json_t *
record_truth(const struct record *r)
{
    return json_array_get(r->truths, json_array_size(r->truths) - 1);
}

void
record_reveal(struct record *r, json_t *truth, bool asked, bool right)
{
    json_int_t last = (json_int_t)record_count(r) - 1;

    r->predicted += asked;
    r->right += right;
    if (asked && !right)
        json_array_append_new(r->missed, json_integer(last));
    json_array_append(r->truths, truth);
}
