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
 * whatever happens to it happens to nobody else.  One that can not go on says
 * why in a line on its standard error, and ends with status 1. */
#ifndef BASE_WORKER_H
#define BASE_WORKER_H

#include <limits.h>

#include "base/err.h"

struct worker;

enum { WORKER_LINE_MAX = 16 << 20 }; /* bytes */

enum worker_heard {
    WORKER_LINE,  /* *line: without its newline, good until the next call */
    WORKER_LATER, /* nothing yet: poll worker_fd() */
    WORKER_GONE   /* it has ended, or says no more; *err tells how it ended */
};

/* Looks for `program`, a name without a folder, beside this program's file, in
 * ../libexec/collviz from there, and where configure put such programs. */
bool worker_find(const char *program, char path[PATH_MAX], struct err *err);

/* Finds and starts it. argv[0] and a NULL at the end belong to argv. NULL with the reason. */
struct worker *worker_open(const char *program, char *const argv[],
                           struct err *err);

/* Ends it if it has not ended; takes no longer than half a second. */
void worker_close(struct worker *w);

/* Writes a line; the newline is added. Waits while the worker does not read,
 * some seconds at most.  False where it is gone. */
bool worker_say(struct worker *w, const char *line, struct err *err);

/* What it has said, without waiting. */
enum worker_heard worker_hear(struct worker *w, const char **line,
                              struct err *err);
int worker_fd(const struct worker *w);

#endif
