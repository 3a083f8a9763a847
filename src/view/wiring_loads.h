/* SPDX-License-Identifier: MIT */
/* What moves along the links in a step: for each pair of ranks and link one
 * load, with all its transfers. */
#ifndef VIEW_WIRING_LOADS_H
#define VIEW_WIRING_LOADS_H

#include "view/wiring.h"

struct wiring_load {
    const struct transfer *first;
    const struct link *link;
    struct path way; /* from the sender to the receiver, without the boxes */
    int nslots;
    double progress; /* of the slowest transfer */
    bool landed;
    bool lost;     /* it was dropped, and would have arrived by now */
    bool joined;   /* lost, and other data has arrived at its arrowhead */
    bool followed; /* nothing is followed, or it is in there */
};

/* Sets *loads to the loads of the scene's step, which the caller frees. Returns
 * their number. If the step is crowded, only those of the selected rank. */
int wiring_loads(const struct wiring *w, const struct scene *s,
                 struct wiring_load **loads);

/* Where the arrowhead of a load is. */
struct point wiring_load_head(const struct wiring_load *load);

#endif
