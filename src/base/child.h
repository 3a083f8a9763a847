/* SPDX-License-Identifier: MIT */
/* A child process: a program of ours that exchanges lines with this one over
 * its standard input and output.
 *
 *     struct child *w = child_open("collviz-lesson", argv, &err);
 *     child_say(w, "{\"value\":1}", &err)
 *     switch (child_hear(w, &line, &err)) ... poll child_fd(w) ...
 *     child_close(w);
 *
 * It lives no longer than this process, can be ended at any moment, and
 * whatever happens to it happens to nobody else.  One that cannot go on writes
 * the reason to its standard error, as one line, and exits with status 1. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <limits.h>

#include "base/buf.h"
#include "base/err.h"

struct child;

enum { CHILD_LINE_MAX = 16 << 20 }; /* bytes */

enum child_heard {
    CHILD_LINE,  /* *line: without its newline, good until the next call */
    CHILD_LATER, /* nothing yet: poll child_fd() */
    CHILD_GONE   /* it has ended, or says no more; *err tells how it ended */
};

/* Looks for `program`, a name without a folder, beside this program's file, in
 * ../libexec/collviz from there, and where configure put such programs. */
bool child_find(const char *program, char path[PATH_MAX], struct err *err);

/* Finds and starts it. argv[0] and a NULL at the end belong to argv. NULL with
 * the reason. */
struct child *child_open(const char *program, char *const argv[],
                           struct err *err);

/* Ends it if it has not ended; takes no longer than half a second, and the time
 * that it was given. */
void child_close(struct child *w);

/* For a child that leaves something behind if it is killed: child_close() first
 * closes its standard input, sends SIGTERM and waits `ms` at most. */
void child_give_time(struct child *w, int ms);

/* Appends what it has written to standard error, at most the last 64 KiB. */
void child_said(const struct child *w, struct buf *out);

/* Writes a line; the newline is added. Waits while the worker does not read,
 * some seconds at most.  False where it is gone. */
bool child_say(struct child *w, const char *line, struct err *err);

/* What it has said, without waiting. */
enum child_heard child_hear(struct child *w, const char **line,
                              struct err *err);
int child_fd(const struct child *w);

#endif
