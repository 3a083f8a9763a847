/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

enum { WORD_MAX = 63 /* bytes */ };

/* JSON cannot hold a byte that is not UTF-8, so it is written in the form in
 * which it is shown. */
void
json_add_string(struct buf *out, const char *text)
{
    char bytes[4];
    uint32_t code;

    buf_putc(out, '"');
    while ((code = utf8_next(&text)) != 0) {
        if (code == '"' || code == '\\')
            buf_addf(out, "\\%c", (char)code);
        else if (utf8_is_shown(code))
            buf_add(out, bytes, (size_t)utf8_put(bytes, code));
        else if (code >= UTF8_BAD)
            buf_addf(out, "\\\\x%02x", code - UTF8_BAD);
        else if (code < 0x10000)
            buf_addf(out, "\\u%04x", code);
        else
            buf_addf(out, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10),
                     0xdc00 + (code & 0x3ff));
    }
    buf_putc(out, '"');
}

static bool
get(const json_t *object, const char *key, const json_t **value,
    struct err *err)
{
    *value = json_object_get(object, key);
    return *value != NULL || err_set(err, "\"%s\" is missing", key);
}

bool
json_get_integer(const json_t *object, const char *key, int64_t least,
                 int64_t most, int64_t *value, struct err *err)
{
    const json_t *v;

    if (!get(object, key, &v, err))
        return false;
    if (!json_is_integer(v))
        return err_set(err, "\"%s\" must be a whole number", key);
    *value = json_integer_value(v);
    if (*value < least || *value > most)
        return err_set(err, "\"%s\" is %" PRId64 ", it must be %" PRId64
                       " to %" PRId64, key, *value, least, most);
    return true;
}

bool
json_at(const json_t *list, size_t index, int64_t least, int64_t most,
        int64_t *value)
{
    const json_t *v = json_array_get(list, index);

    *value = json_integer_value(v);
    return json_is_integer(v) && *value >= least && *value <= most;
}

bool
json_get_int(const json_t *object, const char *key, int least, int most,
             int *value, struct err *err)
{
    int64_t wide = 0;

    if (!json_get_integer(object, key, least, most, &wide, err))
        return false;
    *value = (int)wide;
    return true;
}

bool
json_get_boolean(const json_t *object, const char *key, bool *value,
                 struct err *err)
{
    const json_t *v;

    if (!get(object, key, &v, err))
        return false;
    if (!json_is_boolean(v))
        return err_set(err, "\"%s\" must be true or false", key);
    *value = json_is_true(v);
    return true;
}

bool
json_get_string(const json_t *object, const char *key, size_t most,
                const char **value, struct err *err)
{
    const json_t *v;

    if (!get(object, key, &v, err))
        return false;
    if (!json_is_string(v))
        return err_set(err, "\"%s\" must be a string", key);
    *value = json_string_value(v);
    if (json_string_length(v) > most || strlen(*value) > most)
        return err_set(err, "\"%s\" is longer than %zu bytes", key, most);
    return true;
}

bool
json_get_text(const json_t *object, const char *key, char *text, size_t size,
              struct err *err)
{
    const char *raw;

    if (!json_get_string(object, key, size - 1, &raw, err))
        return false;
    snprintf(text, size, "%s", raw);
    return true;
}

bool
json_get_word(const json_t *object, const char *key, const char *const *words,
              int count, int *index, struct err *err)
{
    const char *text;

    if (!json_get_string(object, key, WORD_MAX, &text, err))
        return false;
    for (*index = 0; *index < count; ++*index)
        if (strcmp(words[*index], text) == 0)
            return true;
    return err_set(err, "\"%s\" is \"%s\", which collviz does not know", key,
                   text);
}

bool
json_get_array(const json_t *object, const char *key, size_t least,
               size_t most, const json_t **value, struct err *err)
{
    size_t size;

    if (!get(object, key, value, err))
        return false;
    if (!json_is_array(*value))
        return err_set(err, "\"%s\" must be a list", key);
    size = json_array_size(*value);
    if (size < least || size > most)
        return err_set(err, "\"%s\" has %zu item%s, it must have %zu to %zu",
                       key, size, err_plural((long long)size), least, most);
    return true;
}
