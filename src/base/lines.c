/* SPDX-License-Identifier: MIT */
#include "base/lines.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static bool
take_line(struct lines *l, const char **line)
{
    char *begin, *end;

    if (l->heard.length == l->taken)
        return false;
    begin = l->heard.data + l->taken;
    end = memchr(begin, '\n', l->heard.length - l->taken);
    if (end == NULL)
        return false;
    *end = '\0';
    l->taken += (size_t)(end - begin) + 1;
    *line = begin;
    return true;
}

enum lines_got
lines_next(struct lines *l, const char **line)
{
    char bytes[65536];
    ssize_t n;

    while (!take_line(l, line)) {
        if (l->taken > 0)
            memmove(l->heard.data, l->heard.data + l->taken,
                    l->heard.length - l->taken + 1);
        l->heard.length -= l->taken;
        l->taken = 0;
        if (l->heard.length > l->most)
            return LINES_LONG;
        n = read(l->fd, bytes, sizeof bytes);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return LINES_LATER;
        if (n <= 0)
            return LINES_OVER;
        buf_add(&l->heard, bytes, (size_t)n);
        l->read += (size_t)n;
    }
    return LINES_LINE;
}

void
lines_done(struct lines *l)
{
    buf_done(&l->heard);
}
