/* SPDX-License-Identifier: MIT */
/* Canvases as an SVG: text in a monospaced font on a dark or light background,
 * either still or as a film that repeats forever (CSS animations, no script).
 * Each piece of a row is in the file once, with the times at which it is
 * visible.
 *
 * Braille characters, which plots are made of, are drawn as dots: few fonts
 * have them, and still fewer have them in the width of the others.
 *
 * Readers without animation (a printer, a converter, a browser set to less
 * motion) show the last frame.
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
#include "draw/canvas.h"

struct svg {
    enum ground ground;
    int columns, rows;
    struct svg_span **spans; /* pieces of rows, each of one pen */
    size_t count, capacity;
    void *tree; /* the same spans, to find them by place and text */
    int64_t *begins; /* ms, by frame */
    int nframes;
    size_t begins_capacity;
};

void svg_done(struct svg *s);

/* Adds the next frame. All frames have the same size. */
void svg_add(struct svg *s, const struct canvas *c, int64_t begin_ms);

/* Appends the document. The film repeats from end_ms on. */
void svg_write(struct svg *s, const char *title, int64_t end_ms,
               struct buf *out);

/* A canvas as a piece of an HTML page.  Its colours are classes, so one style
 * sheet, once in the page, serves all pictures in it, for readers who prefer
 * dark and for those who prefer light:
 *
 *     buf_puts(&page, "<style>");
 *     svg_add_page_style(&page);
 *     buf_puts(&page, "</style><body>");
 *     svg_add_fragment(&canvas, whole, "now", "ring all-reduce", "", &page);
 *
 * The picture is as wide as what it stands in (or as the page's style says of
 * .canvas), and has no ground of its own: var(--ground) and var(--text) are the
 * page's.  Rows are <g>s in their order, after the <desc>. */

/* Appends the rules; no element around them. */
void svg_add_page_style(struct buf *out);

/* Appends the <svg class="canvas" role="img"> of an area of the canvas.  A
 * screen reader says the label, then the words, which may have several lines;
 * "": none, the page has them elsewhere.  `id` is unique in the page and needs
 * no escaping; label and words are escaped. */
void svg_add_fragment(const struct canvas *c, struct rect area, const char *id,
                      const char *label, const char *words, struct buf *out);

/* Appends what is inside a row's <g>: to replace the rows that have changed. */
void svg_add_row(const struct canvas *c, int y, struct buf *out);

#endif
