/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
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
        return UTF8_BAD;
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return UTF8_BAD;
        code = code << 6 | (s[i] & 0x3f);
    }
    if (code < least[length] || code > 0x10ffff ||
        (code >= 0xd800 && code < 0xe000))
        return UTF8_BAD;
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

/* wcwidth() would do, but answers by the locale that happens to be set, and
 * a layout must not depend on that.  The wide blocks of Unicode's
 * EastAsianWidth.txt (W and F) that a terminal meets in our texts. */
int
utf8_width(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } wide[] = {
        {0x1100, 0x115f}, {0x2e80, 0x303e},   {0x3041, 0x33ff},
        {0x3400, 0x4dbf}, {0x4e00, 0x9fff},   {0xa000, 0xa4cf},
        {0xac00, 0xd7a3}, {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
        {0xff00, 0xff60}, {0xffe0, 0xffe6},   {0x1f300, 0x1faff},
        {0x20000, 0x3fffd},
    };

    if (code < 0x300)
        return code >= 0x20 && (code < 0x7f || code >= 0xa0) ? 1 : 0;
    if ((code >= 0x300 && code < 0x370) || (code >= 0x200b && code <= 0x200f) ||
        (code >= 0xfe00 && code <= 0xfe0f))
        return 0; /* combining marks, joiners, variation selectors */
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        if (code >= wide[i].first && code <= wide[i].last)
            return 2;
    return 1;
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

static bool
is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) ||
           code == 0x2028 || code == 0x2029 ||
           (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069); /* direction overrides */
}

void
utf8_clean(char *out, size_t size, const char *text)
{
    size_t used = 0;

    assert(size > 0);
    for (;;) {
        const char *start = text;
        uint32_t code = utf8_next(&text);
        char piece[17];
        size_t length = (size_t)(text - start);

        if (code == 0)
            break;
        if (is_control(code) || (code == UTF8_BAD && length == 1)) {
            size_t at = 0;
            for (size_t i = 0; i < length; i++, at += 4)
                snprintf(piece + at, sizeof piece - at, "\\x%02x",
                         (unsigned char)start[i]);
            length = at;
        } else {
            memcpy(piece, start, length);
        }
        if (used + length >= size)
            break;
        memcpy(out + used, piece, length);
        used += length;
    }
    out[used] = '\0';
}
