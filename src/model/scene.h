/* SPDX-License-Identifier: MIT */
/* A scene: all that a picture depends on besides its size.
 *
 * The world stands at a position; between that and the next a step may be in
 * flight: each of its transfers is somewhere between sender and receiver.  A
 * transfer that has not happened yet, because its rank is late, waits at the
 * sender: nothing is shown as done before it was. */
#ifndef MODEL_SCENE_H
#define MODEL_SCENE_H

#include "base/glyph_set.h"
#include "model/world.h"

/* A transfer of the step in flight, in the schedule's order. */
struct flight {
    const struct transfer *transfer;
    const struct event *event; /* NULL: it has not happened yet */
    double progress; /* 0 at the sender, 1 at the receiver */
};

/* A slot of the output that a lesson asks about; rank -1: none. */
struct asked_slot {
    int rank, slot;
};

struct panel; /* view/panel.h */

struct scene {
    const struct world *world; /* without a schedule: still being prepared */
    int step; /* in flight: the position + 1; 0: none is */
    int target; /* a step that is shown as soon as it is known; 0, -1: none */
    const struct flight *flights; /* of all its transfers */
    size_t nflights;
    enum glyph_set glyphs;
    int selected; /* the rank whose doings are told in words */
    int view;     /* index in the table of views; -1: the one that suits */
    bool playing;
    int speed; /* 0: normal, each +1 doubles it, each -1 halves it */
    bool inspect;       /* the selected rank's slots are shown in full */
    int slot;           /* the one that is told about then */
    bool help;          /* keys and symbols are explained */
    const char *typed;  /* a number before a key; NULL: none */
    const char *prompt; /* stands instead of the keys; NULL: none */
    const char *notice; /* stands above them; NULL: none */
    bool alarm;         /* the notice tells of an error */
    const char *back;   /* where q leads back to; NULL: out of it all */
    const struct panel *panel; /* of a lesson; NULL: none */
    const struct asked_slot *asked; /* NULL: none */
};

/* The step that the scene is about: the one in flight, else the one that led
 * to the position; 0 for the input. */
int scene_step(const struct scene *s);

/* The step with which an event is seen: avg's divisions with the last. */
int scene_step_of(const struct scene *s, const struct event *e);

/* Whether step `step` calls complete sums S0, S1, ... */
bool scene_names_sums(const struct scene *s, int step);

/* What was done on purpose to a transfer of the step that the scene is about,
 * as far as that is known (enum instr_fault). */
int scene_fault(const struct scene *s, const struct transfer *t);

/* The slot that a lesson asks about. False for none. */
bool scene_asks_about(const struct scene *s, int *rank, int *slot);

/* Whether a transfer has arrived, as far as the picture goes. */
bool flight_landed(const struct flight *f);

/* Contributions in a row, each origin once, in rank order. */
struct contribution {
    int rank, times, chunk; /* chunk -1: several */
};
int scene_contributions(const struct world *w, const uint64_t *row,
                        struct contribution list[LEDGER_RANKS]);

/* Whether it came more than once, or is over several chunks. */
bool scene_contribution_faulty(const struct contribution *c);

/* "GPU 3". */
enum { SCENE_NAME_MAX = 32 };
const char *scene_rank_name(int rank, char text[SCENE_NAME_MAX]);

#endif
