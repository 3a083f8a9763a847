/* SPDX-License-Identifier: MIT */
/* A lesson's script, run by collviz-lesson (src/workers/lesson/lesson.c).  It
 * sends requests and waits for a reply to each.
 *
 *     struct script *s = script_open("broadcast.lua", NULL, NULL, &err);
 *     switch (script_next(s, &request, &err)) ... poll script_fd(s) ...
 *     script_reply(s, json_true(), &err)
 *     script_close(s);
 *
 * The script is not trusted: script_text() and script_texts() limit the length
 * of its texts, and code that shows them escapes them (base/utf8.h).  They may
 * hold newlines and any other character. */
#ifndef SCRIPT_SCRIPT_H
#define SCRIPT_SCRIPT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct script;

struct request {
    const char *verb;
    int line;           /* of the script; 0: not known */
    json_t *with; /* an object */
};

enum script_got {
    SCRIPT_REQUEST, /* *request is valid until the reply */
    SCRIPT_LATER,   /* poll script_fd() */
    SCRIPT_OVER,    /* the script has ended */
    SCRIPT_FAILED   /* *err names file and line */
};

/* Runs the script in the file `path`; or `source`, unless that is NULL, and
 * `path` is its name in errors.  It is a lesson, unless `about` says for how
 * many ranks, "n", and for which "root" it is to be an algorithm
 * (play/author.h); takes ownership of that. */
struct script *script_open(const char *path, const char *source,
                           json_t *about, struct err *err);
void script_close(struct script *s);

/* Gives up a lesson's script, whose request waits for a reply, and runs the one
 * in the file `path` in its process: a quick start, for scripts that one trusts
 * alike.  Returns false if it cannot. */
bool script_change(struct script *s, const char *path, struct err *err);

enum script_got script_next(struct script *s, struct request *request,
                            struct err *err);
int script_fd(const struct script *s);

/* The same, but waits until the time `until` (base/clock.h), or a signal that
 * asks collviz to end; for an algorithm as base/waiter.h does, so that a screen
 * takes keys.  SCRIPT_LATER: the time is over. */
enum script_got script_await(struct script *s, int64_t until,
                             struct request *request, struct err *err);

/* Appends the names of the locks that keep scripts from reaching outside: those
 * that hold, as the worker has tried, and those that do not, with the reason
 * (workers/lesson/lockdown.h).  Returns false, with the reason in *err, if no
 * worker answers. */
bool script_locks(struct buf *held, struct buf *missing, struct err *err);

/* Answers the last request.  Takes ownership of `value`; NULL stands for null.
 * Returns false, with the reason in *err, if the script's process has ended. */
bool script_reply(struct script *s, json_t *value, struct err *err);

/* Answers the last request with an error, which Lua raises in the script. */
bool script_refuse(struct script *s, const struct err *why, struct err *err);

/* Members of a request.  On failure *err has the reason.  A missing optional
 * text is NULL; a missing list counts as empty if `least` is 0.  Texts belong
 * to the request. */
bool script_text(const json_t *with, const char *key, bool optional,
                 const char **text, struct err *err);
bool script_texts(const json_t *with, const char *key, int least, int most,
                  const char **texts, int *count, struct err *err);
bool script_integer(const json_t *with, const char *key, int least, int most,
                    int *value, struct err *err);

/* The same, but one that is not there leaves the value as it is. */
bool script_count(const json_t *with, const char *key, int least, int most,
                  int *value, struct err *err);

#endif
