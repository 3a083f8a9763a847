/* SPDX-License-Identifier: MIT */
/* The curves of a chart, with their axes, marks and cursor, and the band below
 * them that says which series is the fastest where. */
#ifndef VIEW_CHART_CURVES_H
#define VIEW_CHART_CURVES_H

#include "draw/plot.h"
#include "view/chart.h"

/* The mark and the colour of a series. Series of the same colour have another
 * mark each. */
uint32_t chart_mark(const struct chart *chart, size_t series);
struct pen chart_pen(size_t series);

/* Lays out the curves in an area.  Returns false if no series has a point; else
 * call plot_done(). */
bool chart_curves_plot(const struct chart *chart, struct rect area,
                       struct plot *p);

/* Draws all of it. The axes and the band are outside of the area, at its left
 * and below it. */
void chart_curves_draw(const struct chart *chart, struct rect area,
                       struct canvas *c);

#endif
