/* SPDX-License-Identifier: MIT */
/* Spans: the pieces of a canvas's rows that have one pen, cut at gaps.
 *
 * Frames are added one after another.  A piece that appears in several frames
 * is kept once, with the frames in which it is visible.  In any frame the
 * visible spans cover disjoint cells. */
#ifndef TERM_SPAN_H
#define TERM_SPAN_H

#include <stdbool.h>
#include <stddef.h>

#include "draw/canvas.h"

/* Frames begin .. end - 1. */
struct span_time {
    int begin, end;
};

struct span {
    int x, y, columns;
    struct pen pen;
    char *text; /* UTF-8; all its characters are equally wide */
    struct span_time *times; /* in order, with gaps between them */
    size_t ntimes, capacity;
};

/* All zero is empty. */
struct spans {
    struct span **all;
    size_t count, capacity;
    int nframes;
    void *tree; /* the same spans, to find them by place and text */
};

void spans_done(struct spans *s);

/* Adds the next frame. All frames must have the same size. */
void spans_add(struct spans *s, const struct canvas *c);

/* Puts spans with the same times next to each other; sorts others by place. */
void spans_sort(struct spans *s);
bool span_same_times(const struct span *a, const struct span *b);

#endif
