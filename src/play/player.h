/* SPDX-License-Identifier: MIT */
/* The player: steps through a session in time.
 *
 * It asks the run for steps, moves the world, and keeps the flights of the
 * step that is on its way; it draws nothing.  A transfer sets out when its
 * event has come, so a late rank's blocks are late on the screen.  Times are
 * given, in ns (base/clock.h). */
#ifndef PLAY_PLAYER_H
#define PLAY_PLAYER_H

#include "model/scene.h"
#include "play/session.h"

enum { PLAYER_SPEED_MOST = 5 };

struct player {
    struct session *session; /* borrowed */
    bool playing;
    int speed; /* each +1 doubles it; within +-PLAYER_SPEED_MOST */
    int step;  /* in flight; 0: none */
    int target; /* step to be at as soon as it is known; -1: none */
    bool told;  /* all that was granted is known */
    bool more;  /* there is more to take in than there was time for */
    int64_t rest_ns; /* when the last step came to rest */
    struct flight *flights; /* of `step` */
    size_t nflights;
    size_t seen; /* events of `step` that have been looked at */
    size_t *events;   /* by flight: index of its event */
    int64_t *left_ns; /* by flight: when it set out */
};

void player_init(struct player *p, struct session *session);
void player_done(struct player *p);

/* What the keys ask for. Next lets a step that is on its way arrive at once;
 * back takes it back. Each takes the place of a target that is not reached
 * yet, and may never be. */
void player_next(struct player *p, int64_t now);
void player_back(struct player *p);
void player_go(struct player *p, int step);
void player_play(struct player *p, int64_t now);
void player_faster(struct player *p, int by);

/* Takes in what came and moves to `now`. False where the run failed. */
bool player_advance(struct player *p, int64_t now, struct err *err);

/* Whether a block is moving. */
bool player_moves(const struct player *p);

/* When something happens by itself: a block lands, the next step begins.
 * INT64_MAX: not before more is known. */
int64_t player_due(const struct player *p, int64_t now);

/* To wait for with poll(); -1: nothing. */
int player_fd(const struct player *p);

#endif
