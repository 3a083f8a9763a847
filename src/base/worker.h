/* SPDX-License-Identifier: MIT */
/* A worker: a program of ours that runs beside this one, and with which lines
 * are exchanged over its standard input and output.
 *
 *     struct worker *w = worker_open("collviz-lesson", argv, &err);
 *     worker_say(w, "{\"value\":1}", &err)
 *     switch (worker_hear(w, &line, &err)) ... poll worker_fd(w) ...
 *     worker_close(w);
 *
 * It lives no longer than this process, can be ended at any moment, and
 * whatever happens to it happens to nobody else. */
#ifndef BASE_WORKER_H
#define BASE_WORKER_H

#include "base/err.h"

struct worker;

enum { WORKER_LINE_MAX = 1 << 20 }; /* bytes */

enum worker_heard {
    WORKER_LINE,  /* *line: without its newline, good until the next call */
    WORKER_LATER, /* nothing yet: poll worker_fd() */
    WORKER_GONE   /* it has ended, or says no more; *err tells how it ended */
};

/* Starts `program`, a name without a folder, found beside this program's file,
 * in ../libexec/collviz from there, or where configure put such programs.
 * argv[0] and a NULL at the end belong to argv. NULL with the reason. */
struct worker *worker_open(const char *program, char *const argv[],
                           struct err *err);

/* Ends it if it has not ended. */
void worker_close(struct worker *w);

/* Writes a line; the newline is added. Waits while the worker does not read.
 * False where it is gone. */
bool worker_say(struct worker *w, const char *line, struct err *err);

/* What it has said, without waiting. */
enum worker_heard worker_hear(struct worker *w, const char **line,
                              struct err *err);
int worker_fd(const struct worker *w);

#endif
