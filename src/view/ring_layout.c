/* SPDX-License-Identifier: MIT */
#include "view/ring_layout.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    GAP_X_WANTED = 14, /* columns between boxes side by side */
    GAP_Y_WANTED = 3,  /* rows between boxes one above the other */
    COLUMNS_MOST = 8,  /* columns of short slots in a box, or of cells */
    BOX_HEIGHT_LEAST = 2,
    SMALL_HEIGHT = 14, /* on which frames may be left out */
    SMALL_WIDTH = 60,
    BOX_WIDTH_LEAST = 4,
    VALUES_LEAST = 9, /* columns of a slot with its values */
    RAGGED = 6, /* the worth of a last column of cells that is full, too */
};

/* Ways to draw a slot, best first, and the space between boxes that travelling
 * blocks need. With padding, gap_x is added to the width of a block. */
static const struct fit {
    enum block_form form;
    int pad;
    int slot_height;
    bool tall, values;
    int gap_x, gap_y;
    bool bare; /* without frames, on a small screen */
} fits[] = {
    {BLOCK_WHOLE, 5, 4, true, true, 4, 5, false},
    {BLOCK_WHOLE, 3, 4, true, true, 4, 5, false},
    {BLOCK_WHOLE, 5, 2, false, true, 4, 5, false},
    {BLOCK_WHOLE, 3, 2, false, true, 4, 5, false},
    {BLOCK_WHOLE, 1, 2, false, true, 4, 3, false},
    {BLOCK_WHOLE, 1, 2, false, false, 4, 3, false},
    {BLOCK_WHOLE, 0, 2, false, true, 14, 3, false},
    {BLOCK_WHOLE, 1, 1, false, false, 4, 3, false},
    {BLOCK_SHORT, 0, 4, true, true, 6, 3, false},
    {BLOCK_SHORT, 0, 3, true, true, 6, 3, false},
    {BLOCK_SHORT, 0, 2, false, true, 6, 3, false},
    {BLOCK_WHOLE, 0, 1, false, false, 6, 1, false},
    {BLOCK_SHORT, 0, 1, false, false, 4, 1, false},
    {BLOCK_SHORT, 0, 1, false, false, 4, 1, true},
    {BLOCK_CELL, 0, 1, false, false, 5, 2, true}, /* not on a small screen */
};

static int
least(int a, int b)
{
    return a < b ? a : b;
}

static int
most(int a, int b)
{
    return a > b ? a : b;
}

static int
boxes_across(const struct ring_layout *l)
{
    return most(most(l->top, l->bottom), l->rows > 2 ? 2 : 1);
}

/* The space between boxes if they are spread over all of `area`. */
static int
gap_x(const struct ring_layout *l, struct rect area)
{
    int across = boxes_across(l);

    return across == 1 ? area.width
                       : (area.width - across * l->box.width) / (across - 1);
}

static int
gap_y(const struct ring_layout *l, struct rect area)
{
    return l->rows == 1 ? area.height
                        : (area.height - l->rows * l->box.height) /
                              (l->rows - 1);
}

/* Grades the arrangement: higher is better, -1 means that it does not fit. */
static int
grade(const struct ring_layout *l, const struct fit *fit, struct rect area)
{
    int x = gap_x(l, area), y = gap_y(l, area);
    int x_least = fit->gap_x + (fit->pad > 0 ? l->box.slot_width : 0);
    bool is_ragged = fit->form == BLOCK_CELL &&
                     l->box.nslots % l->box.slot_columns != 0;

    if (x < x_least || y < fit->gap_y || l->box.width > area.width ||
        l->box.height > area.height)
        return -1;
    return 10 * least(x, GAP_X_WANTED) / GAP_X_WANTED +
           20 * least(y, GAP_Y_WANTED) / GAP_Y_WANTED - l->box.slot_columns -
           l->rows - (is_ragged ? RAGGED : 0);
}

static void
set_rows(struct ring_layout *l, int rows)
{
    int sides = rows > 2 ? 2 * (rows - 2) : 0;

    l->rows = rows;
    l->top = rows == 1 ? l->nranks : (l->nranks - sides) / 2;
    l->bottom = rows == 1 ? 0 : l->nranks - sides - l->top;
}

/* Centers the boxes. Limits the gaps between them, so that the eye can follow
 * the blocks. */
static void
set_area(struct ring_layout *l, struct rect area)
{
    int across = boxes_across(l);
    int width = across * l->box.width +
                (across - 1) * least(gap_x(l, area), area.width * 2 / 5);
    int height = l->rows * l->box.height +
                 (l->rows - 1) * least(gap_y(l, area), area.height / 2);

    l->area = (struct rect){area.x + (area.width - width) / 2,
                            area.y + (area.height - height) / 2, width,
                            height};
}

/* Whole slots are in one column, so that they are easy to compare. If the
 * schedule is not in place, the output has a column of its own. */
static int
most_columns(const struct ring_layout *l, const struct schedule *s)
{
    if (l->box.form != BLOCK_WHOLE)
        return least(l->box.nslots, COLUMNS_MOST);
    return s->nchunks > 0 ? (s->nslots + s->nchunks - 1) / s->nchunks : 1;
}

/* Finds the best arrangement with slots of this width. Returns false if none
 * fits. */
static bool
arrange(struct ring_layout *best, const struct schedule *s,
        const struct fit *fit, struct rect area)
{
    int best_grade = -1;
    struct ring_layout l = *best;
    int rows_least = l.nranks <= 2 ? 1 : 2;
    int rows_most = l.nranks <= 2 ? 1 : (l.nranks + 2) / 2;

    rows_most = least(rows_most, area.height / BOX_HEIGHT_LEAST);
    for (int rows = rows_least; rows <= rows_most; rows++)
        for (int columns = 1; columns <= most_columns(&l, s); columns++) {
            int this_grade;
            l.box.slot_columns = columns;
            rank_box_measure(&l.box);
            set_rows(&l, rows);
            this_grade = grade(&l, fit, area);
            if (this_grade > best_grade) {
                best_grade = this_grade;
                *best = l;
            }
        }
    return best_grade >= 0;
}

/* The columns of the slots to try. */
struct slot_widths {
    int widest, narrowest;
};

/* Short forms contain the number of the chunk, so the number of the slot is
 * left out. */
static struct slot_widths
slot_widths(const struct schedule *s, const struct fit *fit, int room)
{
    int whole, narrowest;

    if (fit->form == BLOCK_CELL)
        return (struct slot_widths){1, 1};
    if (fit->form == BLOCK_WHOLE) {
        whole = block_columns_whole(s, fit->pad);
        return (struct slot_widths){whole, whole};
    }
    narrowest = fit->values ? most(block_columns_short(s), VALUES_LEAST)
                            : block_columns_short(s);
    return (struct slot_widths){most(narrowest, least(s->nranks, room)),
                                    narrowest};
}

/* Tries narrower and narrower slots until the boxes fit. */
static bool
try_fit(struct ring_layout *l, const struct schedule *s,
        const struct fit *fit, struct rect area)
{
    bool whole = fit->form == BLOCK_WHOLE;
    struct slot_widths width = slot_widths(s, fit, area.width);

    l->box.form = fit->form;
    l->box.framed = !fit->bare;
    l->box.index_width = whole ? snprintf(NULL, 0, "%d", s->nslots - 1) : 0;
    l->box.pad = fit->pad;
    l->box.slot_height = fit->slot_height;
    l->box.tall = fit->tall;
    l->box.values = fit->values;
    l->box.slot_width = width.widest;
    for (; l->box.slot_width >= width.narrowest; l->box.slot_width--)
        if (arrange(l, s, fit, area))
            return true;
    return false;
}

/* Frames are left out on small screens, where slots must have names. */
static bool
suits_size(const struct fit *fit, struct rect area)
{
    bool small = area.height < SMALL_HEIGHT || area.width < SMALL_WIDTH;

    return fit->form == BLOCK_CELL ? !small : !fit->bare || small;
}

bool
ring_layout(const struct schedule *s, struct rect area, struct ring_layout *l)
{
    *l = (struct ring_layout){
        .nranks = s->nranks,
        .box = {.framed = true, .nslots = s->nslots},
    };
    if (s->nranks > area.width * area.height /
                        (BOX_HEIGHT_LEAST * BOX_WIDTH_LEAST))
        return false; /* too many ranks for any of the fits */
    for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++)
        if (suits_size(&fits[i], area) && try_fit(l, s, &fits[i], area)) {
            set_area(l, area);
            return true;
        }
    return false;
}

/* The row of a rank's box. */
static int
row_of(const struct ring_layout *l, int rank)
{
    int right = rank - l->top;
    int left = l->nranks - rank;

    if (right < 0)
        return 0;
    if (right < l->rows - 2)
        return 1 + right;
    return left <= l->rows - 2 ? left : l->rows - 1;
}

struct rect
ring_layout_box(const struct ring_layout *l, int rank)
{
    int row = row_of(l, rank);
    int room = l->area.width - l->box.width;
    int first_bottom = l->top + most(l->rows - 2, 0);
    int place, places;

    if (row == 0) {
        place = rank;
        places = l->top;
    } else if (row == l->rows - 1) {
        place = first_bottom + l->bottom - 1 - rank;
        places = l->bottom;
    } else {
        place = rank < first_bottom;
        places = 2;
    }
    return (struct rect){
        .x = l->area.x +
             (places == 1 ? room / 2 : room * place / (places - 1)),
        .y = l->area.y + (l->rows == 1 ? 0
                                       : (l->area.height - l->box.height) *
                                             row / (l->rows - 1)),
        .width = l->box.width,
        .height = l->box.height,
    };
}


bool
ring_layout_neighbours(const struct ring_layout *l, int from, int to)
{
    return from != to && ((from + 1) % l->nranks == to ||
                          (to + 1) % l->nranks == from);
}

/* The path between boxes side by side.  If there are only two ranks, the path
 * back is on a lower row. */
static struct path
path_sideways(struct rect a, struct rect b, bool in_pair)
{
    bool right = a.x < b.x;
    int line = in_pair ? (right ? (a.height - 2) / 2 : (a.height + 1) / 2)
                       : (a.height - 1) / 2;
    struct path p = {0};

    path_add(&p, right ? a.x + a.width : a.x - 1, a.y + line);
    path_add(&p, right ? b.x - 1 : b.x + b.width, b.y + line);
    return p;
}

/* The path to another row: straight if the boxes overlap, else with one corner,
 * on the outside of the ring. */
static struct path
path_between_rows(const struct ring_layout *l, struct rect a, struct rect b)
{
    int middle = l->area.x + l->area.width / 2;
    int ax = a.x + a.width / 2, bx = b.x + b.width / 2;
    int ay = a.y + (a.height - 1) / 2, by = b.y + (b.height - 1) / 2;
    bool down = a.y < b.y, right = a.x < b.x;
    struct path p = {0};

    if (bx > a.x && bx < a.x + a.width - 1) {
        path_add(&p, bx, down ? a.y + a.height : a.y - 1);
        path_add(&p, bx, down ? b.y - 1 : b.y + b.height);
        p.upward = !down;
    } else if (abs(ax - middle) < abs(bx - middle)) {
        path_add(&p, right ? a.x + a.width : a.x - 1, ay);
        path_add(&p, bx, ay);
        path_add(&p, bx, down ? b.y - 1 : b.y + b.height);
    } else {
        path_add(&p, ax, down ? a.y + a.height : a.y - 1);
        path_add(&p, ax, by);
        path_add(&p, right ? b.x - 1 : b.x + b.width, by);
    }
    return p;
}

static struct path
path_to_next(const struct ring_layout *l, int from, int to)
{
    struct rect a = ring_layout_box(l, from), b = ring_layout_box(l, to);

    return a.y == b.y ? path_sideways(a, b, l->nranks == 2)
                      : path_between_rows(l, a, b);
}

struct path
ring_layout_path(const struct ring_layout *l, int from, int to)
{
    struct rect a = ring_layout_box(l, from), b = ring_layout_box(l, to);
    struct path p = {0};

    if (from != to && (from + 1) % l->nranks == to)
        return path_to_next(l, from, to);
    if (from != to && (to + 1) % l->nranks == from) {
        p = path_to_next(l, to, from);
        return path_reversed(&p);
    }
    path_add(&p, a.x + a.width / 2, a.y + a.height / 2);
    path_add(&p, b.x + b.width / 2, b.y + b.height / 2);
    return p;
}
