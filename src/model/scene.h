/* SPDX-License-Identifier: MIT */
/* A scene: everything that the picture of a run depends on, except its canvas.
 * Keys, a panel and all else around it are a struct surround.
 *
 * The world is at a position.  The next step may be in flight: then each of
 * its transfers is somewhere between sender and receiver.  A transfer that has
 * not happened yet, because its rank is late, stays at the sender: nothing is
 * shown as done before it is. */
#ifndef MODEL_SCENE_H
#define MODEL_SCENE_H

#include "model/world.h"
#include "schedule/trail.h"

/* A transfer of the step in flight, in the schedule's order. */
struct flight {
    const struct transfer *transfer;
    const struct event *event; /* NULL: it has not happened yet */
    double progress; /* 0 at the sender, 1 at the receiver */
    double landing;  /* then: from 1 when it arrives to 0 when the slot has
                      * taken it in */
};

/* A slot that takes in data. */
struct landing {
    const uint64_t *before, *brought, *after; /* rows */
    bool adds;
    double left; /* of the flight's landing */
};

/* A slot of the output that a lesson asks about; rank -1: none. */
struct asked_slot {
    int rank, slot;
};

enum { SCENE_ALONE = -1, SCENE_NOW = -1 };

struct scene {
    const struct world *world; /* without a schedule: still being prepared */
    int step;   /* the step in flight, the position + 1; 0: none */
    int target; /* a step to be shown as soon as it is known; 0, -1: none */
    const struct flight *flights; /* of all its transfers */
    size_t nflights;
    int selected; /* the rank that the words are about */
    int view;     /* index in the table of views; -1: the first that suits */
    int beside;   /* that of the right pane, from 1 on; 0: the view's choice,
                   * SCENE_ALONE: there is no right pane */
    bool inspect;       /* the selected rank's slots are shown in full */
    int slot;           /* the one described then */
    int64_t awaited_ns; /* since when the step in flight is not complete; 0: it
                         * is, or nobody knows */
    const char *note; /* what the run waits for; NULL: nothing */
    bool replay;      /* of a recording: nothing runs */
    bool taught;      /* on a page of a lesson, which may ask what comes next:
                       * only the steps up to this one are shown */
    bool hides;       /* a question about it is open: nothing that stands around
                       * the picture says how many steps follow, and no view
                       * shows them */
    const struct asked_slot *asked; /* NULL: none */
    const struct trail *trail; /* the data that is followed; NULL: none */
};

/* The step that the scene shows: the one in flight, else the last one; 0 for
 * the input. */
int scene_step(const struct scene *s);

/* The step with which an event is shown: avg's divisions with the last one. */
int scene_step_of(const struct scene *s, const struct event *e);

/* The deliberate fault in transfer `i` of the scene's step, in the schedule's
 * order, once its data has arrived in the picture, or would have; FAULT_NONE
 * before. */
int scene_fault_arrived(const struct scene *s, size_t i);

/* Whether a slot is taking in data that has arrived: it was added to the slot,
 * or replaced what was there.  A slot that becomes wrong does not do that: it
 * is marked. */
bool scene_landing(const struct scene *s, int rank, int slot,
                   struct landing *l);

/* The contributions that a slot should have after a step, and lacks because of
 * a deliberate fault.  `row` is what it has.  There are none in runs that have
 * no outlook. */
struct lost {
    unsigned ranks; /* bit r: rank r's contribution */
    int chunk;
};
struct lost scene_lost(const struct scene *s, int step, int rank, int slot,
                       const uint64_t *row);

/* The slot that a lesson asks about. Returns false if there is none. */
bool scene_asks_about(const struct scene *s, int *rank, int *slot);

/* Whether a slot, as it is after a step, or a transfer of a step is drawn
 * faintly, because the data that is followed is not there. */
bool scene_fades(const struct scene *s, int step, int rank, int slot);
bool scene_fades_transfer(const struct scene *s, int step,
                          const struct transfer *t);

/* Whether a transfer has arrived in the picture, and whether there is nothing
 * left to move. */
bool flight_landed(const struct flight *f);
bool flight_is_over(const struct flight *f);

/* What a slot holds after a step; NULL: nobody knows it yet.  After the step in
 * flight, slots that it writes hold what has landed in them.  SCENE_NOW: what
 * has landed, else what was there before the step. */
const uint64_t *scene_row(const struct scene *s, int step, int rank, int slot);

#endif
