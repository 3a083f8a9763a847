/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/translate.h"
#include "base/utf8.h"

#undef err_set /* see err.h */
#undef err_prefix

bool
err_set(struct err *err, const char *format, ...)
{
    char raw[sizeof err->text];
    va_list args;

    va_start(args, format);
    vsnprintf(raw, sizeof raw, gettext(format), args);
    va_end(args);
    utf8_clean(err->text, sizeof err->text, raw);
    err->typed = false;
    return false;
}

bool
err_prefix(struct err *err, const char *format, ...)
{
    char where[sizeof err->text];
    struct err inner = *err;
    va_list args;

    va_start(args, format);
    vsnprintf(where, sizeof where, gettext(format), args);
    va_end(args);
    err_set(err, "%s: %s", where, inner.text);
    err->typed = inner.typed;
    return false;
}

void
die(const char *format, ...)
{
    va_list args;

    fputs("collviz: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(EXIT_FAILURE);
}
