/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t
utf8_next(const char **text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)*text;
    uint32_t code = s[0];
    int length;

    if (code == 0)
        return 0;
    *text += 1;
    if (code < 0x80)
        return code;
    if (code >= 0xc2 && code < 0xe0)
        length = 2, code &= 0x1f;
    else if (code >= 0xe0 && code < 0xf0)
        length = 3, code &= 0x0f;
    else if (code >= 0xf0 && code < 0xf5)
        length = 4, code &= 0x07;
    else
        return UTF8_BAD + s[0];
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return UTF8_BAD + s[0];
        code = code << 6 | (s[i] & 0x3f);
    }
    if (code < least[length] || code > 0x10ffff ||
        (code >= 0xd800 && code < 0xe000))
        return UTF8_BAD + s[0];
    *text += length - 1;
    return code;
}

int
utf8_put(char out[4], uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    assert(code <= 0x10ffff);
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

struct range {
    uint32_t first, last;
};

/* The ranges are in order. */
static bool
is_within(const struct range *ranges, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count && code >= ranges[i].first; i++)
        if (code <= ranges[i].last)
            return true;
    return false;
}
#define IS_WITHIN(ranges, code) \
    is_within(ranges, sizeof(ranges) / sizeof *(ranges), code)

bool
utf8_is_shown(uint32_t code)
{
    static const struct range hidden[] = {
        {0x00, 0x1f},       {0x7f, 0x9f}, /* controls: C0, DEL, C1 */
        {0x61c, 0x61c},     {0x200b, 0x200b}, {0x200e, 0x200f},
        {0x2028, 0x202e},   /* line separators; directions */
        {0x2060, 0x206f},   /* invisible operators; isolates */
        {0xd800, 0xdfff},   {0xfeff, 0xfeff},
        {0xfffe, 0xffff},   /* XML cannot hold them either */
        {0xe0000, 0xe007f}, /* tags */
        {UTF8_BAD, UINT32_MAX},
    };

    return (code >= ' ' && code < 0x7f) || !IS_WITHIN(hidden, code);
}

int
utf8_show(char out[UTF8_SHOWN_MAX], uint32_t code)
{
    char escape[UTF8_SHOWN_MAX + 1];
    int length;

    if (utf8_is_shown(code))
        return utf8_put(out, code);
    if (code < 0x80 || code >= UTF8_BAD)
        length = snprintf(escape, sizeof escape, "\\x%02x", code & 0xff);
    else
        length = snprintf(escape, sizeof escape,
                          code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
    memcpy(out, escape, (size_t)length);
    return length;
}

/* wcwidth() depends on the current locale, but a layout must not.  These are
 * the wide blocks of Unicode's EastAsianWidth.txt (W and F) that occur in our
 * texts. */
int
utf8_width(uint32_t code)
{
    static const struct range wide[] = {
        {0x1100, 0x115f}, {0x2e80, 0x303e},   {0x3041, 0x33ff},
        {0x3400, 0x4dbf}, {0x4e00, 0x9fff},   {0xa000, 0xa4cf},
        {0xac00, 0xd7a3}, {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
        {0xff00, 0xff60}, {0xffe0, 0xffe6},   {0x1f300, 0x1faff},
        {0x20000, 0x3fffd},
    };
    static const struct range none[] = { /* marks, joiners, variations */
        {0x300, 0x36f}, {0x200c, 0x200d}, {0xfe00, 0xfe0f},
    };
    char escape[UTF8_SHOWN_MAX];

    if ((code >= ' ' && code < 0x7f) || (code >= 0xa0 && code < 0x300))
        return 1;
    if (!utf8_is_shown(code))
        return utf8_show(escape, code);
    return IS_WITHIN(none, code) ? 0 : IS_WITHIN(wide, code) ? 2 : 1;
}

int
utf8_columns(const char *text)
{
    int columns = 0;
    uint32_t code;

    while ((code = utf8_next(&text)) != 0)
        columns += utf8_width(code);
    return columns;
}

void
utf8_add(struct buf *out, const char *text)
{
    char shown[UTF8_SHOWN_MAX];
    uint32_t code;

    while ((code = utf8_next(&text)) != 0)
        buf_add(out, shown, (size_t)utf8_show(shown, code));
}

void
utf8_addf(struct buf *out, const char *format, ...)
{
    size_t length = strlen(format);
    bool ends = length > 0 && format[length - 1] == '\n';
    struct buf raw = {0};
    va_list args;

    va_start(args, format);
    buf_vaddf(&raw, format, args);
    va_end(args);
    if (ends)
        raw.data[--raw.length] = '\0';
    utf8_add(out, buf_text(&raw));
    buf_puts(out, ends ? "\n" : "");
    buf_done(&raw);
}

void
utf8_pad(struct buf *out, const char *text, int columns)
{
    int blanks = abs(columns) - utf8_columns(text);

    buf_addf(out, "%*s", columns > 0 && blanks > 0 ? blanks : 0, "");
    utf8_add(out, text);
    buf_addf(out, "%*s", columns < 0 && blanks > 0 ? blanks : 0, "");
}

void
utf8_clean(char *out, size_t size, const char *text)
{
    char shown[UTF8_SHOWN_MAX];
    size_t used = 0, length;
    uint32_t code;

    assert(size > 0);
    while ((code = utf8_next(&text)) != 0) {
        length = (size_t)utf8_show(shown, code);
        if (used + length >= size)
            break;
        memcpy(out + used, shown, length);
        used += length;
    }
    out[used] = '\0';
}
