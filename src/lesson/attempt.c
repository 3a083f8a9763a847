/* SPDX-License-Identifier: MIT */
#include "lesson/attempt.h"

static const json_t *
or_null(const json_t *value)
{
    return value != NULL ? value : json_null();
}

struct attempt
attempt_read(const json_t *kept)
{
    json_int_t hints = json_integer_value(json_object_get(kept, "hints"));

    if (!json_is_object(kept))
        return (struct attempt){.first = kept, .last = or_null(kept)};
    return (struct attempt){
        .first = json_object_get(kept, "first"),
        .last = or_null(json_object_get(kept, "last")),
        .hints = hints > 0 && hints < 100 ? (int)hints : 0,
    };
}

json_t *
attempt_write(struct attempt a)
{
    if (a.first == NULL)
        return json_pack("{si}", "hints", a.hints);
    if (a.hints == 0 && json_equal(a.first, a.last))
        return json_deep_copy(a.first);
    return json_pack("{so so si}", "first", json_deep_copy(a.first), "last",
                     json_deep_copy(a.last), "hints", a.hints);
}
