/* SPDX-License-Identifier: MIT */
/* Paths: a node for each rank after each step, and an arrow for each transfer
 * (time-expanded graph; papers on MSCCL, TACOS).
 *
 *              1    2
 *     GPU 0  o──▶2────▶1      the name of the chunk that has arrived
 *              ╲╱    ╲╱
 *     GPU 1  o─╱╲▶0─╱╲▶2      what a rank keeps is a level line
 *
 * Sums and the data of a root are told apart by chunks, other data by the rank
 * it comes from.  Arrows have the colour of what they carry, unless it is
 * different data.  If data is followed, only its path is there. */
#include <stdio.h>
#include <string.h>

#include "base/translate.h"
#include "schedule/label.h"
#include "view/painter.h"
#include "view/view.h"

enum {
    PITCH_LEAST = 5, /* columns from a step to the next */
    PITCH_MOST = 16,
    NODE_MOST = 3, /* columns of "x16" */
    EDGE = 8,      /* " ... +12" */
    NONE = -1,
    SEVERAL = -2
};

struct grid {
    struct places *places;
    const struct outlook *outlook;
    bool chunks; /* strands are chunks, not ranks */
    int x, y, pitch_x, pitch_y;
    int first; /* the first step shown */
};

/* Adds what a slot holds after a step to what moves together. */
static void
join(const struct grid *g, int *strand, int step, int rank, int slot)
{
    const struct outlook_slot *data =
        outlook_slot(g->outlook, step, rank, slot);
    int other = data->ranks == 0               ? NONE
                : data->chunk == OUTLOOK_MIXED ? SEVERAL
                : g->chunks ? data->chunk : __builtin_ctz(data->ranks);

    if (other != NONE && !scene_fades(g->places->scene, step, rank, slot))
        *strand = *strand == NONE || *strand == other ? other : SEVERAL;
}

/* Adds a way from (a, step - 1) to (b, step). */
static void
add_road(const struct grid *g, int step, int a, int b, int strand)
{
    int x = g->x + (step - g->first) * g->pitch_x;
    struct route *path = places_step_road(g->places, step, a, b, 1);

    if (strand >= 0)
        g->places->roads[g->places->nroads - 1].role = palette_origin(strand);
    route_add(path, x - g->pitch_x + 1, g->y + a * g->pitch_y);
    route_add(path, x - 1, g->y + b * g->pitch_y);
}

static void
add_node(const struct grid *g, int step, int rank, int strand, int slots)
{
    bool past = step <= g->places->scene->world->position;
    enum role role = strand >= 0 ? palette_origin(strand) : ROLE_TEXT;
    char name[16] = "o";
    struct label *label;

    if (strand == SEVERAL)
        snprintf(name, sizeof name, "x%d", slots);
    else if (strand >= 0 && g->chunks)
        snprintf(name, sizeof name, "%d", strand);
    else if (strand >= 0)
        label_rank(strand, name);
    label = places_label(g->places, g->x + (step - g->first) * g->pitch_x,
                         g->y + rank * g->pitch_y, name);
    if (past && strand >= 0)
        label->pen = (struct pen){palette_ink(role), role, ATTR_BOLD};
    else if (strand != NONE)
        label->pen = (struct pen){.fg = role, .attrs = past ? ATTR_BOLD : 0};
}

/* Adds a step's transfers, what ranks keep in it, and the nodes after it. */
static void
add_step(const struct grid *g, int step)
{
    const struct places *p = g->places;
    int n = p->schedule->nranks, slots[OUTLOOK_RANKS_MOST] = {0};
    int strands[OUTLOOK_RANKS_MOST + 1][OUTLOOK_RANKS_MOST]; /* from, to */
    bool crowded = places_is_crowded(p->schedule, step);
    size_t count;
    const struct transfer *t = schedule_transfers(p->schedule, step, &count);

    memset(strands, NONE, sizeof strands);
    for (size_t i = 0; i < count; i++, t++)
        for (int k = 0; k < t->nslots && t->src != t->dst &&
                        (!crowded || t->src == p->scene->selected) &&
                        !scene_fades_transfer(p->scene, step, t); k++) {
            join(g, &strands[t->src][t->dst], step - 1, t->src,
                 t->src_slot + k);
            join(g, &strands[n][t->dst], step - 1, t->src, t->src_slot + k);
            slots[t->dst]++;
        }
    for (int to = 0; to < n; to++) {
        for (int slot = 0; slot < p->schedule->nslots; slot++)
            if (outlook_slot(g->outlook, step - 1, to, slot)->needed &&
                outlook_slot(g->outlook, step, to, slot)->needed &&
                !scene_fades(p->scene, step - 1, to, slot))
                join(g, &strands[to][to], step, to, slot);
        for (int from = 0; from < n; from++)
            if (strands[from][to] != NONE)
                add_road(g, step, from, to, strands[from][to]);
        add_node(g, step, to, strands[n][to], slots[to]);
    }
}

static bool
place(struct places *p, struct rect area)
{
    const struct collective *c = p->schedule->collective;
    int names = places_names(p->schedule) + 2;
    int steps = p->schedule->nsteps, count;
    int room = area.width - names - NODE_MOST;
    struct grid g = {.places = p, .outlook = p->scene->world->outlook,
                     .chunks = c->reduces || c->input_at == AT_ROOT,
                     .x = area.x + names};
    char text[24];

    if (g.outlook == NULL || steps < 1 || room < EDGE + 2 * PITCH_LEAST ||
        !places_ranks(p, area, area.x, 1, &g.y, &g.pitch_y))
        return false;
    count = room / PITCH_LEAST >= steps ? steps : (room - EDGE) / PITCH_LEAST;
    g.pitch_x = count < steps ? PITCH_LEAST : room / steps;
    g.pitch_x = g.pitch_x < PITCH_MOST ? g.pitch_x : PITCH_MOST;
    g.first = p->step > count / 2 ? p->step - count / 2 : 0;
    g.first = g.first + count > steps ? steps - count : g.first;
    for (int rank = 0; rank < p->schedule->nranks; rank++)
        add_node(&g, g.first, rank, NONE, 0);
    for (int step = g.first + 1; step <= g.first + count; step++) {
        if (p->scene->panel != NULL && step > p->step)
            return true; /* the rest would answer a lesson's questions */
        snprintf(text, sizeof text, "%d", step);
        places_label(p, g.x + (step - g.first) * g.pitch_x, g.y - 1, text)
            ->pen.fg = step == p->step ? ROLE_CURRENT : ROLE_QUIET;
        add_step(&g, step);
    }
    snprintf(text, sizeof text, "... +%d", steps - g.first - count);
    if (g.first + count < steps)
        places_label(p, g.x + count * g.pitch_x + NODE_MOST + 1, g.y - 1, text);
    return true;
}

static const struct symbol symbols[] = {
    {"o", 0, N_("a GPU after a step")},
    {NULL, GLYPH_RIGHT, N_("which way data moves, in the chunk's colour")},
    {"2, B", 0, N_("chunk 2, or GPU 1's data, has arrived")},
    {"x4", 0, N_("four slots of different data have arrived")},
    {"... +4", 0, N_("four more columns, for which there is no room")},
    {NULL, GLYPH_LOST, N_("what was dropped, where it should have arrived")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};

const struct view view_paths = {
    .name = N_("paths"),
    .place = place,
    .symbols = symbols,
    .moves = true,
};
