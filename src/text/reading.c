/* SPDX-License-Identifier: MIT */
#include "text/reading.h"

#include <stdbool.h>

#include "base/utf8.h"

enum { WORD_NS = 250000000 };

int64_t
reading_ns(const char *text)
{
    int64_t words = 0;
    bool in_word = false;
    uint32_t code;

    while ((code = utf8_next(&text)) != 0) {
        bool wide = utf8_width(code) == 2;
        words += wide || (code != ' ' && !in_word);
        in_word = !wide && code != ' ';
    }
    return words * WORD_NS;
}
