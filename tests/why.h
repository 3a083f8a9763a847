/* SPDX-License-Identifier: MIT */
#ifndef TESTS_WHY_H
#define TESTS_WHY_H

#include "event/wrong.h"

/* What is wrong, in words; valid until the next call. */
static inline const char *
why_of(const struct wrong *w)
{
    static struct buf text;

    buf_clear(&text);
    wrong_text(w, &text);
    return buf_text(&text);
}

#endif
