/* SPDX-License-Identifier: MIT */
/* Finds and lists lessons.
 *
 * A lesson is a file NAME.lua.  The folders are searched in this order:
 * $XDG_DATA_HOME/collviz/lessons (~/.local/share/...), lessons/ of the build
 * tree, ../share/collviz/lessons seen from the program's folder, and the folder
 * that configure installs them in.
 *
 * An exercise is a file exercises/NAME.lua in one of these folders, and is
 * called "exercises/NAME".  It is a lesson with a skill instead of a number: it
 * is not listed, and its questions are asked in endless rounds. */
#ifndef LESSON_SHELF_H
#define LESSON_SHELF_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* The skills that learners practise and are examined in. */
enum skill {
    SKILL_NONE, /* of a lesson */
    SKILL_WIRE,
    SKILL_REPAIR,
    SKILL_PREDICT,
    SKILL_CHOOSE,
    SKILL_DIAGNOSE,
    SKILLS
};

struct skill_row {
    const char *name;     /* "wire", not yet translated */
    const char *exercise; /* the name of its exercise, which is also that of the
                           * command; NULL: the lessons have its questions */
    const char *lesson;   /* that teaches it */
    const char *picture;  /* a run to show beside it, as in a card */
};
extern const struct skill_row skills[SKILLS];

/* The skill of that name; SKILL_NONE: there is none. */
enum skill skill_named(const char *name);

/* A lesson's header: the arguments of its first verb, lesson { ... }. */
struct card {
    char *name; /* "ring-allreduce" */
    char *path;
    bool ours;  /* it comes with collviz */
    json_t *said;  /* the verb's request, to which the texts belong */
    int number;    /* 0: see trouble; or it is an exercise */
    enum skill skill; /* SKILL_NONE: it is a lesson */
    int day;       /* of the course; 0: of none */
    int minutes;   /* that it takes; 0: unknown */
    int lecture;   /* minutes of its part of the lecture; 0: it has none */
    const char *title, *idea; /* translated; NULL: see trouble */
    const char *program; /* that it is about (shelf_program()); NULL: none */
    char *picture; /* a run to show beside it, as words after `collviz`: what
                    * its header says, or its first run, if only pages of text
                    * are before it; NULL: none */
    struct err trouble; /* why it could not be read, "" if it could */
};

/* Reads the request of the verb `lesson`.  On failure, with the reason in *err,
 * the card is as before. */
bool card_read(struct card *card, json_t *with, struct err *err);

/* Reads the program that a lesson is about: the file `name` in the folder code/
 * beside the file `lesson`, which is not trusted with more.  Appends it to
 * *text, whose characters may be any. */
bool shelf_program(const char *lesson, const char *name, struct buf *text,
                   struct err *err);

struct shelf {
    struct card *cards; /* by number */
    int ncards;
};

/* Starts every lesson and reads its card, and goes on to its first run. */
void shelf_read(struct shelf *shelf);
void shelf_done(struct shelf *shelf);

/* The path of the lesson or exercise with this name or number; a name that ends
 * in .lua is a path already.  The caller frees it.  Returns NULL, with the
 * reason in *err, if there is no such lesson. */
char *shelf_find(const char *name, struct err *err);

/* The path of a skill's exercise, which the caller frees; NULL: it has none, or
 * it is not there. */
char *shelf_exercise(enum skill skill);

/* The key of a lesson's progress: its name, if shelf_find() finds this file by
 * that name, else the file's path.  So a draft does not share the progress of
 * the lesson whose name it has.  The caller frees it. */
char *shelf_key(const char *path);

/* Whether the lesson comes with collviz, whose catalogue then has its texts. */
bool shelf_is_ours(const char *path);

/* A lesson's text in the language of the messages: from the lesson's own
 * catalogue, which for FOLDER/mine.lua is FOLDER/zh_CN/LC_MESSAGES/mine.mo, or
 * else from that of collviz.  Returns `text` if neither has it. */
const char *shelf_translated(const char *path, const char *text);

/* The index of a lesson on the shelf; -1: not found. */
int shelf_index(const struct shelf *shelf, const char *name);

/* The next lesson of the lecture after this card of the shelf; `after` NULL:
 * the first one.  Returns NULL after the last. */
const struct card *shelf_lecture_next(const struct shelf *shelf,
                                      const struct card *after);

/* A lecture: several lessons, one after another, each with the minutes that it
 * takes by the plan.  Times are those of base/clock.h. */
struct lecture {
    int64_t began_ns;
    int minutes; /* of all its lessons */
    int before;  /* of those before the present lesson */
    int here;    /* of the present lesson; 0: it is not part of the lecture */
};

/* The minutes that the lecture is behind its plan; below 0: ahead.  `progress`
 * is the part of the present lesson that is over, 0 to 1. */
int lecture_behind(const struct lecture *l, double progress, int64_t now);

/* Adds "31 min left, 2 behind": the minutes until the lecture should end. */
void lecture_add_status(const struct lecture *l, double progress, int64_t now,
                        struct buf *out);

#endif
