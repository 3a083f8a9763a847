/* SPDX-License-Identifier: MIT */
/* Where the parts of the view stages are; arithmetic only.
 *
 *              input    1 apart    2 apart      heads
 *     GPU 0    A ────▲─ +AB ───── ...           a row for each rank
 *     GPU 1    B ────▼─ +AB ───── ...
 *              |    ||  |
 *              |    ||  x of column 1
 *              |    rungs
 *              x of column 0
 *
 * Column k shows what ranks hold after step k, and the gap before it the
 * transfers of that step.  The form of the contents is the best for which all
 * columns fit, or else enough of them; so it does not depend on the step that
 * is shown, and nothing changes its place unless the columns scroll. */
#ifndef VIEW_STAGES_LAYOUT_H
#define VIEW_STAGES_LAYOUT_H

#include "draw/block.h"
#include "draw/rungs.h"

enum { STAGES_STEPS_MOST = 128, STAGES_COLUMNS_MOST = 64 };

struct stages_column {
    int gap_x;  /* of the gap before it */
    int rung_x; /* of the first rung in the gap */
    int x, width;
};

struct stages {
    const struct schedule *schedule;
    const struct outlook *outlook;
    enum block_form form;
    int pad;      /* of blocks, see draw/block.h */
    int between;  /* columns between two slots of a rank */
    int rows;     /* that a rank's slots take */
    int pitch;    /* rows from a rank to the next */
    int y;        /* of rank 0's first row */
    int heads_y;
    int phases_y; /* -1: there is no room for phases */
    int label_x;
    int first, last; /* columns shown */
    struct stages_column columns[STAGES_COLUMNS_MOST]; /* from `first` on */
};

/* Returns false if the scene does not fit, or has too many ranks or steps. */
bool stages_arrange(struct stages *g, const struct scene *s,
                    struct rect area);

/* The column of a step that is shown. */
const struct stages_column *stages_column(const struct stages *g, int step);

/* Whether the step's column and the gap before it are shown. */
bool stages_shows(const struct stages *g, int step);

/* The row of a rank's line. */
int stages_row(const struct stages *g, int rank);

/* The number of slots side by side in a column, and the width of each. */
int stages_slots_a_row(const struct stages *g, int step);
int stages_slot_width(const struct stages *g, int step);

#endif
