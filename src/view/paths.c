/* SPDX-License-Identifier: MIT */
/* Paths: a node for each rank after each step, and an arrow for each transfer
 * (time-expanded graph; papers on MSCCL, TACOS).
 *
 *     step     1    2
 *     GPU 0  o──▶2────▶1      the name of the chunk that has arrived
 *              ╲╱    ╲╱
 *     GPU 1  o─╱╲▶0─╱╲▶2      what a rank keeps is a level line
 *
 * Sums and the data of a root are told apart by chunks, other data by the rank
 * it comes from.  A sum of a single chunk has the colour of the first rank
 * whose data is in it, and says how much has come.  Arrows have the colour of
 * what they carry, unless it is different data.  If data is followed, only its
 * path is there. */
#include <stdio.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "schedule/label.h"
#include "view/columns.h"
#include "view/painter.h"
#include "view/view.h"

enum {
    GAP = 2,         /* columns between nodes */
    NODE = 3,        /* columns of "x16" */
    AIR_MOST = 23,   /* columns added to a gap if there is room */
    STEPS_LEAST = 2, /* that must be shown */
    SEVERAL = -1
};

/* What moves together: one more than its chunk, or than the rank that it comes
 * from; 0 is nothing. */
struct strand {
    int of;
    int slots, parts; /* contributions in the largest sum */
};

struct grid {
    struct places *places;
    const struct outlook *outlook;
    struct columns columns; /* by step */
    bool chunks; /* strands are chunks, not ranks */
    bool sums;   /* nodes are named after the sums that ranks have */
    int y, pitch;
};

/* Adds what a slot holds after a step to what moves together. */
static void
join(const struct grid *g, struct strand *strand, int step, int rank, int slot)
{
    const struct outlook_slot *data =
        outlook_slot(g->outlook, step, rank, slot);
    int of = data->chunk == OUTLOOK_MIXED ? SEVERAL
             : g->chunks                  ? 1 + data->chunk
                                          : __builtin_ffs(data->ranks);

    if (data->ranks == 0 || scene_fades(g->places->scene, step, rank, slot))
        return;
    strand->of = strand->of == 0 || strand->of == of ? of : SEVERAL;
    strand->slots++;
    strand->parts = most(strand->parts, __builtin_popcount(data->ranks));
}

static void
add_node(const struct grid *g, int step, int rank, struct strand strand)
{
    int n = g->places->schedule->nranks, one = strand.of - 1;
    bool past = step <= g->places->scene->world->position;
    bool sum = g->sums && strand.parts == n;
    enum role role = one >= 0 && !sum ? palette_origin(one) : ROLE_TEXT;
    char name[16] = "o";
    struct label *label;

    if (strand.of == SEVERAL)
        snprintf(name, sizeof name, "x%d", strand.slots);
    else if (sum)
        strcpy(name, "S");
    else if (g->sums && one >= 0)
        snprintf(name, sizeof name, "%d/%d", strand.parts, n);
    else if (g->chunks && one >= 0)
        snprintf(name, sizeof name, "%d", one);
    else if (one >= 0)
        label_rank(one, name);
    label = places_label(g->places, g->columns.list[step].x,
                         g->y + rank * g->pitch, name);
    if (past && sum)
        label->pen = (struct pen){.attrs = ATTR_REVERSE};
    else if (past && one >= 0)
        label->pen = (struct pen){palette_ink(role), role, ATTR_BOLD};
    else if (strand.of != 0)
        label->pen = (struct pen){.fg = role, .attrs = past ? ATTR_BOLD : 0};
}

/* Adds a step's transfers, what ranks keep in it, and the nodes after it. */
static void
add_step(const struct grid *g, int step)
{
    struct places *p = g->places;
    const struct column *c = &g->columns.list[step];
    int n = p->schedule->nranks;
    struct strand roads[OUTLOOK_RANKS_MOST][OUTLOOK_RANKS_MOST] = {{{0}}};
    struct strand nodes[OUTLOOK_RANKS_MOST] = {{0}};
    bool crowded = places_is_crowded(p->schedule, step);
    size_t count;
    const struct transfer *t = schedule_transfers(p->schedule, step, &count);

    for (const struct transfer *end = t + count; t < end; t++)
        for (int k = 0; k < t->nslots && (t->src != t->dst || g->sums) &&
                        (!crowded || t->src == p->scene->selected) &&
                        !scene_fades_transfer(p->scene, step, t); k++) {
            if (t->src != t->dst)
                join(g, &roads[t->src][t->dst], step - 1, t->src,
                     t->src_slot + k);
            join(g, &nodes[t->dst], step - !g->sums, g->sums ? t->dst : t->src,
                 (g->sums ? t->dst_slot : t->src_slot) + k);
        }
    for (int to = 0; to < n; to++) {
        for (int slot = 0; slot < p->schedule->nslots; slot++)
            if (outlook_slot(g->outlook, step - 1, to, slot)->needed &&
                outlook_slot(g->outlook, step, to, slot)->needed)
                join(g, &roads[to][to], step - 1, to, slot);
        for (int from = 0; from < n; from++) {
            struct route *path;
            if (roads[from][to].of == 0)
                continue;
            path = places_step_road(p, step, from, to, 1);
            if (roads[from][to].of > 0)
                p->roads[p->nroads - 1].role =
                    palette_origin(roads[from][to].of - 1);
            route_add(path, c[-1].x + 1, g->y + from * g->pitch);
            route_add(path, c->x - 1, g->y + to * g->pitch);
        }
        add_node(g, step, to, nodes[to]);
    }
}

static bool
place(struct places *p, struct rect area)
{
    const struct schedule *s = p->schedule;
    struct grid g = {
        .places = p, .outlook = p->scene->world->outlook,
        .columns = {.list = p->own, .count = s->nsteps + 1, .air = AIR_MOST},
        .chunks = s->nchunks > 1 && (s->collective->reduces ||
                                     s->collective->input_at == AT_ROOT),
        .sums = s->nchunks == 1 && s->collective->reduces};
    struct columns *c = &g.columns;
    char text[24];

    if (g.outlook == NULL || s->nsteps < 1)
        return false;
    if (c->list == NULL)
        c->list = p->own = mem_new((size_t)c->count, sizeof *c->list);
    for (int step = 0; step <= s->nsteps; step++)
        c->list[step] = (struct column){.gap = GAP, .width = NODE};
    if (!columns_place(c, p, 1 + STEPS_LEAST) ||
        !places_ranks(p, area, c->left, 1, &g.y, &g.pitch))
        return false;
    if (c->first == 0)
        places_label(p, c->left, g.y - 1, _("step"));
    for (int rank = 0; rank < s->nranks; rank++)
        add_node(&g, c->first, rank, (struct strand){0});
    for (int step = c->first + 1; step <= c->end; step++) {
        snprintf(text, sizeof text, "%d", step);
        places_label(p, c->list[step].x, g.y - 1, text)->pen.fg =
            step == p->step ? ROLE_CURRENT : ROLE_QUIET;
        add_step(&g, step);
    }
    columns_edges(c, p, g.y - 1);
    return true;
}

static const struct symbol symbols[] = {
    {"o", 0, N_("a GPU after a step")},
    {NULL, GLYPH_RIGHT, N_("which way data moves, in the chunk's colour")},
    {"2, B", 0, N_("chunk 2, or GPU 1's data, has arrived")},
    {"3/8", 0, N_("a sum with 3 of 8 contributions")},
    {"S", 0, N_("complete: the sum over all GPUs")},
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
