/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistr.h>
#include <uniwidth.h>

#include "base/mem.h"

uint32_t
utf8_next(const char **text)
{
    const uint8_t *s = (const uint8_t *)*text;
    ucs4_t code = s[0];
    int length = code < 0x80 ? code != 0 : u8_strmbtouc(&code, s);

    *text += length < 0 ? 1 : length;
    return length < 0 ? (uint32_t)UTF8_BAD + s[0] : code;
}

int
utf8_put(char out[4], uint32_t code)
{
    int length = u8_uctomb((uint8_t *)out, code, 4);

    assert(length > 0);
    return length;
}

bool
utf8_is_shown(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        {0x00, 0x1f},       {0x7f, 0x9f}, /* controls: C0, DEL, C1 */
        {0x61c, 0x61c},     {0x180e, 0x180e}, {0x200b, 0x200b},
        {0x200e, 0x200f},
        {0x2028, 0x202e},   /* line separators; directions */
        {0x2060, 0x206f},   /* invisible operators; isolates */
        {0xd800, 0xdfff},   {0xfeff, 0xfeff},
        {0xfff9, 0xfffb},   /* annotations */
        {0xfffe, 0xffff},   /* XML cannot hold them either */
        {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, /* of shorthand and of notes */
        {0xe0000, 0xe007f}, /* tags */
        {0xe0100, 0xe01ef}, /* variants of characters */
        {UTF8_BAD, UINT32_MAX},
    };

    if (code >= ' ' && code < 0x7f)
        return true;
    for (size_t i = 0; code >= hidden[i].first; i++)
        if (code <= hidden[i].last)
            return false;
    return true;
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

int
utf8_width(uint32_t code)
{
    char escape[UTF8_SHOWN_MAX];

    if ((code >= ' ' && code < 0x7f) || (code >= 0xa0 && code < 0x300) ||
        (code >= 0x600 && code <= 0x605) || code == 0x70f) /* marks of numbers
                                                            * are seen */
        return 1;
    return utf8_is_shown(code) ? uc_width(code, "UTF-8")
                               : utf8_show(escape, code);
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

static void
add_xml(struct buf *out, const char *text, bool lines)
{
    char shown[UTF8_SHOWN_MAX];
    uint32_t code;

    while ((code = utf8_next(&text)) != 0)
        switch (code == '\n' && !lines ? 0 : code) {
        case '&':
            buf_puts(out, "&amp;");
            break;
        case '<':
            buf_puts(out, "&lt;");
            break;
        case '>':
            buf_puts(out, "&gt;");
            break;
        case '"':
            buf_puts(out, "&quot;");
            break;
        case '\n':
            buf_putc(out, '\n');
            break;
        default:
            buf_add(out, shown, (size_t)utf8_show(shown, code));
        }
}

void
utf8_add_xml(struct buf *out, const char *text)
{
    add_xml(out, text, false);
}

void
utf8_add_xml_lines(struct buf *out, const char *text)
{
    add_xml(out, text, true);
}

void
utf8_addf(struct buf *out, const char *format, ...)
{
    size_t length = strlen(format);
    bool ends = length > 0 && format[length - 1] == '\n';
    OWN(buf) raw = {0};
    va_list args;

    va_start(args, format);
    buf_vaddf(&raw, format, args);
    va_end(args);
    if (ends)
        raw.data[--raw.length] = '\0';
    utf8_add(out, buf_text(&raw));
    buf_puts(out, ends ? "\n" : "");
}

void
utf8_pad(struct buf *out, const char *text, int columns)
{
    int blanks = abs(columns) - utf8_columns(text);

    buf_addf(out, "%*s", columns > 0 && blanks > 0 ? blanks : 0, "");
    utf8_add(out, text);
    buf_addf(out, "%*s", columns < 0 && blanks > 0 ? blanks : 0, "");
}

bool
utf8_is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
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

void
utf8_add_narrow(struct buf *out, const char *text)
{
    static const struct {
        uint32_t code;
        const char *as;
    } meant[] = {{0x3000, " "}, {0x3001, ","}, {0x3002, "."}, {0x2212, "-"},
                 {0xb5, "u"},   {0x3bc, "u"},  {U'第', "step "}, {U'步', ""}};
    enum { MEANT = sizeof meant / sizeof *meant };
    const char *from = text;
    uint32_t code;
    int i;

    for (; (code = utf8_next(&text)) != 0; from = text) {
        for (i = 0; i < MEANT && meant[i].code != code;)
            i++;
        if (i < MEANT)
            buf_puts(out, meant[i].as);
        else if (code >= 0xff01 && code <= 0xff5e) /* the narrow ones, moved */
            buf_putc(out, (char)(code - 0xff01 + '!'));
        else
            buf_add(out, from, (size_t)(text - from));
    }
}

size_t
utf8_parts(const char *text, size_t length, char separator)
{
    size_t parts = 1;

    for (size_t i = 0; i < length; i++)
        parts += text[i] == separator;
    return parts;
}
