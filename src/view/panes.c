/* SPDX-License-Identifier: MIT */
#include "view/panes.h"

#include "base/translate.h"
#include "draw/block.h"
#include "view/inspect.h"
#include "view/links.h"

/* Columns between two panes, with a line in the middle. */
enum { BETWEEN = 3 };

/* A picture this large is that of a screen of PANES_COLUMNS x PANES_ROWS. */
enum { WIDTH_LEAST = PANES_COLUMNS - 2, HEIGHT_LEAST = PANES_ROWS - 11 };

/* The bars take at most one of so many rows. */
enum { LINKS_PART = 4 };

/* The left pane's part of the picture, in twentieths. The first with which both
 * views fit is taken. */
static const int shares[] = {12, 10, 8, 13};

static bool
have_room(const struct scene *s, struct rect picture)
{
    return s->panel == NULL && s->beside != SCENE_ALONE &&
           picture.width >= WIDTH_LEAST && picture.height >= HEIGHT_LEAST;
}

static struct rect
left_of(struct rect picture, int share)
{
    picture.width = (picture.width - BETWEEN) * share / 20;
    return picture;
}

/* Without the row of the title. */
static struct rect
right_of(struct rect picture, struct rect left)
{
    int skipped = left.width + BETWEEN;

    return (struct rect){picture.x + skipped, picture.y + 1,
                         picture.width - skipped, picture.height - 1};
}

/* Tries a share. Returns false if the left view loses more than so much, or its
 * companion does not fit. */
static bool
try_share(struct panes *p, const struct scene *s, struct rect picture,
          int share, int loss)
{
    struct pane *left = &p->panes[0], *right = &p->panes[1];

    left->area = left_of(picture, share);
    if (view_loss(left->view, s, left->area) > loss)
        return false;
    right->area = right_of(picture, left->area);
    right->view =
        s->inspect ? NULL : view_beside(left->view, s, right->area);
    p->title = (struct rect){right->area.x, picture.y, right->area.width, 1};
    return s->inspect || right->view != NULL;
}

/* Cuts the bars off a pane. Returns false if its view does not show links, or
 * there is no room for both. */
static bool
cut_links(struct panes *p, const struct scene *s, struct pane *pane)
{
    struct rect above = pane->area;
    int rows = links_rows(s, above.width);

    above.height -= rows;
    if (rows == 0 || pane->view == NULL || pane->view->topologies == 0 ||
        rows > pane->area.height / LINKS_PART ||
        !view_suits(pane->view, s, above))
        return false;
    p->links = (struct rect){above.x, above.y + above.height, above.width,
                             rows};
    pane->area = above;
    return true;
}

void
panes_arrange(struct panes *p, const struct scene *s, struct rect picture)
{
    int loss;

    *p = (struct panes){.count = 1};
    p->panes[0] = (struct pane){view_choose(s, picture), picture};
    loss = have_room(s, picture) ? view_loss(p->panes[0].view, s, picture) : 0;
    if (loss < BLOCK_LETTERS)
        loss = BLOCK_LETTERS;
    for (size_t i = 0;
         have_room(s, picture) && i < sizeof shares / sizeof shares[0]; i++)
        if (try_share(p, s, picture, shares[i], loss)) {
            p->count = 2;
            if (!cut_links(p, s, &p->panes[0]))
                cut_links(p, s, &p->panes[1]);
            return;
        }
    p->panes[0].area = picture;
    if (s->inspect)
        p->panes[0].view = NULL;
}

static void
draw_pane(const struct pane *p, const struct scene *s, struct canvas *c)
{
    if (p->view == NULL)
        inspect_draw(s, c, p->area);
    else
        view_draw(p->view, s, c, p->area);
}

static void
draw_border(const struct panes *p, const struct scene *s, struct canvas *c)
{
    const struct pen quiet = {.fg = ROLE_QUIET};
    const struct rect *right = &p->panes[1].area;

    for (int y = p->title.y; y < right->y + right->height; y++)
        canvas_put(c, right->x - BETWEEN / 2 - 1, y,
                   glyph(s->glyphs, GLYPH_VERTICAL), quiet);
    if (p->panes[1].view != NULL)
        canvas_puts_within(c, p->title.x, p->title.y, p->title.width,
                           _(p->panes[1].view->name), quiet);
}

/* A view may draw outside its area by a column: the border comes last. */
void
panes_draw(const struct scene *s, struct canvas *c, struct rect picture)
{
    struct panes p;

    panes_arrange(&p, s, picture);
    for (int i = 0; i < p.count; i++)
        draw_pane(&p.panes[i], s, c);
    if (p.links.height > 0)
        links_draw(s, c, p.links);
    if (p.count > 1)
        draw_border(&p, s, c);
}

struct view_target
panes_at(const struct scene *s, struct rect picture, struct point at)
{
    struct panes p;

    panes_arrange(&p, s, picture);
    for (int i = 0; i < p.count; i++)
        if (p.panes[i].view != NULL && rect_contains(p.panes[i].area, at))
            return view_target_at(p.panes[i].view, s, p.panes[i].area, at);
    return (struct view_target){-1, -1};
}

bool
panes_move(const struct scene *s, struct rect picture)
{
    struct panes p;
    bool move = false;

    panes_arrange(&p, s, picture);
    for (int i = 0; i < p.count; i++)
        move = move || (p.panes[i].view != NULL && p.panes[i].view->moves);
    return move;
}

/* The index of the view in the right pane, or -1. */
static int
index_beside(const struct scene *s, struct rect picture)
{
    struct panes p;
    int index = 0;

    panes_arrange(&p, s, picture);
    if (p.count < 2)
        return -1;
    while (view_at(index) != p.panes[1].view)
        index++;
    return index;
}

int
panes_next(const struct scene *s, struct rect picture)
{
    struct scene with = *s;
    int now;

    with.inspect = false;
    now = index_beside(&with, picture);
    for (int next = now + 1; view_at(next) != NULL; next++) {
        with.beside = next + 1;
        if (index_beside(&with, picture) == next)
            return with.beside;
    }
    return now < 0 ? s->beside : SCENE_ALONE;
}
