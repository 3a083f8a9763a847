/* SPDX-License-Identifier: MIT */
/* What the home screen lists: lessons, algorithms, the recordings in the
 * current folder, and the backends, each with the name by which it is opened.
 *
 *     home_list_read(&list, &shelf, false, &err);
 *     home_list_find(&list, HOME_LEARN, "ring ag", found, &nfound, &nnamed);
 *     home_list_done(&list);
 */
#ifndef SCREEN_HOME_LIST_H
#define SCREEN_HOME_LIST_H

#include "base/err.h"
#include "coll/coll.h"
#include "lesson/shelf.h"
#include "view/home.h"

struct home_list {
    struct home_row *rows; /* by door */
    int count;
    size_t capacity;
    char **texts; /* of the rows */
    size_t ntexts, texts_capacity;
    char counts[HOME_DOORS][32]; /* beside the doors' names */
    char score[80]; /* of all lessons: what is read and passed */
    int due; /* questions that have come back, to be asked again */
};

/* Lists what is there now, instead of what the list had: the lessons of a
 * shelf, which must outlive the list, and how far the learner has come; and
 * unless `only` lessons are wanted, the rest.  `shelf` NULL: no lessons, and at
 * once.  Returns false, with the reason in *err, if the progress cannot be
 * read. */
bool home_list_read(struct home_list *l, const struct shelf *shelf, bool only,
                    struct err *err);
void home_list_done(struct home_list *l);

/* Sets found[] (room for l->count) to the rows that have every word of the
 * text, in any case of letters: first those that have them in their names, then
 * those in whose descriptions such words begin.  *nnamed: how many the first
 * are.  `text` NULL: to the rows of a door. */
void home_list_find(const struct home_list *l, enum home_door door,
                    const char *text, int *found, int *nfound, int *nnamed);

/* The row with this key behind a door, or -1. */
int home_list_row(const struct home_list *l, enum home_door door,
                  const char *key);

/* The plan of a row's picture, on threads.  Returns NULL, with the reason in
 * *err, if it cannot be run. */
struct plan *home_list_plan(const struct home_row *r, struct err *err);

/* The row of the lesson to go on with after the lesson `last` (NULL: none was
 * played): that one, or if it is done the next new one; else the first that
 * was begun, else the first new one.  -1: there are no lessons. */
int home_list_lesson(const struct home_list *l, const char *last);

#endif
