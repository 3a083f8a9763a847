/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

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

/* The text that is written for a member that is a string. */
static const char *
text_of(const struct json_member *m)
{
    return m->kind == JSON_IS_TEXT   ? m->at.text
           : m->kind == JSON_IS_WORD ? m->words[*m->at.ints]
                                     : *m->at.borrowed;
}

static bool
is_nothing(const struct json_member *m)
{
    switch (m->kind) {
    case JSON_IS_INT:
    case JSON_IS_WORD:
        return *m->at.ints == 0;
    case JSON_IS_INT64:
        return *m->at.int64s == 0;
    case JSON_IS_BOOL:
        return !*m->at.boolean;
    default:
        return text_of(m) == NULL || text_of(m)[0] == '\0';
    }
}

static void
write_member(const struct json_member *m, const char *key, struct buf *out)
{
    buf_addf(out, "%s\"%s\":%s", out->data[out->length - 1] == '{' ? "" : ",",
             key, m->count > 0 ? "[" : "");
    if (m->kind == JSON_IS_BOOL)
        buf_puts(out, *m->at.boolean ? "true" : "false");
    else if (m->kind > JSON_IS_BOOL)
        json_add_string(out, text_of(m));
    else
        for (size_t i = 0; i == 0 || i < m->count; i++)
            buf_addf(out, "%s%" PRId64, i > 0 ? "," : "",
                     m->kind == JSON_IS_INT ? m->at.ints[i] : m->at.int64s[i]);
    buf_puts(out, m->count > 0 ? "]" : "");
}

static bool
check_list(const char *key, const json_t *list, size_t least, size_t most,
           struct err *err)
{
    size_t size = json_array_size(list);

    if (!json_is_array(list))
        return err_set(err, "\"%s\" must be a list", key);
    if (size < least || size > most)
        return err_set(err, "\"%s\" has %zu item%s, it must have %zu to %zu",
                       key, size, err_plural((long long)size), least, most);
    return true;
}

static bool
read_numbers(const struct json_member *m, const char *key, const json_t *v,
             struct err *err)
{
    if (m->count > 0 && !check_list(key, v, m->count, m->count, err))
        return false;
    for (size_t i = 0; i == 0 || i < m->count; i++) {
        const json_t *item = m->count > 0 ? json_array_get(v, i) : v;
        int64_t n = json_integer_value(item);
        bool whole = json_is_integer(item);
        bool fits = n >= m->least && n <= m->most;

        if (m->count > 0 && !(whole && fits))
            return err_set(err, "\"%s\" must be a list of integers from %"
                           PRId64 " to %" PRId64, key, m->least, m->most);
        if (!whole)
            return err_set(err, "\"%s\" must be a whole number", key);
        if (!fits)
            return err_set(err, "\"%s\" is %" PRId64 ", it must be %" PRId64
                           " to %" PRId64, key, n, m->least, m->most);
        if (m->kind == JSON_IS_INT)
            m->at.ints[i] = (int)n;
        else
            m->at.int64s[i] = n;
    }
    return true;
}

static bool
read_string(const struct json_member *m, const char *key, const json_t *v,
            struct err *err)
{
    const char *text = json_string_value(v);

    if (text == NULL)
        return err_set(err, "\"%s\" must be a string", key);
    if (json_string_length(v) >= (size_t)m->most)
        return err_set(err, "\"%s\" is longer than %zu bytes", key,
                       (size_t)m->most - 1);
    if (m->kind == JSON_IS_BORROWED)
        *m->at.borrowed = text;
    else if (m->kind == JSON_IS_TEXT)
        snprintf(m->at.text, (size_t)m->most, "%s", text);
    for (int i = 0; m->kind == JSON_IS_WORD; i++) {
        if (m->words[i] == NULL)
            return err_set(err, "\"%s\" is \"%s\", which collviz does not "
                           "know", key, text);
        if (strcmp(m->words[i], text) == 0)
            return *m->at.ints = i, true;
    }
    return true;
}

static bool
read_member(const struct json_member *m, const char *key, const json_t *v,
            struct err *err)
{
    if (m->kind < JSON_IS_BOOL)
        return read_numbers(m, key, v, err);
    if (m->kind > JSON_IS_BOOL)
        return read_string(m, key, v, err);
    *m->at.boolean = json_is_true(v);
    return json_is_boolean(v) ||
           err_set(err, "\"%s\" must be true or false", key);
}

bool
json_pass(const struct json_line *l, const struct json_member *m)
{
    bool ok = true;

    for (; ok && m->key != NULL; m++) {
        bool may = m->key[0] == '?';
        const char *key = m->key + may;
        const json_t *v = json_object_get(l->from, key);

        if (l->from != NULL)
            ok = v != NULL ? read_member(m, key, v, l->err)
                           : may || err_set(l->err, "\"%s\" is missing", key);
        else if (!may || !is_nothing(m))
            write_member(m, key, l->to);
    }
    return ok;
}

bool
json_has(const struct json_line *l, const char *key, bool there)
{
    return l->from != NULL ? json_object_get(l->from, key) != NULL : there;
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
json_get_array(const json_t *object, const char *key, size_t least,
               size_t most, const json_t **value, struct err *err)
{
    *value = json_object_get(object, key);
    return *value != NULL ? check_list(key, *value, least, most, err)
                          : err_set(err, "\"%s\" is missing", key);
}
