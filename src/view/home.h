/* SPDX-License-Identifier: MIT */
/* The home screen: four doors, the list behind the open one, and beside it a
 * preview of the chosen row.  The menu of lessons is the same with one door.
 *
 *      collviz  collective communication, one step at a time
 *
 *      Learn 7/22    Watch 38    Replay 2    This machine 3/6
 *
 *        all-reduce             ^   ring all-reduce
 *      > ring                       each rank passes a chunk on, ...
 *        naive                       +- 0 -+   +- 1 -+
 *        ...                    v    |     | > |     |
 *
 * Each door has an accent (draw/palette.h).  While the user searches, the list
 * has the rows of all doors that match. */
#ifndef VIEW_HOME_H
#define VIEW_HOME_H

#include "model/scene.h"
#include "view/keys.h"

enum home_door {
    HOME_LEARN,
    HOME_WATCH,
    HOME_REPLAY,
    HOME_MACHINE,
    HOME_DOORS
};

/* How far a lesson, or another thing that can be opened, has come.  HOME_READ:
 * it was read to its end, but has not been passed. */
enum home_mark { HOME_NEW, HOME_BEGUN, HOME_READ, HOME_DONE, HOME_BROKEN };

/* A row of a list. Texts are translated, and borrowed. */
struct home_row {
    enum home_door door;
    const char *group; /* rows of a group have one heading; NULL: no group */
    enum home_mark mark;
    const char *title;
    const char *name; /* above the preview: "ring-allreduce" */
    const char *note; /* at the end of the row: "5 min"; "" for nothing */
    const char *text; /* in the preview: paragraphs, one a line; those that
                       * have no room are left out */
    const char *enter; /* below it: what the key does there; NULL: nothing */
    bool proves; /* of a lesson: it was read, and can be proved now */
    bool program; /* of a lesson: it is about a program, which can be shown */

    /* The rest is for screen/home_list.h and the code that opens a row. */
    bool opens; /* if not, the text says why */
    /* The name of a lesson, of an algorithm (ring-allreduce), or of a backend;
     * the path of a recording. */
    const char *key;
    const struct card *card; /* of a lesson, borrowed from the shelf; or NULL */
    int skill; /* of an exercise: of enum skill; 0: it is the exam */
    const char *picture; /* a run to show beside it, as in a card; or NULL */
    const char *words;   /* other names of it */
    const char *about;   /* its description; a search looks at both */
};

struct home {
    const struct home_row *rows;
    int *listed; /* the rows in the list, by their index */
    int nlisted, chosen; /* chosen: an index of `listed` */
    int nnamed; /* in a search: so many rows are found by their names, the
                 * others by their descriptions */
    enum home_door door; /* the open one, unless the user searches */
    bool lessons; /* the menu of lessons: there is no other door */
    const char *counts[HOME_DOORS]; /* "7/22" */
    const char *empty;  /* shown in place of a list without rows */
    const char *search; /* the prompt; NULL: the user does not search */
    const struct scene *scene; /* a run in the preview; NULL: none */
    bool recorded;             /* it is a recording */
};

void home_draw(const struct home *h, struct canvas *c);

/* The help of the home screen: its keys, in their state, its marks, and the
 * view in the preview. */
struct help home_help(const struct home *h, const struct canvas *c);

#endif
