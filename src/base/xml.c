/* SPDX-License-Identifier: MIT */
#include "base/xml.h"

#include "base/utf8.h"

void
xml_add(struct buf *out, const char *text)
{
    char shown[UTF8_SHOWN_MAX];
    uint32_t code;

    while ((code = utf8_next(&text)) != 0)
        switch (code) {
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
        default:
            buf_add(out, shown, (size_t)utf8_show(shown, code));
        }
}
