/* SPDX-License-Identifier: MIT */
/* A moment: what all slots hold after some step, up to the scene's.  The world
 * shows one position; a moment goes back from there, step by step, without
 * moving it.
 *
 *     moment_init(&m, scene);
 *     for (int step = world->position; step > 0; step--) {
 *         ... moment_row(&m, rank, slot) ...
 *         moment_go_back(&m);
 *     }
 *     moment_done(&m);
 */
#ifndef MODEL_MOMENT_H
#define MODEL_MOMENT_H

#include "model/scene.h"

struct moment {
    const struct scene *scene;
    int step;
    const uint64_t **rows; /* [rank * nslots + slot] */
};

/* The moment of the world's position. */
void moment_init(struct moment *m, const struct scene *s);
void moment_done(struct moment *m);

/* Goes back by a step. */
void moment_go_back(struct moment *m);

/* From the position to the end of the step in flight: what has landed, and what
 * the step leaves alone. The other slots have no row. */
void moment_fly(struct moment *m);

/* From there to the step after: no slot has a row. */
void moment_look_ahead(struct moment *m);

/* The row of a slot, or NULL if nobody knows it yet. */
const uint64_t *moment_row(const struct moment *m, int rank, int slot);

#endif
