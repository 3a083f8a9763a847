/* SPDX-License-Identifier: MIT */
#include "lesson/review.h"

#include <limits.h>

static const int days[REVIEW_ROUNDS] = {1, 3, 7};

/* Returns false if an entry is none that this module has written. */
static bool
read_entry(const json_t *entry, struct review *r)
{
    json_int_t question =
        json_integer_value(json_object_get(entry, "question"));
    json_int_t round = json_integer_value(json_object_get(entry, "round"));
    json_int_t due = json_integer_value(json_object_get(entry, "due"));

    *r = (struct review){(int)question, (int)round, (time_t)due};
    return question >= 0 && question < INT_MAX && round >= 1 &&
           round <= REVIEW_ROUNDS && due > 0;
}

static json_t *
entry(int question, int round, time_t now)
{
    json_int_t due = (json_int_t)now + days[round - 1] * 24 * 60 * 60;

    return json_pack("{si si sI}", "question", question, "round", round, "due",
                     due);
}

void
review_plan(json_t *plan, int question, time_t now)
{
    struct review r;

    for (size_t i = 0; i < json_array_size(plan); i++)
        if (read_entry(json_array_get(plan, i), &r) && r.question == question)
            return;
    json_array_append_new(plan, entry(question, 1, now));
}

static bool
is_same(const struct review *a, const struct review *b)
{
    return a->question == b->question && a->round == b->round &&
           a->due == b->due;
}

/* Replaces the entry at `at`, or removes it. */
static void
end_entry(json_t *plan, size_t at, const struct review *r,
          enum review_result result, time_t now)
{
    int next = result == REVIEW_RIGHT ? r->round + 1 : 1;

    if (result == REVIEW_GONE || next > REVIEW_ROUNDS)
        json_array_remove(plan, at);
    else
        json_array_set_new(plan, at, entry(r->question, next, now));
}

void
review_ended(json_t *plan, const struct review *asked,
             enum review_result result, time_t now)
{
    struct review r;

    for (size_t i = 0; i < json_array_size(plan); i++)
        if (read_entry(json_array_get(plan, i), &r) && is_same(&r, asked)) {
            end_entry(plan, i, asked, result, now);
            return;
        }
}

bool
review_first(const json_t *plan, struct review *first)
{
    struct review r;
    bool found = false;

    for (size_t i = 0; i < json_array_size(plan); i++)
        if (read_entry(json_array_get(plan, i), &r) &&
            (!found || r.due < first->due)) {
            *first = r;
            found = true;
        }
    return found;
}

int
review_count(const json_t *plan, time_t now)
{
    struct review r;
    int count = 0;

    for (size_t i = 0; i < json_array_size(plan); i++)
        count += read_entry(json_array_get(plan, i), &r) && r.due <= now;
    return count;
}
