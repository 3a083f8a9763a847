/* SPDX-License-Identifier: MIT */
/* Canvases as an animated GIF, which repeats for ever.  cairo draws the
 * characters, giflib compresses.  If one of these libraries is missing,
 * gif_none.c replaces gif.c, and gif_begin() fails.
 *
 *     gif = gif_begin(80, 24, GROUND_DARK, file, &err);
 *     gif_add(gif, &canvas, 0);
 *     gif_end(gif, end_ms, &err);
 */
#ifndef TERM_GIF_H
#define TERM_GIF_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "draw/canvas.h"

struct gif;

/* Returns NULL, with the reason in *err, if there can be no GIF. */
struct gif *gif_begin(int columns, int rows, enum ground ground, FILE *out,
                      struct err *err);

/* Adds a frame.  Adds nothing if it is the same as the one before. */
void gif_add(struct gif *g, const struct canvas *c, int64_t begin_ms);

/* Ends the file, and frees the GIF.  Returns false, with the reason in *err, if
 * it is not whole; errors of the file itself are left to its owner. */
bool gif_end(struct gif *g, int64_t end_ms, struct err *err);

#endif
