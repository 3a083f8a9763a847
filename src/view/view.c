/* SPDX-License-Identifier: MIT */
#include "view/view.h"

#include <stddef.h>

#include "base/translate.h"
#include "view/places.h"

#define ADDRESS(row) &row,
static const struct view *const views[] = {VIEW_ROWS(ADDRESS)};

enum { VIEWS = sizeof views / sizeof views[0] };

const struct view *
view_at(int index)
{
    return index >= 0 && index < VIEWS ? views[index] : NULL;
}

int
view_loss(const struct view *v, const struct scene *s, struct rect area)
{
    struct places p;
    int loss = VIEW_NOTHING;

    if (v->whole && s->hides)
        return VIEW_NOTHING;
    if (v->topologies != 0 &&
        !(v->topologies & VIEW_OF(s->world->schedule->topology.kind)))
        return VIEW_NOTHING;
    if (v->place == NULL)
        return v->least.x == 0 ||
                       (s->world->nsteps > 0 && area.width >= v->least.x &&
                        area.height >= v->least.y)
                   ? 0
                   : VIEW_NOTHING;
    if (places_find(&p, s, area, v, GLYPHS_FULL)) /* all are of one column */
        loss = (int)p.look.form + (p.partial ? VIEW_PARTIAL : 0);
    places_done(&p);
    return loss;
}

bool
view_suits(const struct view *v, const struct scene *s, struct rect area)
{
    return view_loss(v, s, area) < VIEW_NOTHING;
}

void
view_draw(const struct view *v, const struct scene *s, struct canvas *c,
          struct rect area)
{
    struct places p;

    c->moves |= !v->still;
    if (v->place == NULL) {
        v->draw(s, c, area);
        return;
    }
    if (places_find(&p, s, area, v, c->glyphs))
        painter_draw(&p, c);
    places_done(&p);
}

static int
choose_view_index(const struct scene *s, struct rect area)
{
    const struct schedule *schedule = s->world->schedule;

    if (view_at(s->view) != NULL && view_suits(views[s->view], s, area))
        return s->view;
    for (int leading = 1; leading >= 0; leading--)
        for (int i = 0; i < VIEWS; i++) {
            const struct view *v = views[i];
            bool wanted =
                leading ? v->leads != NULL && v->leads(schedule)
                        : v->chosen_for == 0 ||
                              v->chosen_for & VIEW_OF(schedule->topology.kind);
            if (wanted && view_suits(v, s, area))
                return i;
        }
    return 0; /* unreachable: the heat map always suits */
}

const struct view *
view_choose(const struct scene *s, struct rect area)
{
    return views[choose_view_index(s, area)];
}

/* A table of input and output says all, and needs the room.  Stages explain a
 * run if all of them are seen.  A view of topologies draws only ranks and the
 * links between them. */
static bool
is_complement(const struct view *v, const struct view *beside)
{
    if (v == &view_table)
        return false;
    if (v->topologies != 0)
        return beside == &view_stages || beside == &view_matrix;
    if (beside->topologies != 0)
        return true;
    return v == &view_matrix
               ? beside == &view_stages || beside == &view_timeline
               : beside == &view_matrix && v != &view_stages;
}

const struct view *
view_beside(const struct view *v, const struct scene *s, struct rect area)
{
    const struct view *asked = view_at(s->beside - 1);

    if (asked != NULL && asked != v && view_suits(asked, s, area))
        return asked;
    for (int i = 0; i < VIEWS; i++)
        if (views[i] != v && is_complement(v, views[i]) &&
            view_loss(views[i], s, area) <= BLOCK_COUNT)
            return views[i];
    return NULL;
}

int
view_next(const struct scene *s, struct rect area)
{
    int now = choose_view_index(s, area);

    for (int i = 1; i < VIEWS; i++)
        if (view_suits(views[(now + i) % VIEWS], s, area))
            return (now + i) % VIEWS;
    return now;
}

/* Do not add a symbol: the help must fit on the smallest screen. */
const struct symbol painter_symbols[] = {
    {NULL, GLYPH_DONE,
     N_("a link in use; thin: not, or by another GPU; ~: between hosts")},
    {"A1-3", 0, N_("on a link: A1, A2 and A3 move along it")},
    {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
    {"AC 1", 0, N_("with less room: A1+C1")},
    {"S1", 0, N_("chunk 1 complete: the sum over all GPUs")},
    {"+ =", 0, N_("this step added to the slot, replaced it")},
    {NULL, GLYPH_SENDS, N_("the next step sends it")},
    {NULL, GLYPH_RIGHT, N_("which way data moves, or may move, along a link")},
    {NULL, GLYPH_EMPTY, N_("an empty slot")},
    {"3/8, 3", 0, N_("a sum with 3 of 8 contributions")},
    {"*", 0, N_("a contribution that is in a sum several times")},
    {NULL, 0, NULL},
};
