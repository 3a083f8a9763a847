/* SPDX-License-Identifier: MIT */
#include "lesson/attempt.h"

struct attempt
attempt_read(const json_t *kept)
{
    json_int_t hints = json_integer_value(json_object_get(kept, "hints"));
    struct attempt a = {.first = kept, .last = kept};

    if (json_is_object(kept))
        a = (struct attempt){json_object_get(kept, "first"),
                             json_object_get(kept, "last"),
                             hints > 0 && hints < 100 ? (int)hints : 0};
    if (a.last == NULL)
        a.last = json_null();
    return a;
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
