/* SPDX-License-Identifier: MIT */
/* Items to be put in order. */
#include "base/json.h"
#include "base/translate.h"
#include "tutor/question.h"

static bool
is_order(const struct question *q, const json_t *v)
{
    bool seen[QUESTION_ITEMS] = {false};
    int64_t item;

    for (int i = 0; i < q->nitems; i++) {
        if (!json_at(v, (size_t)i, 1, q->nitems, &item) || seen[item - 1])
            return false;
        seen[item - 1] = true;
    }
    return json_array_size(v) == (size_t)q->nitems;
}

static json_t *
order_form(const struct question *q, const json_t *v, struct err *err)
{
    (void)err;
    return is_order(q, v) ? json_deep_copy(v) : NULL;
}

static void
order_text(const struct question *q, const json_t *v, struct buf *out)
{
    for (int i = 0; i < q->nitems && is_order(q, v); i++) {
        json_int_t n = json_integer_value(json_array_get(v, (size_t)i));
        buf_addf(out, "%s%s", i > 0 ? ", " : "", q->items[n - 1]);
    }
}

/* Names the first two items that stand the wrong way round. */
static void
order_reason(const struct question *q, const struct slip *s, struct buf *out)
{
    int place[QUESTION_ITEMS + 1] = {0};

    for (int i = 0; i < q->nitems; i++)
        place[json_integer_value(json_array_get(s->truth, (size_t)i))] = i;
    for (size_t i = 0; i + 1 < (size_t)q->nitems; i++) {
        int a = (int)json_integer_value(json_array_get(s->given, i));
        int b = (int)json_integer_value(json_array_get(s->given, i + 1));
        if (place[a] < place[b])
            continue;
        buf_addf(out, _("%1$s does not come before %2$s."), question_item(q, a),
                 question_item(q, b));
        return;
    }
}

const struct question_kind kind_order = {
    .name = "order", .items = "items", .most_items = QUESTION_ITEMS,
    .samples = "[[1, 2, 3, 4, 5, 6], [2, 1, 3, 4, 5, 6]]",
    .form = order_form, .text = order_text, .reason = order_reason,
};
