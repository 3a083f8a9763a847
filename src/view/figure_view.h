/* SPDX-License-Identifier: MIT */
/* A figure in an area of the screen, such as that of a lesson's picture:
 *
 *      Loss of both replicas
 *           loss  ● GPU 0   ■ GPU 1
 *             10 ┤●
 *                │ ⠑⢄   ■
 *              5 ┤   ⠑⠢⣀⡀  ⠒⠒⠒⠒⠒⠒⠒■⠒⠒⠒
 *                │      ⠈⠉●⠒⠒⠤⠤⣀⣀⣀⣀⡀
 *              0 ┤
 *                ╰┬────────┬────────┬─── step
 *                 0       10       20
 *
 * Each curve has a colour and a mark of its own (draw/plot.h). */
#ifndef VIEW_FIGURE_VIEW_H
#define VIEW_FIGURE_VIEW_H

#include "base/glyph_set.h"
#include "draw/canvas.h"
#include "text/figure.h"

/* Draws a figure that has at least one point.  An area that is too small for
 * the axes has only the title. */
void figure_draw(const struct figure *f, enum glyph_set glyphs,
                 struct canvas *c, struct rect area);

#endif
