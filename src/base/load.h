/* SPDX-License-Identifier: MIT */
/* Opens and reads files, and pipes: whole, or line by line. */
#ifndef BASE_LOAD_H
#define BASE_LOAD_H

#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"

/* Opens a file that somebody has named, to read it: a regular file, or a pipe
 * that is open already and so has a writer, as /dev/stdin and a shell's <(...)
 * are.  Others are refused: a named pipe would stop a screen until somebody
 * writes to it, a device for ever.  Returns NULL, with the reason in *err, on
 * failure. */
FILE *load_open(const char *path, struct err *err);

/* Appends such a file, at most `most` bytes, to `text`.  Returns false, with
 * the reason in *err, if there are more or they cannot be read. */
bool load(const char *path, size_t most, struct buf *text, struct err *err);

/* Lines from a pipe or a terminal, as they arrive, without waiting:
 *
 *     struct lines in = {.fd = 0, .most = 1 << 20};
 *     while (lines_next(&in, &line) == LINES_LINE) ...
 *     poll in.fd, and again
 *     lines_done(&in);
 *
 * The caller opens and closes the descriptor, which must have O_NONBLOCK. */
struct lines {
    int fd;
    size_t most; /* bytes in a line */
    struct buf heard;
    size_t taken; /* bytes of `heard` that were returned as lines */
    size_t read;  /* bytes in all */
};

enum lines_got {
    LINES_LINE,  /* *line: without its newline, valid until the next call */
    LINES_LATER, /* no complete line yet */
    LINES_LONG,  /* a line of more than `most` bytes */
    LINES_OVER   /* the end, or an error; an incomplete line is dropped */
};

enum lines_got lines_next(struct lines *l, const char **line);
void lines_done(struct lines *l);

/* The last part of a path: "mine.lua" of "code/mine.lua". */
const char *load_name(const char *path);

#endif
