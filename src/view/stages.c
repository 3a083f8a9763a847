/* SPDX-License-Identifier: MIT */
/* Stages and paths: a row for each rank, a column for each step.
 *
 *              input        1 apart        2 apart      heads
 *     GPU 0    A ─────┬──▶ +A+B ───── ...               a row for each rank
 *     GPU 1    B ─────┴──▶ +A+B ───── ...
 *
 * Column k of stages shows what the ranks hold after step k, as far as they
 * still need it: sets that grow, bars that halve and double.  The lines before
 * it are the transfers of the step.
 *
 * Steps that are past come from the world, steps ahead from the schedule
 * (schedule/outlook.h); these are drawn faintly.  A lesson does not show them,
 * because they would answer its questions.
 *
 * Two ranks that exchange data share a rung, a vertical line between their
 * rows.  If one rank sends to several, or receives from several, they share one
 * too, if that takes fewer rungs.  Rungs that would touch stand side by side.
 *
 * If a few rows are lacking, as in a lesson with 16 ranks, a window shows most
 * ranks, among them the selected one.  If columns are lacking, they scroll.
 *
 * Paths have a node for each rank after each step, and an arrow for each
 * transfer (time-expanded graph; papers on MSCCL, TACOS).
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
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "schedule/collective.h"
#include "view/places.h"

enum {
    STEPS_MOST = 128,
    AIR_MOST = 12,     /* columns added to a gap if there is room */
    HEAD_LEAST = 9,    /* of a column with its gap: "16 apart" fits */
    RUNGS_MOST = OUTLOOK_RANKS_MOST * OUTLOOK_RANKS_MOST,
    RUNGS_LIT_MOST = 8 /* side by side, that can be told apart */
};

struct rungs {
    int count;
    int columns; /* that they take, side by side */
    struct rung {
        uint16_t senders, receivers; /* bit r: rank r */
        int first, last;             /* of these ranks */
        int column;                  /* from 0 */
    } rungs[RUNGS_MOST];
};

struct stages {
    struct places *places;
    const struct schedule *schedule;
    int lines;              /* of a rank's slots */
    struct columns columns; /* by step */
    struct column list[STEPS_MOST + 1];
    struct stage {
        struct rungs rungs; /* in the gap before it */
        int a_row;          /* slots in a row */
        int width, pitch;   /* of a slot; from it to the one beside it */
    } stages[STEPS_MOST + 1];
};

/* Sorts rungs by their upper ends, then by their lengths, the short ones first,
 * then by their first senders. */
static int
compare_rungs(const void *a, const void *b)
{
    const struct rung *left = a, *right = b;

    return left->first != right->first ? left->first - right->first
           : left->last != right->last ? left->last - right->last
                                       : __builtin_ctz(left->senders) -
                                             __builtin_ctz(right->senders);
}

/* Sets the rungs of a step.  Transfers within a rank have none. */
static void
find_rungs(const struct schedule *s, int step, struct rungs *r)
{
    enum { BY_PAIR, BY_SENDER, BY_RECEIVER, WAYS }; /* to share a rung */
    int below[RUNGS_MOST]; /* by column: the first free rank */
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    for (int way = BY_PAIR; way < WAYS; way++) {
        struct rungs found = {0};
        for (size_t i = 0; i < count; i++) {
            unsigned src = 1u << t[i].src, dst = 1u << t[i].dst, both;
            struct rung *rung = found.rungs, *end = rung + found.count;
            if (src == dst)
                continue;
            while (rung < end &&
                   (way == BY_SENDER     ? rung->senders != src
                    : way == BY_RECEIVER ? rung->receivers != dst
                    : (rung->senders | rung->receivers) != (src | dst)))
                rung++;
            found.count += rung == end;
            rung->senders |= (uint16_t)src;
            rung->receivers |= (uint16_t)dst;
            both = rung->senders | rung->receivers;
            rung->first = __builtin_ctz(both);
            rung->last = 31 - __builtin_clz(both);
        }
        if (way == BY_PAIR || found.count < r->count)
            *r = found;
    }
    qsort(r->rungs, (size_t)r->count, sizeof r->rungs[0], compare_rungs);
    for (struct rung *rung = r->rungs; rung < r->rungs + r->count; rung++) {
        while (rung->column < r->columns && below[rung->column] > rung->first)
            rung->column++; /* to the first in which it touches no other */
        r->columns += rung->column == r->columns;
        below[rung->column] = rung->last + 1;
    }
}

/* Adds the slots that the ranks need after a step, in their order. */
static void
add_stage_spots(const struct stages *g, int step)
{
    const struct stage *stage = &g->stages[step];
    const struct rows *rows = &g->places->rows;

    for (int rank = rows->first; rank < rows->first + rows->count; rank++)
        for (int slot = 0, i = 0; slot < g->schedule->nslots; slot++)
            if (outlook_slot(g->places->outlook, step, rank, slot)->needed) {
                places_spot(g->places, step, rank, slot,
                            g->list[step].x + i % stage->a_row * stage->pitch,
                            places_row(g->places, rank) + i / stage->a_row,
                            stage->width);
                i++;
            }
}

/* Adds a line of a step from a rank's row to another's, along a rung. */
static void
add_road(const struct stages *g, int step, int a, int b, int group, int x)
{
    const struct column *c = &g->list[step];
    struct route *path = places_road(g->places, step, a, b, group);
    int from = places_row(g->places, a) + (g->lines - 1) / 2;
    int to = places_row(g->places, b) + (g->lines - 1) / 2;

    route_add(path, c->gap_x + 1, from);
    if (a != b) {
        route_add(path, x, from);
        route_add(path, x, to);
    }
    route_add(path, c->x - 2, to);
}

/* Adds the lines before a step's column: those of what ranks keep, and those of
 * its transfers. */
static void
add_roads(const struct stages *g, int step)
{
    const struct column *c = &g->list[step];
    int first = g->places->rows.first, end = first + g->places->rows.count;
    const struct rungs *rungs = &g->stages[step].rungs;
    int rung_x = c->gap_x + (c->x - c->gap_x - 1 - rungs->columns) / 2;
    size_t count;
    const struct transfer *t = schedule_transfers(g->schedule, step, &count);

    for (int rank = first; rank < end; rank++)
        if (outlook_needs(g->places->outlook, step - 1, rank) &&
            outlook_needs(g->places->outlook, step, rank))
            add_road(g, step, rank, rank, 0, 0);
    for (; count > 0; count--, t++) {
        int i = 0;
        if (t->src == t->dst || least(t->src, t->dst) < first ||
            most(t->src, t->dst) >= end ||
            places_road_of(g->places, step, t) != NULL)
            continue;
        while (!(rungs->rungs[i].senders >> t->src & 1 &&
                 rungs->rungs[i].receivers >> t->dst & 1))
            i++;
        add_road(g, step, t->src, t->dst, 1 + i,
                 rung_x + rungs->rungs[i].column);
    }
}

/* How much heads say, the same for all columns. */
enum head { HEAD_ALL, HEAD_WHAT, HEAD_NUMBER, HEADS };

/* Says what a step does, in short: "2: to the next"; "2 apart", if all senders
 * and receivers are, round the ring of ranks; only its number if no short words
 * say it. */
static void
head_text(const struct schedule *s, int step, enum head form, struct buf *out)
{
    OWN(buf) what = {0};
    int nearest = s->nranks, farthest = 0;
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    for (size_t i = 0; i < count; i++) {
        int up = (t[i].dst - t[i].src + s->nranks) % s->nranks;
        if (up > 0)
            nearest = least(nearest, least(up, s->nranks - up));
        farthest = most(farthest, least(up, s->nranks - up));
    }
    if (step == 0)
        buf_puts(out, _("input"));
    else if (nearest == farthest && s->topology.kind == TOPOLOGY_RING)
        buf_puts(&what, _("to the next"));
    else if (nearest == farthest)
        buf_addf(&what, _("%d apart"), farthest);
    else if (schedule_step_is_local(s, step))
        buf_puts(&what, translated(s->steps[step - 1].phase));
    if (step > 0 && (form != HEAD_WHAT || what.length == 0))
        buf_addf(out, "%d", step);
    if (what.length > 0 && form != HEAD_NUMBER)
        buf_addf(out, "%s%s", form == HEAD_ALL ? ": " : "", buf_text(&what));
}

/* Adds the heads in a form, over their rungs, or farther to the right if the
 * one before it ends there.  Returns false if one is not over its column;
 * numbers may be anywhere. */
static bool
try_heads(const struct stages *g, int y, enum head form)
{
    int from = 0, first = g->columns.first, labels = g->places->nlabels;

    for (int step = first; step <= g->columns.end; step++) {
        const struct column *c = &g->list[step];
        OWN(buf) text = {0};
        struct label *label;
        if (step == 0 || step > first) /* else its rungs are not shown */
            head_text(g->schedule, step, form, &text);
        label = places_label(g->places, 0, y, "%s", buf_text(&text));
        label->at.x = most(step > first
                               ? (c->gap_x + c->x - label->width) / 2
                               : least(c->x, c->x + c->width - label->width),
                           from);
        from = label->at.x + label->width + 1;
        if (step > first && form != HEAD_NUMBER && from > c->x + c->width + 1) {
            g->places->nlabels = labels;
            return false;
        }
        if (step == g->places->step)
            label->pen = strong;
    }
    return true;
}

/* Adds the name of each phase over its columns, after that of the phase before
 * it, if it ends before column `end`. */
static void
add_phases(const struct stages *g, int y, int end)
{
    const struct step *steps = g->schedule->steps;
    int from = 0, first = g->columns.first, last;

    for (int step = most(first, 1); step <= g->columns.last; step = last + 1) {
        const char *phase = steps[step - 1].phase;
        const struct column *c = &g->list[step];
        int x = most(step > first ? c->gap_x + 1 : c->x, from);
        int width = utf8_columns(translated(phase));
        for (last = step; last < g->columns.last &&
                          strcmp(steps[last].phase, phase) == 0;)
            last++;
        c = &g->list[last];
        if (x + width <= end && x < c->x + c->width)
            from = x + 1 + places_label(g->places, x, y, "%s",
                                        translated(phase))->width;
    }
}

/* Places the slots of a rank in g->lines. */
static bool
place_in_lines(struct stages *g)
{
    struct places *p = g->places;
    const struct look *look = &p->look;
    int heads, now = p->step, columns_least = g->columns.count;
    int lines = places_rows(p) + g->lines - 1;

    if (g->lines > 1 && places_rows(p) > 1)
        return false;
    for (int step = 0; step < g->columns.count; step++) {
        struct outlook_most needed = g->places->outlook->most[step];
        struct stage *stage = &g->stages[step];
        struct column *column = &g->list[step];
        stage->a_row = most((needed.slots + g->lines - 1) / g->lines, 1);
        stage->width = places_columns(p, needed.parts);
        stage->pitch = stage->width + (look->marked || look->grow > 0);
        column->width = (stage->a_row - 1) * stage->pitch + stage->width;
        /* a line on either side of the rungs, the arrowhead, a mark */
        column->gap = most(stage->rungs.columns + 4 + look->gap_x / 4,
                           HEAD_LEAST - column->width);
    }
    if (p->partial) /* more columns are worth more than a large look */
        columns_least = look->form == BLOCK_BAR     ? 2 + (look->gap_x > 1)
                        : look->form == BLOCK_NAMES ? 6
                                                    : 4;
    if (!places_window(p, &g->columns, columns_least) ||
        (!places_ranks(p, g->columns.left, 2, lines, false) &&
         !places_ranks(p, g->columns.left, 1, lines, p->partial)))
        return false; /* without a row of phases, if need be */
    heads = p->rows.y - 1 - (p->rows.first > 0);
    for (int step = g->columns.first; step <= g->columns.end; step++) {
        add_stage_spots(g, step);
        if (step > g->columns.first)
            add_roads(g, step);
    }
    for (int form = 0; form < HEADS && !try_heads(g, heads, form); form++)
        ;
    if (heads > p->area.y)
        add_phases(g, heads - 1, p->area.x + p->area.width);
    places_edges(p, &g->columns, heads);
    if (now > g->columns.first &&
        g->stages[now].rungs.columns > RUNGS_LIT_MOST)
        p->crowded = true;
    return true;
}

/* Switches may make more ranks than the outlook has members. */
static bool
is_drawn(const struct places *p)
{
    return p->outlook != NULL && p->schedule->nsteps >= 1 &&
           p->schedule->nranks <= OUTLOOK_RANKS_MOST;
}

static bool
place_stages(struct places *p)
{
    const struct world *w = p->scene->world;
    struct stages *g = p->own;

    if (!is_drawn(p) || w->nsteps > STEPS_MOST)
        return false;
    p->history = true;
    if (g == NULL) {
        p->own = g = mem_new(1, sizeof *g);
        *g = (struct stages){.places = p, .schedule = p->schedule};
        g->columns = (struct columns){.list = g->list, .count = w->nsteps + 1,
                                      .air = AIR_MOST};
        for (int step = 1; step <= w->nsteps; step++)
            find_rungs(p->schedule, step, &g->stages[step].rungs);
    }
    for (g->lines = 1; g->lines <= p->area.height / p->schedule->nranks;
         g->lines++)
        if (place_in_lines(g))
            return true;
    return false;
}

const struct view view_stages = {
    .name = N_("stages"),
    .chosen_for = VIEW_OF(TOPOLOGY_ANY) | VIEW_OF(TOPOLOGY_BINOMIAL) |
                  VIEW_OF(TOPOLOGY_CUBE) | VIEW_OF(TOPOLOGY_STAR),
    .place = place_stages,
    .symbols = (const struct symbol[]){
        {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
        {"S", 0, N_("complete: the sum over all GPUs")},
        {NULL, GLYPH_RIGHT,
         N_("which way data moves, or may move, along a link")},
        {"+", 0, N_("the step added to what the GPU holds")},
        {"=", 0, N_("the step brought new data")},
        {"3/8", 0, N_("a sum with 3 of 8 contributions")},
        {NULL, GLYPH_SENDS, N_("the next step sends it")},
        {NULL, GLYPH_CUT, N_("dotted or faint: still to come")},
        {NULL, GLYPH_EMPTY, N_("an empty slot")},
        {"... +4", 0, N_("four more columns, for which there is no room")},
        {NULL, 0, NULL}},
};

/* Paths. */

enum {
    NODE_GAP = 2,    /* columns between nodes */
    NODE = 3,        /* columns of "x16" */
    NODE_AIR = 23,   /* columns added to a gap if there is room */
    STEPS_LEAST = 2, /* that must be shown */
    SEVERAL = -1
};

/* Data that moves together.  `of` is one more than its chunk, or than the rank
 * that it comes from; 0: no data. */
struct strand {
    int of;
    int slots, parts; /* contributions in the largest sum */
};

struct grid {
    struct places *places;
    struct columns columns; /* by step */
    bool chunks; /* strands are chunks, not ranks */
    bool sums;   /* nodes are named after the sums that ranks have */
};

/* Adds the data that a slot holds after a step to a strand. */
static void
join_strand(const struct grid *g, struct strand *strand, int step, int rank,
            int slot)
{
    const struct outlook_slot *data =
        outlook_slot(g->places->outlook, step, rank, slot);
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
add_strand_node(const struct grid *g, int step, int rank, struct strand strand)
{
    int n = g->places->schedule->nranks, one = strand.of - 1;
    bool past = step <= g->places->scene->world->position;
    bool sum = g->sums && strand.parts == n;
    enum role role =
        one >= 0 && !sum && !g->chunks ? palette_origin(one) : ROLE_TEXT;
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
                         places_row(g->places, rank), "%s", name);
    if (past && sum)
        label->pen = (struct pen){.attrs = ATTR_REVERSE};
    else if (past && role != ROLE_TEXT)
        label->pen = (struct pen){palette_ink(role), role, ATTR_BOLD};
    else if (strand.of != 0)
        label->pen = (struct pen){.fg = role, .attrs = past ? ATTR_BOLD : 0};
}

/* Adds a step's transfers, what ranks keep in it, and the nodes after it. */
static void
add_step_strands(const struct grid *g, int step)
{
    struct places *p = g->places;
    const struct column *c = &g->columns.list[step];
    int n = p->schedule->nranks;
    struct strand roads[OUTLOOK_RANKS_MOST][OUTLOOK_RANKS_MOST] = {{{0}}};
    struct strand nodes[OUTLOOK_RANKS_MOST] = {{0}};
    bool crowded = places_is_crowded(p->schedule, step);
    size_t count;
    const struct transfer *t = schedule_transfers(p->schedule, step, &count);

    for (; count > 0; count--, t++)
        for (int k = 0; k < t->nslots && (t->src != t->dst || g->sums) &&
                        (!crowded || t->src == p->scene->selected) &&
                        !scene_fades_transfer(p->scene, step, t); k++) {
            if (t->src != t->dst)
                join_strand(g, &roads[t->src][t->dst], step - 1, t->src,
                            t->src_slot + k);
            join_strand(g, &nodes[t->dst], step - !g->sums,
                        g->sums ? t->dst : t->src,
                        (g->sums ? t->dst_slot : t->src_slot) + k);
        }
    for (int to = 0; to < n; to++) {
        for (int slot = 0; slot < p->schedule->nslots; slot++)
            if (outlook_slot(p->outlook, step - 1, to, slot)->needed &&
                outlook_slot(p->outlook, step, to, slot)->needed)
                join_strand(g, &roads[to][to], step - 1, to, slot);
        for (int from = 0; from < n; from++) {
            struct route *path;
            if (roads[from][to].of == 0)
                continue;
            path = places_road(p, step, from, to, 1);
            if (roads[from][to].of > 0 && !g->chunks)
                p->roads[p->nroads - 1].role =
                    palette_origin(roads[from][to].of - 1);
            route_add(path, c[-1].x + 1, places_row(p, from));
            route_add(path, c->x - 1, places_row(p, to));
        }
        add_strand_node(g, step, to, nodes[to]);
    }
}

static bool
place_paths(struct places *p)
{
    const struct schedule *s = p->schedule;
    struct grid g = {
        .places = p,
        .columns = {.list = p->own, .count = s->nsteps + 1, .air = NODE_AIR},
        .chunks = s->nchunks > 1 && (s->collective->reduces ||
                                     s->collective->input_at == AT_ROOT),
        .sums = s->nchunks == 1 && s->collective->reduces};
    struct columns *c = &g.columns;
    int heads;

    if (!is_drawn(p))
        return false;
    if (c->list == NULL)
        c->list = p->own = mem_new((size_t)c->count, sizeof *c->list);
    for (int step = 0; step <= s->nsteps; step++)
        c->list[step] = (struct column){.gap = NODE_GAP, .width = NODE};
    if (!places_window(p, c, 1 + STEPS_LEAST) ||
        !places_ranks(p, c->left, 1, places_rows(p), false))
        return false;
    heads = p->rows.y - 1;
    if (c->first == 0)
        places_label(p, c->left, heads, _("step"));
    for (int rank = 0; rank < s->nranks; rank++)
        add_strand_node(&g, c->first, rank, (struct strand){0});
    for (int step = c->first + 1; step <= c->end; step++) {
        places_label(p, c->list[step].x, heads, "%d", step)->pen.fg =
            step == p->step ? ROLE_CURRENT : ROLE_QUIET;
        add_step_strands(&g, step);
    }
    places_edges(p, c, heads);
    return true;
}

const struct view view_paths = {
    .name = N_("paths"),
    .place = place_paths,
    .symbols = (const struct symbol[]){
        {"o", 0, N_("a GPU after a step")},
        {NULL, GLYPH_RIGHT, N_("which way data moves, in its GPU's colour")},
        {"2, B", 0, N_("chunk 2, or GPU 1's data, has arrived")},
        {"3/8", 0, N_("a sum with 3 of 8 contributions")},
        {"S", 0, N_("complete: the sum over all GPUs")},
        {"x4", 0, N_("four slots of different data have arrived")},
        {"... +4", 0, N_("four more columns, for which there is no room")},
        {NULL, GLYPH_LOST,
         N_("what was dropped, where it should have arrived")},
        {NULL, 0, NULL}},
};
