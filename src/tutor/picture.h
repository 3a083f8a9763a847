/* SPDX-License-Identifier: MIT */
/* What a lesson shows above its text: one of its runs, which moves as the
 * script asks, or a table in the place of the run.  All 0 but `shown` and
 * `moving_to`, which are -1, there is nothing to show.  The tutor changes it;
 * others read it, and may have the player show another step for a while. */
#ifndef TUTOR_PICTURE_H
#define TUTOR_PICTURE_H

#include <jansson.h>

#include "base/buf.h"
#include "play/job.h"
#include "play/player.h"
#include "text/series.h"
#include "tutor/kept.h"

enum { PICTURE_RUNS = 64 };

struct picture {
    struct job *runs[PICTURE_RUNS];
    char *commands[PICTURE_RUNS]; /* by run: what the script asked for; NULL:
                                   * the learner wired it */
    int nruns;
    int shown; /* the run on the screen; -1: none */
    struct player player; /* of that run */
    char *table; /* lines shown instead of the run, of which the first is the
                  * longest; NULL: none */
    struct figure *figure; /* the same, drawn; NULL: the table is shown as it
                            * is */
    int tables; /* number of tables so far */
    int nlines; /* that the table is, if they can be pointed at; else 0 */
    bool changed; /* what is shown has changed: draw it, then go on at once */

    /* Of the run on the screen. */
    int moving_to; /* the position that the script waits for; -1: none */
    bool settling; /* the script waits until the run stops moving */
    int64_t quiet_since; /* when it last moved; 0: not yet known */
    int64_t quiet_ns;    /* the time since then, when it was last looked at */
    int64_t last_ns;     /* of its world since then */
    int last_position;
};

/* Runs that have ended go to `kept`, which may be NULL. */
void picture_done(struct picture *p, struct kept_runs *kept);

/* The run on the screen, its world, and what the script asked for; NULL: there
 * is none. */
struct job *picture_job(const struct picture *p);
struct world *picture_world(const struct picture *p);
const char *picture_command(const struct picture *p);

/* Puts a run on the screen. */
void picture_show(struct picture *p, int run);

/* Takes over a job as another run (-1), or in the place of one, and puts it on
 * the screen.  Returns its number. */
int picture_put(struct picture *p, int run, struct job *job,
                const char *command);

/* Puts a table in the place of the run.  Takes over `figure`, which the screen
 * draws instead, or NULL.  One that is not whole yet is not in a transcript. */
void picture_put_table(struct picture *p, const struct buf *table,
                       struct figure *figure, bool whole);

/* Lets a run move to a position, at `now` as it is watched, or at once (0). */
void picture_move(struct picture *p, int run, int to, int64_t now);

/* Lets a run go on until it ends or gets no farther. */
void picture_settle(struct picture *p, int run);

/* Whether the script waits for the run. */
bool picture_moves(const struct picture *p);

/* Moves the run.  Sets *reply when it is where the script wants it, else to
 * NULL.  What settles does so at once if nobody watches.  `known` has by
 * command how many events there were of runs that stood still. */
bool picture_advance(struct picture *p, bool unwatched, json_t *known,
                     int64_t now, json_t **reply, struct err *err);

/* When to advance it; INT64_MAX: not before an item comes. */
int64_t picture_due(const struct picture *p, int64_t now);

/* Completes the step on its way. */
void picture_hasten(struct picture *p);

#endif
