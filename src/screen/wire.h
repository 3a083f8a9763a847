/* SPDX-License-Identifier: MIT */
/* A step that the learner wires: its transfers so far, and the next one.  It
 * handles keys and clicks, and writes the lines of the panel; it does not draw.
 *
 * The next transfer goes from a slot, which the arrows or a click choose, to
 * the GPU whose digit or box comes next.  Or it is typed (text/notation.h). */
#ifndef SCREEN_WIRE_H
#define SCREEN_WIRE_H

#include "lesson/wiring.h"
#include "model/world.h"
#include "term/prompt.h"

struct wire {
    const struct wiring *task; /* borrowed; NULL: nothing is wired */
    const struct world *world; /* of the steps so far; set before each key */
    struct transfer step[WIRING_TRANSFERS];
    size_t n;
    int gpu, slot; /* where the next transfer comes from */
    bool adds;
    bool picked;   /* by a click: the next one says to whom */
    bool typing;
    int digit;     /* the last key, if it was one; else -1 */
    bool digit_adds; /* and added a transfer */
};

enum wire_did {
    WIRE_NOTHING, /* the key is not about the step */
    WIRE_CHANGED,
    WIRE_STEP,    /* the step is to be run, and wire_ran() called */
    WIRE_BACK,    /* the last step is to be taken back */
    WIRE_DONE,    /* Enter, where no step has been begun */
    WIRE_REFUSED  /* *err says why */
};

void wire_begin(struct wire *w, const struct wiring *task);
enum wire_did wire_key(struct wire *w, struct prompt *p, int key,
                       struct err *err);

/* A click on a rank, and on one of its slots from the first of its output
 * (-1: none). */
enum wire_did wire_click(struct wire *w, int rank, int slot, struct err *err);
void wire_ran(struct wire *w);

/* Of a world: append the line of the step, "step 2: 0>1 +1, 1>2 +2", and that
 * of the next transfer, "GPU 0 sends A1 (slot 1) to GPU _". */
void wire_add_step(const struct wire *w, const struct world *world,
                   struct buf *out);
void wire_add_next(const struct wire *w, const struct world *world,
                   struct buf *out);

#endif
