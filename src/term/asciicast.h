/* SPDX-License-Identifier: MIT */
/* Canvases as a terminal recording: asciicast v2, for asciinema and its
 * players (docs.asciinema.org/manual/asciicast/v2).  Each frame is a line with
 * what changed, as ECMA-48 sequences with 24-bit colours.
 *
 *     struct asciicast a = {0};
 *     asciicast_begin(&a, 80, 24, GROUND_DARK, "ring all-reduce", &out);
 *     asciicast_add(&a, &canvas, 0, &out);
 *     asciicast_end(&a, end_ms, &out);
 */
#ifndef TERM_ASCIICAST_H
#define TERM_ASCIICAST_H

#include <stdint.h>

#include "base/buf.h"
#include "draw/canvas.h"

struct asciicast {
    enum ground ground;
    struct canvas shown;
    struct pen pen; /* the terminal's current pen */
    int x, y;       /* the terminal's cursor; -1: not known */
    bool begun;
};

void asciicast_begin(struct asciicast *a, int columns, int rows,
                     enum ground ground, const char *title, struct buf *out);

/* Adds a frame. Appends nothing if the frame has not changed. */
void asciicast_add(struct asciicast *a, const struct canvas *c,
                   int64_t begin_ms, struct buf *out);

/* Appends the end, which leaves the terminal usable and with the last frame on
 * it. Frees the asciicast. */
void asciicast_end(struct asciicast *a, int64_t end_ms, struct buf *out);

#endif
