/* SPDX-License-Identifier: MIT */
/* The bytes sent so far, and the least that any algorithm must send. */
#ifndef VIEW_TRAFFIC_H
#define VIEW_TRAFFIC_H

#include "draw/canvas.h"
#include "draw/layout.h"
#include "model/scene.h"

struct traffic {
    bool even;       /* all ranks send the same number of bytes in all */
    int64_t sent;    /* bytes that the busiest rank has sent so far */
    int64_t total;   /* bytes that the busiest rank sends in all */
    int64_t optimum; /* bytes that the busiest rank must send at least */
    const char *formula; /* "2(N-1)/N" */
};

struct traffic traffic_of(const struct world *w);

/* "sent per GPU: 8 B of 32 B  ██░░  optimum 2(N-1)/N of its data: 32 B" */
void traffic_draw(const struct scene *s, struct canvas *c,
                  const struct layout *l);

#endif
