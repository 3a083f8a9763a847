/* SPDX-License-Identifier: MIT */
/* The player: steps through a session in time.
 *
 * It asks the run for steps, moves the world, and keeps the flights of the
 * step in progress; it draws nothing.  A transfer starts to fly when its event
 * arrives, so a late rank's blocks are late on the screen.  Callers pass the
 * time, in ns (base/clock.h).
 *
 * A step that is played takes at least as long as somebody needs to read what
 * the caller writes about it, unless the speed is above normal.  A step that is
 * asked for by a key never waits for a reader. */
#ifndef PLAY_PLAYER_H
#define PLAY_PLAYER_H

#include "model/scene.h"
#include "play/session.h"

enum { PLAYER_SPEED_MOST = 5, PLAYER_STEP_MS = 1600 /* at normal speed */ };

/* How long it takes to read what is written about the step in flight, in ns. */
typedef int64_t player_reading(const void *context);

struct player {
    struct session *session; /* borrowed */
    player_reading *reading; /* set by the caller; NULL: nobody reads */
    const void *reader;      /* its context */
    bool playing;
    int speed; /* each +1 doubles it; within +-PLAYER_SPEED_MOST */
    int step;  /* in flight; 0: none */
    int target; /* the step to go to as soon as it is known; -1: none */
    bool caught_up; /* every item of the granted steps has arrived */
    bool more;  /* items are left that there was no time for */
    int64_t reading_ns; /* for the last step that was played */
    int64_t rest_ns; /* when the last step came to rest */
    int64_t asked_ns; /* when the step or target was asked for, and the input
                       * was there */
    struct flight *flights; /* of `step` */
    size_t nflights;
    size_t seen; /* events of `step` that have been handled */
    struct departure {
        size_t event;    /* its index in the step */
        int64_t left_ns; /* when it started */
    } *departures; /* by flight */
};

void player_init(struct player *p, struct session *session);
void player_done(struct player *p);

/* The actions of the keys.  Next completes a step in progress at once; back
 * takes it back.  Each replaces a target that has not been reached. */
void player_next(struct player *p, int64_t now);
void player_back(struct player *p);
void player_go(struct player *p, int step);
void player_play(struct player *p, int64_t now);
void player_faster(struct player *p, int by);

/* Takes in the items that have arrived and moves to the time `now`.  Returns
 * false, with the reason in *err, if the run failed. */
bool player_advance(struct player *p, int64_t now, struct err *err);

/* How long the step in flight, or the target, has been awaited since it was
 * asked for and the input was there, in ns; 0 if nothing is missing. */
int64_t player_awaited(const struct player *p, int64_t now);

/* Sets of a scene what the player says: the world, the step in flight, what is
 * awaited. */
void player_show(const struct player *p, int64_t now, struct scene *s);

/* Whether something moves in the picture. */
bool player_moves(const struct player *p);

/* When something happens next without a key: a block lands, a step begins.
 * INT64_MAX: not before more items arrive. */
int64_t player_due(const struct player *p, int64_t now);

/* The descriptor to poll() for items; -1: none. */
int player_fd(const struct player *p);

#endif
