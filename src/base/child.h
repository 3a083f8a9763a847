/* SPDX-License-Identifier: MIT */
/* A child process: a program of ours that exchanges lines with this one over
 * its standard input and output.
 *
 *     struct child *w = child_open("collviz-lesson", argv, &err);
 *     child_say(w, "{\"value\":1}");
 *     switch (child_hear(w, &line, &err)) ... poll child_fd(w) ...
 *     child_close(w);
 *
 * Nothing here waits for the child, but child_close().  The child dies with
 * this process, can be ended at any moment, and cannot damage this process.  A
 * child that fails writes the reason to its standard error, as one line, and
 * exits with status 1. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <limits.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct child;

enum { CHILD_LINE_MAX = 16 << 20 }; /* bytes */

enum child_heard {
    CHILD_LINE,  /* *line: without its newline, valid until the next call */
    CHILD_LATER, /* no complete line yet: poll child_fd() */
    CHILD_GONE   /* it ended (child_is_gone()), or its line was too long; *err
                  * says which */
};

/* Looks for `program`, a name without a folder, beside this program's file, in
 * ../libexec/collviz from there, and where configure put such programs. */
bool child_find(const char *program, char path[PATH_MAX], struct err *err);

/* Finds and starts the program; `argv` includes argv[0] and ends with NULL.
 * Returns NULL, with the reason in *err, if it cannot be started. */
struct child *child_open(const char *program, char *const argv[],
                         struct err *err);

/* Ends the child if it still runs.  Waits until it has ended, for half a second
 * at most, or for as long as child_give_time() says. */
void child_close(struct child *w);

/* For a child that ends by itself after SIGTERM, and leaves something if it is
 * killed: child_close() closes its standard input, sends SIGTERM and waits `ms`
 * at most. If the child needs longer, it goes on without this process. */
void child_give_time(struct child *w, int ms);

/* Appends what it has written to standard error: the first 4 KiB and the last
 * 64 KiB at least, as far as child_hear() has read it. */
void child_said(const struct child *w, struct buf *out);

/* Sends a line; the newline is added.  What the child does not read now is
 * kept, and sent by child_hear(). */
void child_say(struct child *w, const char *line);

/* For a child that says how much it has read: from now on no more than `ahead`
 * bytes are sent that it has not said so of, in child_has_read(). */
void child_limit(struct child *w, size_t ahead);
void child_has_read(struct child *w, size_t bytes);

/* Whether child_hear() has found that it has ended. */
bool child_is_gone(const struct child *w);

/* Reads the next line without waiting. */
enum child_heard child_hear(struct child *w, const char **line,
                            struct err *err);

/* Readable when child_hear() has something to read or to send; and when the
 * descriptor of child_watch() is, which returns false if it cannot be added. */
int child_fd(const struct child *w);
bool child_watch(struct child *w, int fd);

#endif
