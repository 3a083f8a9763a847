/* SPDX-License-Identifier: MIT */
/* A chart on the screen, with a cursor that reads its values. */
#ifndef SCREEN_CHARTS_H
#define SCREEN_CHARTS_H

#include "play/modelled.h"
#include "view/chart.h"

/* A model's chart, with what it borrows: begin with its axes. */
struct model_chart {
    struct chart chart;
    struct series_set set;
    struct buf title, source, note;
};
void model_chart_fill(struct model_chart *c, const struct modelled *m);
void model_chart_done(struct model_chart *c);

/* Shows a model's chart until the user quits or a signal comes.  Keys change
 * the number of GPUs, the size and the network of *m.  Returns false, with the
 * reason in *err, if there can be no screen. */
bool charts_watch_model(struct modelled *m, struct axes axes, bool ascii,
                        struct err *err);

/* The same for series that were measured or read, if charts_suit() them.  Where
 * the chart's axes show nothing of them, others are taken. */
bool charts_watch(const struct chart *chart, bool ascii, struct err *err);

/* Whether there are some points, but not more series than somebody can tell
 * apart, and not more points than can be drawn while somebody waits. */
enum { CHARTS_SERIES_MOST = 24, CHARTS_POINTS_MOST = 2000 };
bool charts_suit(const struct series_set *set);

#endif
