/* SPDX-License-Identifier: MIT */
/* Lines from a pipe or a terminal, as they come, without waiting:
 *
 *     struct lines in = {.fd = 0, .most = 1 << 20};
 *     while (lines_next(&in, &line) == LINES_LINE) ...
 *     poll in.fd, and again
 *     lines_done(&in);
 *
 * The descriptor is the caller's, and does not block (O_NONBLOCK). */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include "base/buf.h"

struct lines {
    int fd;
    size_t most; /* bytes of a line */
    struct buf heard;
    size_t told; /* bytes of `heard` that have been given out */
};

enum lines_got {
    LINES_LINE,  /* *line: without its newline, good until the next call */
    LINES_LATER, /* no complete line yet */
    LINES_LONG,  /* one of more than `most` bytes */
    LINES_OVER   /* the end, or an error; an incomplete line is dropped */
};

enum lines_got lines_next(struct lines *l, const char **line);
void lines_done(struct lines *l);

#endif
