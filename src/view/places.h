/* SPDX-License-Identifier: MIT */
/* Places: where everything of a picture is.  A view fills them in, and
 * view/painter.c draws them, and knows what each state of a slot looks like.
 * So a view is only arithmetic:
 *
 *     static bool
 *     place_star(struct places *p)
 *     {
 *         for (int rank = 0; rank < p->schedule->nranks; rank++)
 *             places_box(p, rank, x, y);     of p->box.width x p->box.height,
 *                                            within p->area
 *         places_link(p, a, b, group, corners, count);   between two boxes
 *         return there was room;
 *     }
 *
 * places_find() calls it with one look after the other, from the largest, until
 * it returns true, and then lets the slots grow as long as it still does.  A
 * view of boxes takes the size of a box from p->box, which holds all slots of a
 * rank.  A view without boxes asks places_columns() how wide a block is in the
 * look that is tried, and adds a spot for each slot that it shows, step by
 * step. */
#ifndef VIEW_PLACES_H
#define VIEW_PLACES_H

#include "draw/block.h"
#include "draw/route.h"
#include "view/view.h"

/* How blocks are drawn, and the room around them. */
struct look {
    enum block_form form;
    bool framed;      /* boxes have frames */
    bool marked;      /* there are columns for marks beside a block */
    bool values;      /* the row below a block shows its values */
    bool aside;       /* the rank's number is to the left of its slots */
    int height, grow; /* rows of a block; columns more than its name needs */
    int gap_x, gap_y; /* least space between boxes */
};

/* A rank's box: its frame, or without one the rows in which it is found. */
struct box {
    int slot_columns, slot_rows; /* slots of a box, filled column by column */
    int slot_width;  /* columns of a block */
    int slot_height; /* rows from a slot to the one below it */
    int index_width; /* of the slot's number; 0: not shown */
    int slot_pitch;  /* columns from a slot to the one beside it */
    int left, top;   /* columns before the first block, rows above it */
    int width, height;
};

/* The rows of the ranks, without boxes: all of them, or a window. */
struct rows {
    int first, count; /* the ranks shown */
    int y, pitch;     /* of the first one; from one to the next */
};

/* Columns side by side, right of the ranks' names: the steps of a run, or the
 * parts of a table.  If not all have room, a window shows those around the step
 * at hand, and how many are left out on either side:
 *
 *               +3 ...      4        5        6     ... +6
 *     GPU 0              AAAA4 ──▶ AAA5 ──▶ AA6 */
struct columns {
    struct column {
        int gap, width; /* what it needs: blank columns before it, its own */
        int gap_x, x;   /* where its gap begins, and where it begins */
    } *list;
    int count;
    int air;    /* columns added to each gap, at most, if there is room */
    int margin; /* 1: the room on both sides counts as a gap then */

    int first, last; /* those shown */
    int end;         /* the last that may be drawn: in a lesson the step's */
    int left;        /* the column of the ranks' names */
};

/* A slot after a step, as a place for its block. */
struct spot {
    int16_t step; /* SCENE_NOW: at the scene's moment */
    int16_t rank, slot;
    int16_t x, y, width;
    bool ghost; /* what it held in the beginning is drawn faintly */
    bool gone;  /* not drawn: its data is on its way */
    bool plain; /* without a mark for what a step did to it */
};

/* The way from one rank to another.  A road of step 0 is a link that every
 * step may use, in both directions, and that is drawn in each. */
struct road {
    int16_t step, a, b;
    int16_t group; /* lines of the same group join where they touch */
    int16_t part;  /* the half of the data that it carries, with two trees */
    enum role role; /* its colour; ROLE_TEXT: by what moves along it */
    struct route path; /* begins and ends on cells of boxes, or beside spots */
};

struct label {
    struct point at;
    int rank; /* it names a rank; -1: it does not */
    int width;
    struct rect frame; /* round several boxes, below it; width 0: none */
    struct pen pen;
    char text[48]; /* as it is shown (utf8_clean) */
};

struct places {
    const struct view *view;
    const struct scene *scene;
    const struct schedule *schedule;
    const struct outlook *outlook; /* NULL: the run has none */
    struct rect area;
    enum glyph_set glyphs; /* for signs in labels */
    int step;     /* the scene's */
    bool crowded; /* places_is_crowded(schedule, step) */
    bool slot_is_chunk; /* each slot is for the chunk of the same number */
    bool knows_chunk;   /* and the places of slots say which it is */
    struct look look;
    struct box box;
    struct rows rows;
    void *own;       /* what a view notes of all looks; freed with free() */
    bool has_boxes; /* the slots are in boxes */
    struct hosts framed; /* there are frames round the boxes of each of them */
    int above, below; /* rows for roads in these frames, beside boxes */
    bool history;   /* steps that are over show what they did */
    bool partial;   /* there is no room for all: some may be left out */

    int nspots, nroads, nlabels;
    size_t spots_room, roads_room, labels_room;
    struct rect *boxes; /* by rank */
    struct spot *spots; /* by step, from the first on */
    struct road *roads; /* also by step */
    struct label *labels;
};

/* Finds the places of a view with the largest look for which there is room.
 * Returns false if there is none, and for one rank or more than HEAT_RANKS
 * besides switches, which are a heat map.  Either way, free them with
 * places_done(). */
bool places_find(struct places *p, const struct scene *s, struct rect area,
                 const struct view *view, enum glyph_set glyphs);
void places_done(struct places *p);

/* The columns of a block for sums of up to `parts` contributions. */
int places_columns(const struct places *p, int parts);

/* The rows of a block with its values. */
int places_rows(const struct places *p);

/* Puts the box of a rank, of the size of p->box, at a corner. */
void places_box(struct places *p, int rank, int x, int y);

/* Adds a road of a step, whose path the caller fills in. */
struct route *places_road(struct places *p, int step, int a, int b, int group);

/* Adds a road between the boxes of two ranks, through corners.  The first one
 * is straight above, below or beside a's box, the last one b's.  Those at which
 * the road does not turn are left out. */
void places_link(struct places *p, int a, int b, int group,
                 const struct point *corners, int count);

/* The same through row `y`, which the road meets straight above or below the
 * middle of each box, or so many columns beside it. */
void places_arch(struct places *p, int a, int b, int group, int y, int a_aside,
                 int b_aside);

/* The point in the middle of a rank's box, or between two. */
struct point places_middle(const struct places *p, int a, int b);

/* Add a spot, a label. */
struct spot *places_spot(struct places *p, int step, int rank, int slot, int x,
                         int y, int width);
struct label *places_label(struct places *p, int x, int y, const char *format,
                           ...) __attribute__((format(printf, 4, 5)));

/* Spreads `count` things of `size` over `room`, at least `gap` apart. Sets
 * *pitch to the distance from one to the next, at most twice the size or size +
 * 16, and *first to the position of the first. Returns false if there is no
 * room. */
bool places_spread(int count, int size, int gap, int room, int *pitch,
                   int *first);

/* Sets p->rows: each rank has so many lines of the area, below `heads` rows,
 * and its name at column x.  If `windowed` and a few lines are lacking, a
 * window has most ranks, among them the selected one, and says how many are
 * left out.  Returns false if there is no room. */
bool places_ranks(struct places *p, int x, int heads, int lines,
                  bool windowed);

/* The row of a rank. */
int places_row(const struct places *p, int rank);

/* Shows all columns if they have room, else that of the places' step, the one
 * after it, and as many before them as possible, then those that follow.
 * Returns false if there is not always room for `least_shown` of them. */
bool places_window(const struct places *p, struct columns *c, int least_shown);

/* Adds, in row y, how many columns are left out. */
void places_edges(struct places *p, const struct columns *c, int y);

/* Numbers `count` columns, each `pitch` from the one before it, as many as
 * there is room for.  Returns the end of the last number. */
int places_heads(struct places *p, int x, int y, int pitch, int count);

/* How many columns of this pitch are from one number to the next, so that
 * numbers up to `last` have blanks between them. */
int places_every(int pitch, int last);

/* Whether so many ranks send to so many others in a step that only the selected
 * rank's roads can be told apart. */
bool places_is_crowded(const struct schedule *s, int step);

/* The road for a transfer of a step, or NULL. If there are several, it is the
 * one for its part of the data, else the one in its direction. */
const struct road *places_road_of(const struct places *p, int step,
                                  const struct transfer *t);

/* The place of a slot after a step; NULL: none. */
const struct spot *places_find_spot(const struct places *p, int step,
                                    int rank, int slot);

/* Lets a click in a box mean its rank, and one in a slot that is shown now that
 * slot, too. */
void places_add_targets(const struct places *p, struct canvas *c);

/* Draws the places (view/painter.c). */
void painter_draw(const struct places *p, struct canvas *c);

#endif
