/* SPDX-License-Identifier: MIT */
/* A session: one run, or one recording, and the world that is fed with it.
 *
 * Whatever shows it (text, JSON, the screen) grants steps, pumps, and looks at
 * the world; it never knows which backend runs, or whether anything does. */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include "model/world.h"
#include "run/backend.h"

/* Sees every item, after the world has taken it in. Returns false to give up,
 * with the reason. */
struct session_sink {
    bool (*take)(void *state, const struct item *item, struct err *err);
    void *state;
};

enum { SESSION_SINKS_MAX = 4 };

struct session {
    struct world *world;
    struct run *run; /* NULL when replaying: all is in the world already */
    int granted;     /* steps; -1 before the first grant */
    int nsinks;
    struct session_sink sinks[SESSION_SINKS_MAX];
};

/* Takes over the run; NULL where the world will be filled by other means. */
void session_init(struct session *s, struct run *run);
void session_done(struct session *s);

void session_add_sink(struct session *s, struct session_sink sink);

/* Lets ranks run up to and with step `to`. Does nothing if that is so
 * already. */
bool session_grant(struct session *s, int to, struct err *err);

/* Takes in what there is now, without waiting. RUN_LATER: poll session_fd();
 * RUN_TOLD: all that was granted has been told. Never RUN_ITEM. */
enum run_got session_pump(struct session *s, struct err *err);

/* -1 where there is nothing to wait for. */
int session_fd(const struct session *s);

/* Hands an item to the world and the sinks. */
bool session_feed(struct session *s, const struct item *item, struct err *err);

/* Tells the sinks that it ends here, unless it has ended. */
bool session_quit(struct session *s, struct err *err);

#endif
