/* SPDX-License-Identifier: MIT */
#include "app/print.h"

#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

static void
print_args(FILE *file, const char *format, va_list args)
{
    struct buf text = {0}, shown = {0};
    char *rest, *line;

    buf_vaddf(&text, format, args);
    rest = text.data;
    while ((line = strsep(&rest, "\n")) != NULL) {
        utf8_add(&shown, line);
        buf_puts(&shown, rest != NULL ? "\n" : "");
    }
    fwrite(buf_text(&shown), 1, shown.length, file);
    buf_done(&text);
    buf_done(&shown);
}

void
print(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_args(stdout, format, args);
    va_end(args);
}

void
print_to(FILE *file, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_args(file, format, args);
    va_end(args);
}
