/* SPDX-License-Identifier: MIT */
/* A session: one run, or one recording, and the world that is fed with it.
 *
 * Whatever shows it (text, JSON, the screen) grants steps, pumps, and looks at
 * the world; it never knows which backend runs, or whether anything does.
 * Before its run is there, a session can be looked at and pumped, and nothing
 * comes. */
#ifndef PLAY_SESSION_H
#define PLAY_SESSION_H

#include "model/world.h"
#include "play/record.h"
#include "run/backend.h"

/* Sees every item, after the world has taken it in. Returns false to give up,
 * with the reason. */
struct session_sink {
    bool (*take)(void *state, const struct item *item, struct err *err);
    void *state;
};

struct session {
    struct world *world;
    struct run *run; /* NULL: not made yet, or a recording is replayed, and
                      * all is in the world already */
    int granted;     /* steps; -1 before the first grant */
    struct record *record;    /* NULL: none is being written */
    struct session_sink sink; /* take NULL: none */
};

void session_init(struct session *s);
void session_done(struct session *s);

/* Takes over the run. */
void session_start(struct session *s, struct run *run);

/* Lets ranks run up to and with step `to`. Does nothing if that is so
 * already. */
bool session_grant(struct session *s, int to, struct err *err);

/* Takes in what there is now, without waiting, until the time `until` (ns,
 * base/clock.h; INT64_MAX: all of it). RUN_ITEM: there is more; RUN_LATER:
 * poll session_fd(); RUN_CAUGHT_UP: all that was granted has been told. */
enum run_got session_pump(struct session *s, int64_t until, struct err *err);

/* -1 where there is nothing to wait for. */
int session_fd(const struct session *s);

/* Hands an item to the world, the recording and the sink. */
bool session_feed(struct session *s, const struct item *item, struct err *err);

/* Records to a file, from the beginning, whatever has happened already. False,
 * with the reason, if that can not be; a session is recorded to one file at a
 * time, until it ends. */
bool session_record(struct session *s, const char *path, struct err *err);

/* It ends here, unless it has ended.  A recording is put in its place if `keep`
 * and the run got as far as its input, for else there is nothing to see; it is
 * given up otherwise. False where it could not be written. */
bool session_end(struct session *s, bool keep, struct err *err);

#endif
