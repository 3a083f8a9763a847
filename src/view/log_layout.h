/* SPDX-License-Identifier: MIT */
/* Which lines the view log shows, and where their columns are. */
#ifndef VIEW_LOG_LAYOUT_H
#define VIEW_LOG_LAYOUT_H

#include "draw/canvas.h"
#include "model/holdup.h"

enum { LOG_BYTES = 9, LOG_TOOK = 9, LOG_WAITED = 18 }; /* columns */

struct log {
    const struct scene *scene;
    struct canvas *canvas;
    struct rect area; /* of the lines */
    int step;         /* the step shown */
    int step_width, phase_width, name_width, data_width;
    int bytes_x, took_x, waited_x; /* columns */
    struct holdup holdup;
    int held[HOLDUP_RANKS_MOST], nheld; /* the ranks that have a badge, those
                                         * that hold others up first */
};

struct log log_arrange(const struct scene *s, struct canvas *c,
                       struct rect area);

/* The events of a step, ordered by time. The caller frees the array; the events
 * belong to the world. */
const struct event **log_sorted(const struct world_step *s);

/* The first line on the screen, of those of all events, and how many there
 * are on it. */
size_t log_first(const struct log *l);
int log_count(const struct log *l);

/* Sets *found to the event of a line. Returns false if there is none. */
bool log_event(const struct world *w, size_t line, struct event *found);

#endif
