/* SPDX-License-Identifier: MIT */
/* A chart: one curve for each series, on logarithmic axes, with the time of a
 * call or its bus bandwidth over the size of the data or the number of ranks.
 *
 *      collviz  all-reduce on 8 GPUs                    time of a call
 *      modelled: ethernet, alpha=20us, ...
 *
 *         10 ms ┤                        ┊           ⡠⠔●  ring
 *          1 ms ┤         the curves     ┊       ⡠■⠊      tree
 *        100 us ┤●⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤✕⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠊⠁
 *               ╰┬───────────┬───────────┬───────────┬────
 *               32 B       1 KiB      32 KiB       1 MiB
 *       fastest ▐ ■ tree     ▌ ● ring                    ▌
 *
 *      at 32 KiB  ● ring  411 us    ■ tree  520 us  1.3x
 *      The fastest is tree; from 1.2 KiB on it is ring.
 *
 * A screen of CHART_COLUMNS_WIDE columns has the lines below the curves beside
 * them.  A curve is known by its colour and by its mark: up to 8 curves have a
 * colour and a mark of their own, up to 64 one of the two. */
#ifndef VIEW_CHART_H
#define VIEW_CHART_H

#include "draw/canvas.h"
#include "text/series.h"
#include "view/view.h"

enum { CHART_COLUMNS_WIDE = 110 };

struct chart {
    const struct series_set *set;
    struct axes axes;
    const char *title;  /* "all-reduce on 8 GPUs" */
    const char *source; /* where the times come from */
    const char *note;   /* what else is to be said, or NULL */
    double cursor;      /* bytes or ranks; 0: there is no cursor */
};

extern const struct symbol chart_signs[];

/* Draws the chart on all rows but the last. On a canvas that is too small,
 * draws only a message. */
void chart_draw(const struct chart *chart, struct canvas *c);

/* The x that is drawn at a point, or 0 if it is not on the curves' area. */
double chart_x_at(const struct chart *chart, const struct canvas *c,
                  struct point at);

/* Draws a figure that has at least one point.  An area that is too small for
 * the axes has only the title.
 *
 *      Loss of both replicas
 *           loss  ● GPU 0   ■ GPU 1
 *             10 ┤●
 *                │ ⠑⢄   ■
 *              5 ┤   ⠑⠢⣀⡀  ⠒⠒⠒⠒⠒⠒⠒■⠒⠒⠒
 *                │      ⠈⠉●⠒⠒⠤⠤⣀⣀⣀⣀⡀
 *              0 ┤
 *                ╰┬────────┬────────┬─── step
 *                 0       10       20 */
void figure_draw(const struct figure *f, struct canvas *c, struct rect area);

#endif
