/* SPDX-License-Identifier: MIT */
#include "view/panes.h"

#include "base/translate.h"
#include "draw/block.h"
#include "view/progress.h"

enum {
    BETWEEN = 3, /* columns between two panes, with a line in the middle */
    /* The picture's size on a screen of PANES_COLUMNS x PANES_ROWS. */
    WIDTH_LEAST = PANES_COLUMNS - 2,
    HEIGHT_LEAST = PANES_ROWS - 11,
    LINKS_PART = 4, /* the bars take at most one of so many rows */
};

/* Cuts the bars off a pane. Returns false if its view does not show links, or
 * there is no room for both. */
static bool
cut_links(struct panes *p, const struct scene *s, struct pane *pane)
{
    struct rect above = pane->area;
    int rows = traffic_draw_links(s, NULL, above);

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

/* There are two if the left view loses nothing, or no names but their letters,
 * and its companion fits. */
void
panes_arrange(struct panes *p, const struct scene *s, struct rect picture)
{
    /* The left pane's part of the picture, in twentieths; the first that both
     * views fit is taken. */
    static const int shares[] = {12, 10, 8, 13};
    struct pane *left = &p->panes[0], *right = &p->panes[1];
    bool room = !s->taught && s->beside != SCENE_ALONE &&
                picture.width >= WIDTH_LEAST && picture.height >= HEIGHT_LEAST;
    int loss = BLOCK_LETTERS;

    *p = (struct panes){.count = 1};
    left->view = view_choose(s, picture);
    if (room && view_loss(left->view, s, picture) > loss)
        loss = view_loss(left->view, s, picture);
    for (size_t i = 0;
         room && p->count == 1 && i < sizeof shares / sizeof shares[0]; i++) {
        left->area = right->area = picture;
        left->area.width = (picture.width - BETWEEN) * shares[i] / 20;
        right->area.x += left->area.width + BETWEEN;
        right->area.y++; /* below its title */
        right->area.width -= left->area.width + BETWEEN;
        right->area.height--;
        if (view_loss(left->view, s, left->area) > loss)
            continue;
        right->view =
            s->inspect ? NULL : view_beside(left->view, s, right->area);
        p->count += s->inspect || right->view != NULL;
    }
    if (p->count == 1) {
        *left = (struct pane){s->inspect ? NULL : left->view, picture};
        return;
    }
    if (!cut_links(p, s, left))
        cut_links(p, s, right);
}

/* A view may draw outside its area by a column: the border comes last. */
void
panes_draw(const struct scene *s, struct canvas *c, struct rect picture)
{
    const struct pen quiet = {.fg = ROLE_QUIET};
    struct panes p;
    const struct pane *right = &p.panes[1];

    panes_arrange(&p, s, picture);
    for (int i = 0; i < p.count; i++)
        if (p.panes[i].view == NULL)
            inspect_draw(s, c, p.panes[i].area);
        else
            view_draw(p.panes[i].view, s, c, p.panes[i].area);
    if (p.links.height > 0)
        traffic_draw_links(s, c, p.links);
    if (p.count < 2)
        return;
    for (int y = -1; y < right->area.height; y++)
        canvas_put(c, right->area.x - BETWEEN / 2 - 1, right->area.y + y,
                   glyph(s->glyphs, GLYPH_VERTICAL), quiet);
    if (right->view != NULL)
        canvas_puts_within(c, right->area.x, right->area.y - 1,
                           right->area.width, _(right->view->name), quiet);
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
        move = move || (p.panes[i].view != NULL && !p.panes[i].view->still);
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
