/* SPDX-License-Identifier: MIT */
/* Spans: the pieces of a canvas's rows that have one pen, cut at gaps.
 *
 * Frame after frame is added; a piece that stands in the same place again is
 * kept once, with the frames in which it is there.  At any time the spans that
 * are there cover disjoint cells. */
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
    struct span_time *times; /* one after another, with gaps between them */
    size_t ntimes, capacity;
};

/* All zero is empty. */
struct spans {
    struct span **all;
    size_t count, capacity;
    int nframes;
    void *tree; /* of the same, to find them in */
};

void spans_done(struct spans *s);

/* The next frame. All must be of one size. */
void spans_add(struct spans *s, const struct canvas *c);

/* Those that are there at the same times one after another, else by place. */
void spans_sort(struct spans *s);
bool span_same_times(const struct span *a, const struct span *b);

#endif
