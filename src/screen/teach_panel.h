/* SPDX-License-Identifier: MIT */
/* What the teacher's panel shows of a tutor. */
#ifndef SCREEN_TEACH_PANEL_H
#define SCREEN_TEACH_PANEL_H

#include "tutor/reply.h"
#include "tutor/tutor.h"
#include "view/panel.h"

enum { TEACH_RANKS = 9 };

/* A panel and the texts that it points to besides the tutor's. */
struct teach_panel {
    struct panel panel;
    struct buf text;
    char ranks[TEACH_RANKS][32]; /* "GPU 3", to choose */
};

/* Of the page, or of the question with the reply so far; of neither: the
 * title alone, as while the script or a run is at work. */
void teach_panel_fill(struct teach_panel *p, const struct tutor *t,
                      const struct reply *r, enum glyph_set set);
void teach_panel_done(struct teach_panel *p);

#endif
