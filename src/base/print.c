/* SPDX-License-Identifier: MIT */
#include "base/print.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/utf8.h"

void
print_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
            die("there is no /dev/null to stand for a closed descriptor %d",
                fd);
}

static void
print_args(FILE *file, const char *format, va_list args)
{
    OWN(buf) text = {0}, shown = {0};
    char *rest, *line;

    buf_vaddf(&text, format, args);
    rest = text.data;
    while ((line = strsep(&rest, "\n")) != NULL) {
        utf8_add(&shown, line);
        buf_puts(&shown, rest != NULL ? "\n" : "");
    }
    fwrite(buf_text(&shown), 1, shown.length, file);
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
print_page_break(void)
{
    putchar('\f');
}

void
print_right(const char *text, int columns)
{
    print("%*s%s", columns - utf8_columns(text), "", text);
}

void
print_to(FILE *file, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_args(file, format, args);
    va_end(args);
}

void
print_progress(const char *text)
{
    const char *term = getenv("TERM");
    OWN(buf) line = {0};

    if (!isatty(STDERR_FILENO) || term == NULL || strcmp(term, "dumb") == 0)
        return;
    buf_puts(&line, "\r\x1b[K"); /* to the line's start; empty it */
    if (text != NULL)
        utf8_add(&line, text);
    fwrite(buf_text(&line), 1, line.length, stderr);
    fflush(stderr);
}
