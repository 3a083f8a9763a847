/* SPDX-License-Identifier: MIT */
/* What the home screen lists: lessons, algorithms, the recordings in the
 * current folder, and the backends, each with the name by which it is opened.
 *
 *     home_list_read(&list);                  all but the lessons: at once
 *     home_list_add_lessons(&list, &shelf, &due, &err);
 *     home_list_find(&list, "ring ag", found, &nfound);
 *     home_list_done(&list);
 */
#ifndef SCREEN_HOME_LIST_H
#define SCREEN_HOME_LIST_H

#include "base/err.h"
#include "coll/coll.h"
#include "lesson/shelf.h"
#include "view/home.h"

enum { HOME_TEXTS = 16 };

struct home_entry {
    /* The name of a lesson, of an algorithm (ring-allreduce), or of a backend;
     * the path of a recording. */
    const char *name;
    const struct card *card; /* of a lesson, borrowed from the shelf; or NULL */
    const char *picture; /* a run to show beside it, as in a card; or NULL */
    bool opens;          /* if not, the row's text says why */
    const char *words;   /* that it may be called by */
    const char *about;   /* and what is said of it: a search looks at both */
    char *texts[HOME_TEXTS]; /* all of these, and of the row */
    int ntexts;
};

struct home_list {
    struct home_entry *entries;
    struct home_row *rows; /* of these entries, in the same order */
    int count;
    char counts[HOME_DOORS][32]; /* beside the doors' names */
    char score[80]; /* of all lessons: what is read and passed */
};

void home_list_read(struct home_list *l);
void home_list_done(struct home_list *l);

/* Lists the lessons of a shelf, which must outlive the list, first of all, and
 * how far the learner has come, which is read again each time.  *due: how many
 * questions have come back, to be asked again.  Returns false, with the reason
 * in *err, if the progress cannot be read. */
bool home_list_add_lessons(struct home_list *l, const struct shelf *shelf,
                           int *due, struct err *err);

/* Reads the recordings again. */
void home_list_read_recordings(struct home_list *l);

/* Sets found[] (room for l->count) to the rows that have every word of the
 * text, in any case of letters: first those that have them in their names, then
 * those in whose descriptions such words begin.  *nnamed: how many the first
 * are. */
void home_list_find(const struct home_list *l, const char *text, int *found,
                    int *nfound, int *nnamed);

/* Sets found[] to the rows of a door. */
void home_list_behind(const struct home_list *l, enum home_door door,
                      int *found, int *nfound);

/* The row with this name behind a door, or -1. */
int home_list_row(const struct home_list *l, enum home_door door,
                  const char *name);

/* The row of the lesson to go on with after the lesson `last` (NULL: none was
 * played): that one, or if it is done the next new one; else the first that
 * was begun, else the first new one.  -1: there are no lessons. */
int home_list_lesson(const struct home_list *l, const char *last);

#endif
