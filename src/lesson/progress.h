/* SPDX-License-Identifier: MIT */
/* What a learner has done, kept in $XDG_STATE_HOME/collviz/progress.json
 * (~/.local/state/...):
 *
 *     {"version":1,"lessons":{"broadcast":{"page":4,"answers":[2,null],
 *                                          "done":true,"asked":3,"right":2}}}
 *
 * A change is made to what the file holds at that moment, under a lock, and
 * takes the file's place when it is on the disk: two collviz at once, a full
 * disk, a lost power lose nothing that was kept before.  A file that can not
 * be understood is put aside, never written over.  A lesson goes by its
 * shelf_key(). */
#ifndef LESSON_PROGRESS_H
#define LESSON_PROGRESS_H

#include <jansson.h>

#include "base/err.h"

struct progress {
    int page;  /* where one left; 0: at its beginning */
    bool done; /* it has been played to its end before */
    int asked, right; /* predictions made there and those that came true, the
                       * last time */
    json_t *answers;  /* a list; up to the page */
};

/* All of it, by lesson; an object that is the caller's.  Where there is nothing
 * yet it is empty.  NULL, with the reason, where there is something that can
 * not be read or understood. */
json_t *progress_read(struct err *err);

/* One lesson's, from that; all 0 and NULL where there is none. What it points
 * to is the object's. */
struct progress progress_of(const json_t *all, const char *lesson);

bool progress_has(const json_t *all, const char *lesson);

/* Keeps a lesson's.  A file that could not be understood is put aside first,
 * under the name that *aside tells ("" where that was not so).
 * Waits for a second at most while another one keeps something. */
bool progress_keep(const char *lesson, const struct progress *p,
                   struct err *aside, struct err *err);

/* Forgets a lesson, or all where it is NULL. */
bool progress_forget(const char *lesson, struct err *aside, struct err *err);

#endif
