/* SPDX-License-Identifier: MIT */
/* A lesson's script, run by collviz-lesson (src/workers/lesson/lesson.c):
 * requests come, and wait for their replies.
 *
 *     struct script *s = script_open("lessons/broadcast.lua", &err);
 *     switch (script_next(s, &request, &err)) ... poll script_fd(s) ...
 *     script_reply(s, json_true(), &err)
 *     script_close(s);
 *
 * Nothing that the script says is trusted: script_text() and script_texts()
 * limit its texts, and what shows them escapes them (base/utf8.h). */
#ifndef LESSON_SCRIPT_H
#define LESSON_SCRIPT_H

#include <jansson.h>

#include "base/err.h"

struct script;

struct request {
    const char *verb;
    int line;           /* of the script; 0: none of it */
    const json_t *with; /* an object */
};

enum script_got {
    SCRIPT_REQUEST, /* good until the reply */
    SCRIPT_LATER,   /* poll script_fd() */
    SCRIPT_OVER,    /* it has come to its end */
    SCRIPT_FAILED   /* *err names file and line */
};

struct script *script_open(const char *path, struct err *err);
void script_close(struct script *s);

enum script_got script_next(struct script *s, struct request *request,
                            struct err *err);
int script_fd(const struct script *s);

/* Answers the last request; takes over `value`, NULL being null. False where
 * the script is gone. */
bool script_reply(struct script *s, json_t *value, struct err *err);

/* Raises an error in the script's line instead. */
bool script_refuse(struct script *s, const struct err *why, struct err *err);

/* A member that is a text of the script's, for the caller to free().  It may
 * have newlines, and anything else in it: whatever shows it escapes it.  Where
 * it is missing: NULL without an error if it is optional.  False with the
 * reason. */
bool script_text(const json_t *with, const char *key, bool optional,
                 char **text, struct err *err);

/* A list of at least `least` and at most `most` texts; none where it is
 * missing and `least` is 0. *count of them are the caller's, also on
 * failure. */
bool script_texts(const json_t *with, const char *key, int least, int most,
                  char **texts, int *count, struct err *err);

#endif
