/* SPDX-License-Identifier: MIT */
#include "base/print.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/wrap.h"

void
print_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
            die("there is no /dev/null to stand for a closed descriptor %d",
                fd);
}

/* Adds a line, which on a terminal is broken between words. */
static void
add_line(struct buf *shown, const char *line, int columns)
{
    OWN(buf) safe = {0};
    struct wrap w = {.columns = columns, .hangs = true};

    utf8_add(&safe, line);
    w.text = buf_text(&safe);
    if (columns <= 0 || utf8_columns(w.text) <= columns) {
        buf_puts(shown, w.text);
        return;
    }
    for (const char *end = ""; wrap_next(&w); end = "\n") {
        buf_addf(shown, "%s%*s", end, w.indent, "");
        buf_add(shown, w.line, w.length);
    }
}

static void
print_args(FILE *file, const char *format, va_list args)
{
    OWN(buf) text = {0}, shown = {0};
    struct winsize size = {0};
    char *rest, *line;

    ioctl(fileno(file), TIOCGWINSZ, &size);
    buf_vaddf(&text, format, args);
    rest = text.data;
    while ((line = strsep(&rest, "\n")) != NULL) {
        /* one that has no end here is a part of a line */
        add_line(&shown, line, rest != NULL ? size.ws_col : 0);
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
