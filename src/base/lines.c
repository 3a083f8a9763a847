/* SPDX-License-Identifier: MIT */
#include "base/lines.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static bool
take_line(struct lines *l, const char **line)
{
    char *begin = l->heard.data + l->told, *end;

    if (l->heard.length == l->told)
        return false;
    end = memchr(begin, '\n', l->heard.length - l->told);
    if (end == NULL)
        return false;
    *end = '\0';
    l->told += (size_t)(end - begin) + 1;
    *line = begin;
    return true;
}

static void
forget_told(struct lines *l)
{
    if (l->told == 0)
        return;
    memmove(l->heard.data, l->heard.data + l->told,
            l->heard.length - l->told + 1);
    l->heard.length -= l->told;
    l->told = 0;
}

enum lines_got
lines_next(struct lines *l, const char **line)
{
    char bytes[65536];
    ssize_t n;

    while (!take_line(l, line)) {
        forget_told(l);
        if (l->heard.length > l->most)
            return LINES_LONG;
        n = read(l->fd, bytes, sizeof bytes);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return LINES_LATER;
        if (n <= 0)
            return LINES_OVER;
        buf_add(&l->heard, bytes, (size_t)n);
    }
    return LINES_LINE;
}

void
lines_done(struct lines *l)
{
    buf_done(&l->heard);
}
