/* SPDX-License-Identifier: MIT */
/* The hypercube of up to four dimensions: a line, a square, a cube whose back
 * face is drawn above and to the right of its front, or two such cubes.
 *
 *         4 ───── 5       bit 0 of a rank: left or right
 *     0 ──┼── 1 ──╯       bit 1: above or below
 *     │   6 ──┼── 7       bit 2: front or back
 *     2 ───── 3 ──╯       bit 3: the first or the second cube
 *
 * If the number of ranks is not a power of two, some corners are missing. */
#include "base/bounds.h"
#include "base/translate.h"
#include "view/painter.h"
#include "view/view.h"

enum { DIMS_MOST = 4 };

static int
dims_of(int nranks)
{
    int d = 0;

    while (1 << d < nranks)
        d++;
    return d;
}

static int
bit(int rank, int d)
{
    return rank >> d & 1;
}

/* The row of a rank; 0 is the top row. */
static int
row_of(int rank, int dims)
{
    return dims > 2 ? 2 * bit(rank, 1) + !bit(rank, 2) : bit(rank, 1);
}

/* The column at which a link leaves a box; it depends on the dimension. */
static int
column(const struct rect *box, int aside)
{
    return box->x + box->width / 2 + aside * (box->width >= 8 ? 2 : 1);
}

static void
link_along(struct places *p, int a_rank, int d)
{
    int b_rank = a_rank | 1 << d;
    struct rect a = p->boxes[a_rank], b = p->boxes[b_rank];
    struct point middle = places_middle(p, a_rank, b_rank);
    int lane = a.y - 1 - bit(a_rank, 0);
    struct point corners[][2] = {
        {{middle.x, b.y + b.height / 2}},
        {{column(&a, -1), middle.y}},
        {{column(&a, 1), b.y + b.height / 2}},
        {{column(&a, 0), lane}, {column(&b, 0), lane}}};

    places_link(p, a_rank, b_rank, p->nroads + 1, corners[d], d < 3 ? 1 : 2);
}

static bool
place(struct places *p, struct rect area)
{
    int n = p->schedule->nranks, dims = dims_of(n);
    int width = p->box.width, cubes = dims > 3 ? 2 : 1;
    int rows = dims > 2 ? 4 : dims > 1 ? 2 : 1;
    int lanes = dims > 3 ? 2 : 0;
    int back = dims > 2 ? width / 2 + 5 : 0; /* offset of the back face */
    int across = most(width + p->look.gap_x,
                      dims > 2 ? back + width / 2 + 2 : 0);
    int room = (area.width - (cubes - 1) * p->look.gap_x) / cubes;
    int spare = room - (across + back + width);
    int cube_width, first, pitch_y, first_y;

    if (dims > DIMS_MOST || spare < 0 ||
        !places_spread(rows, p->box.height, most(p->look.gap_y, lanes),
                       area.height - lanes, &pitch_y, &first_y))
        return false;
    across += least(spare / 2, 2 * width);
    back += dims > 2 ? least(spare / 4, width) : 0;
    cube_width = across + back + width;
    first = (area.width - cubes * cube_width - (cubes - 1) * p->look.gap_x) / 2;
    for (int rank = 0; rank < n; rank++)
        places_box(p, rank,
                   area.x + first +
                       bit(rank, 3) * (cube_width + p->look.gap_x) +
                       bit(rank, 0) * across + bit(rank, 2) * back,
                   area.y + lanes + first_y + row_of(rank, dims) * pitch_y);
    for (int rank = 0; rank < n; rank++)
        for (int d = 0; d < dims; d++)
            if (bit(rank, d) == 0 && (rank | 1 << d) < n)
                link_along(p, rank, d);
    return true;
}

const struct view view_cube = {
    .name = N_("hypercube"),
    .topologies = VIEW_OF(TOPOLOGY_CUBE),
    .place = place,
    .boxes = true,
    .symbols = painter_symbols,
    .moves = true,
};
