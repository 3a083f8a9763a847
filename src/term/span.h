/* SPDX-License-Identifier: MIT */
/* Spans: pieces of a canvas's rows. A span has one pen and ends at a gap.
 *
 * Frames are added one after another.  A span that appears in several frames is
 * stored once, with the frames in which it is visible.  In any frame the
 * visible spans do not overlap. */
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

/* A zeroed struct is empty. Free it with spans_done(). */
struct spans {
    struct span **all;
    size_t count, capacity;
    int nframes;
    void *tree; /* the same spans, to find them by place and text */
};

void spans_done(struct spans *s);

/* Adds the next frame. All frames must have the same size. */
void spans_add(struct spans *s, const struct canvas *c);

/* Sorts spans by their times, then by place. Spans with the same times are next
 * to each other. */
void spans_sort(struct spans *s);
bool span_same_times(const struct span *a, const struct span *b);

#endif
