/* SPDX-License-Identifier: MIT */
/* Canvases as a picture: an SVG of text in a monospaced font on a dark ground,
 * a still one, or one that moves by itself, endlessly (CSS animations, no
 * script).  Every piece of a row is in the file once, with the times at which
 * it is there.
 *
 * Where nothing moves (a printer, a converter, a reader who asked for less
 * motion) the last frame is shown.
 *
 *     struct svg svg = {0};
 *     svg_add(&svg, &canvas, 0);
 *     ... more frames, with the ms when they begin ...
 *     svg_write(&svg, "ring all-reduce", end_ms, &out);
 *     svg_done(&svg);
 */
#ifndef TERM_SVG_H
#define TERM_SVG_H

#include <stdint.h>

#include "base/buf.h"
#include "term/span.h"

struct svg {
    int columns, rows;
    struct spans spans;
    int64_t *begins; /* ms, by frame */
    size_t nbegins, capacity;
};

void svg_done(struct svg *s);

/* The next frame; all are of one size. */
void svg_add(struct svg *s, const struct canvas *c, int64_t begin_ms);

/* Appends the document. The film begins anew at end_ms. */
void svg_write(struct svg *s, const char *title, int64_t end_ms,
               struct buf *out);

#endif
