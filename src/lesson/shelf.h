/* SPDX-License-Identifier: MIT */
/* Where lessons are, and which there are.
 *
 * A lesson is a file NAME.lua in one of these, the first that has it:
 * $XDG_DATA_HOME/collviz/lessons (~/.local/share/...), lessons/ of the build
 * tree, ../share/collviz/lessons from the program's folder, where configure
 * put them. */
#ifndef LESSON_SHELF_H
#define LESSON_SHELF_H

#include <stdbool.h>

#include "base/err.h"

/* A lesson's header: the arguments of its first verb, lesson { ... }. */
struct card {
    char *name; /* "ring-allreduce" */
    char *path;
    int number;         /* 0: see trouble */
    double place;       /* in the list; its number, unless the lesson has one */
    int minutes;        /* in a lecture; 0: not part of it */
    char *title, *idea; /* translated; NULL: see trouble */
    struct err trouble; /* why it could not be read, "" if it could */
};

struct shelf {
    struct card *cards; /* by place */
    int ncards;
};

/* All lessons, each asked for its card. */
void shelf_read(struct shelf *shelf);
void shelf_done(struct shelf *shelf);

/* The path of a lesson, for the caller to free(): of that name or number, or
 * that path itself where it ends in .lua.  NULL with the reason. */
char *shelf_find(const char *name, struct err *err);

/* A path's name: "ring-allreduce". For the caller to free(). */
char *shelf_name(const char *path);

/* What is kept of a lesson is kept under this: its name where shelf_find()
 * finds this file by that; else the file's own path, for a draft is another
 * lesson than the one whose name it bears. For the caller to free(). */
char *shelf_key(const char *path);

/* The index on the shelf; -1: not there. */
int shelf_index(const struct shelf *shelf, const char *name);

/* The next lesson of a lecture after this card of the shelf; its first one
 * after NULL.  Returns NULL after the last. */
const struct card *shelf_lecture_next(const struct shelf *shelf,
                                      const struct card *after);

#endif
