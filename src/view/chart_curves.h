/* SPDX-License-Identifier: MIT */
/* The curves of a chart, with their axes, marks and cursor, and the band below
 * them that says which series is the fastest where. */
#ifndef VIEW_CHART_CURVES_H
#define VIEW_CHART_CURVES_H

#include "draw/plot.h"
#include "view/chart.h"

/* Lays out the curves in an area.  Returns false if no series has a point; else
 * call plot_done(). */
bool chart_curves_plot(const struct chart *chart, struct rect area,
                       struct plot *p);

/* Draws all of it. The axes and the band are outside of the area, at its left
 * and below it. */
void chart_curves_draw(const struct chart *chart, struct rect area,
                       struct canvas *c);

#endif
