/* SPDX-License-Identifier: MIT */
/* Where a lesson that is being presented stands, and the speaker's notes of the
 * page that it shows, for another terminal of the same user (learn --notes).
 *
 * The collviz that presents writes presenting.json into the folder of
 * lesson/progress.h and holds a lock on presenting.lock until it ends,
 * however it ends:
 *
 *     {"version":1,"lesson":"/home/u/ring.lua","gpus":0,
 *      "number":10,"title":"Ring all-reduce","page":5,
 *      "first":"Three GPUs.","notes":"Ask the class first.",
 *      "progress":0.4,"think_until_ns":0,
 *      "lecture":{"began_ns":7000,"minutes":45,"before":18,"here":9}}
 *
 * The other one looks at the file now and then.  The texts are in the language
 * of the collviz that presents.  Times are those of base/clock.h, the same for
 * all processes.
 *
 * The file may hold anything: podium_look() takes nothing from it that is not
 * of the right kind and within its limits.  A file of more than 2 MiB is not
 * read; the notes of a page are never that long (lesson/script.h).  The texts
 * may hold any character, so code that shows them escapes them
 * (base/utf8.h). */
#ifndef LESSON_PODIUM_H
#define LESSON_PODIUM_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "lesson/shelf.h"

struct place {
    char *lesson;    /* path of its file */
    int gpus;        /* what --gpus says; 0: nothing */
    int number;      /* of the lesson */
    char *title;
    int page;        /* from 1; 0: the lesson is over */
    char *first;     /* the line with which the page begins */
    char *notes;     /* for the speaker */
    double progress; /* in the lesson, 0 to 1 */
    int64_t think_until_ns; /* when the timer runs out; 0: there is none */
    struct lecture lecture; /* began_ns 0: it is not part of one */
};

struct podium;

/* Takes the podium.  Returns NULL, with the reason in *err, if another collviz
 * has it or nothing can be written there. */
struct podium *podium_open(struct err *err);

/* Says where the lesson stands now.  All texts of the place must be set. */
bool podium_put(const struct podium *p, const struct place *place,
                struct err *err);

/* Leaves the podium; NULL: does nothing. */
void podium_close(struct podium *p);

/* Adds what the clock says: "0:24 to think, 31 min left"; nothing if there is
 * neither a timer nor a lecture. */
void podium_add_status(const struct place *place, int64_t now,
                       struct buf *out);

/* Reads where the lesson stands that is being presented.  Returns false, with
 * an empty place, if none is; otherwise call podium_place_done(). */
bool podium_look(struct place *place);

/* Frees the texts of a place, which is empty then. */
void podium_place_done(struct place *place);

#endif
