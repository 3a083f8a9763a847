/* SPDX-License-Identifier: MIT */
/* Whether output could command a terminal or mislead a reader.  It does not use
 * base/utf8.h, which it judges. */
#ifndef TESTS_HARMLESS_H
#define TESTS_HARMLESS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "outputs.h"

/* Returns the code point at text[0] and sets *length to its bytes; -1: this is
 * not UTF-8. */
static long
harmless_decode(const unsigned char *text, size_t left, size_t *length)
{
    static const unsigned char lead[] = {0x00, 0xc0, 0xe0, 0xf0};
    static const long least[] = {0, 0x80, 0x800, 0x10000};
    size_t more = text[0] < 0x80 ? 0 : text[0] < 0xe0 ? 1
                : text[0] < 0xf0 ? 2 : 3;
    long code = text[0] - lead[more];

    *length = more + 1;
    if (code < 0 || text[0] > 0xf4 || more >= left)
        return -1;
    for (size_t i = 1; i <= more; i++) {
        if (text[i] >> 6 != 2)
            return -1;
        code = code * 64 + text[i] % 64;
    }
    return code < least[more] || code > 0x10ffff || code >> 11 == 0x1b ? -1
                                                                       : code;
}

static bool
harmless_code(long code)
{
    static const long bad[][2] = {
        {-1, 0x1f},       {0x7f, 0x9f},     {0x61c, 0x61c},
        {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x2029},
        {0x202a, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff},
        {0xfffe, 0xffff}, {0xe0000, 0xe007f}};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (code >= bad[i][0] && code <= bad[i][1])
            return false;
    return true;
}

/* Sets *code to the first character that is not harmless. */
static bool
harmless_text(const char *text, size_t length, bool newlines, long *code)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t used;

    for (size_t i = 0; i < length; i += used) {
        *code = harmless_decode(p + i, length - i, &used);
        if (!harmless_code(*code) && !(newlines && *code == '\n'))
            return false;
    }
    return true;
}

/* Skips the escape sequences that an asciicast consists of. */
static void
harmless_without_sequences(const char *data, struct buf *rest)
{
    while (*data != '\0') {
        size_t digits = strncmp(data, "\033[", 2) == 0
                            ? strspn(data + 2, "?0123456789;") : 0;
        if (digits > 0 && strchr("mHJlh", data[2 + digits]) != NULL)
            data += 2 + digits + 1;
        else
            buf_putc(rest, *data++);
    }
}

/* All strings in a JSON value, once a reader has decoded them. */
static bool
harmless_strings(const json_t *value, bool sequences, long *code)
{
    struct buf text = {0};
    const char *key;
    json_t *item;
    size_t i;
    bool ok = true;

    json_object_foreach((json_t *)value, key, item)
        ok = ok && harmless_text(key, strlen(key), false, code) &&
             harmless_strings(item, sequences, code);
    json_array_foreach(value, i, item)
        ok = ok && harmless_strings(item, sequences, code);
    if (!json_is_string(value))
        return ok;
    if (sequences)
        harmless_without_sequences(json_string_value(value), &text);
    else
        buf_puts(&text, json_string_value(value));
    ok = harmless_text(buf_text(&text), text.length, false, code);
    buf_done(&text);
    return ok;
}

/* One JSON value after another. */
static bool
harmless_values(const struct buf *made, bool sequences, long *code)
{
    FILE *file = fmemopen(made->data, made->length, "r");
    json_t *value;
    int c;
    bool ok = true;

    *code = -1;
    while (ok && (c = getc(file)) != EOF) {
        ungetc(c, file);
        value = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL);
        ok = value != NULL && harmless_strings(value, sequences, code);
        json_decref(value);
        while ((c = getc(file)) == '\n')
            ;
        ungetc(c, file);
    }
    fclose(file);
    return ok;
}

/* Returns false if there is a harmful character, *code, or -1 if this is not
 * UTF-8 or not JSON. */
static bool
harmless(enum output kind, const struct buf *made, long *code)
{
    if (!harmless_text(buf_text(made), made->length, true, code))
        return false;
    if (kind == OUTPUT_CAST || kind == OUTPUT_TRACE)
        return harmless_values(made, kind == OUTPUT_CAST, code);
    return true;
}

#endif
