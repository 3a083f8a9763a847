/* SPDX-License-Identifier: MIT */
/* Bytes sent so far, against what must be sent at least. */
#ifndef VIEW_TRAFFIC_H
#define VIEW_TRAFFIC_H

#include "draw/canvas.h"
#include "draw/layout.h"
#include "model/scene.h"

struct traffic {
    bool even;     /* all ranks send as much in all, more or less a chunk */
    int64_t sent;  /* bytes, by the rank that sends most in all */
    int64_t total; /* bytes that it will have sent in the end */
    int64_t optimum; /* bytes that the busiest must send at least */
    const char *formula; /* "2(N-1)/N" */
};

struct traffic traffic_of(const struct world *w);

/* "sent per GPU: 8 B of 32 B  ██░░  optimum 2(N-1)/N of its data: 32 B" */
void traffic_draw(const struct scene *s, struct canvas *c,
                  const struct layout *l);

#endif
