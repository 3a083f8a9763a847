/* SPDX-License-Identifier: MIT */
/* A session: one run, or one recording, and the world that it changes.
 *
 * Text, JSON and the screen grant steps, pump, and look at the world.  They
 * never know which backend runs, or whether one does.  Before its run has
 * started, a session can be pumped, but no items arrive. */
#ifndef PLAY_SESSION_H
#define PLAY_SESSION_H

#include "model/world.h"
#include "run/backend.h"
#include "schedule/simulation.h"

/* Called with every item after the world has taken it in.  Returns false, with
 * the reason in *err, to give up. */
struct session_sink {
    bool (*take)(void *state, const struct item *item, struct err *err);
    void *state;
};

struct session {
    struct world *world;
    struct run *run; /* its own; NULL: not started yet, or the session replays
                      * a recording, which is in the world already */
    int granted;     /* steps; -1 before the first grant */
    int64_t timeout_ns; /* for which play_through() waits for its end; 0: as
                         * long as it takes */
    struct network_clock *clock; /* session_model(); NULL: times are those of
                                  * the backend */
    struct record *record;    /* NULL: not recording */
    struct session_sink sink; /* take NULL: none */
};

void session_init(struct session *s);
void session_done(struct session *s);

/* Gives the run's items the times that they would have on another network,
 * which it simulates, with delays as in schedule/simulation.h.  What the
 * pointers point to need not outlive the call. */
void session_model(struct session *s, const struct network *network,
                   const struct schedule *schedule, const struct input *input,
                   const int64_t *delays);

/* Lets ranks run to the end of step `to`.  Does nothing if that was granted
 * already. */
bool session_grant(struct session *s, int to, struct err *err);

/* Takes in the items that have arrived, without waiting, until the time `until`
 * (ns, base/clock.h; INT64_MAX: all of them).  Returns RUN_ITEM if more have
 * arrived, RUN_LATER to poll session_fd(), RUN_CAUGHT_UP if every item of the
 * granted steps has been taken in. */
enum run_got session_pump(struct session *s, int64_t until, struct err *err);

/* The descriptor to poll(); -1: nothing to wait for. */
int session_fd(const struct session *s);

/* What the run waits for (run_note() in run/backend.h); NULL: nothing. */
const char *session_note(const struct session *s);

/* Hands an item to the world, the recording and the sink. */
bool session_feed(struct session *s, const struct item *item, struct err *err);

/* Records the session to a file (base/replace.h), including the items that have
 * arrived already, until it ends: the recording is complete or does not exist,
 * and an older one stands until then.  A pipe or a device is written to
 * directly.  Returns false, with the reason in *err, if the file cannot be
 * written or the session is being recorded already. */
bool session_record(struct session *s, const char *path, struct err *err);

/* Ends the session, unless it has ended.  `ok`: all went well; else it returns
 * false, and *err stays as it is.  Its recording is kept if all goes well to
 * the end and the run got as far as its input, else removed. */
bool session_end(struct session *s, bool ok, struct err *err);

/* Ends the ranks of a run that has ended; it stays as a recording does. */
void session_part(struct session *s);

/* Reads a recording into the session.  Returns false, with the reason in *err,
 * if the file cannot be read, is cut off, or contradicts itself. */
bool session_read(struct session *s, const char *name, struct err *err);

#endif
