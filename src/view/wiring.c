/* SPDX-License-Identifier: MIT */
#include "view/wiring.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"
#include "draw/wires.h"

enum { COLUMNS_MOST = 16, AIR_MOST = 16, NAME_COLUMNS = 14 };

/* Ways to draw boxes, best first, and the least space between them. */
static const struct trial {
    enum block_form form;
    bool framed, tall, values;
    int slot_height, pad;
    int gap_x, gap_y;
} trials[] = {
    {BLOCK_WHOLE, true, true, true, 4, 3, 8, 3},
    {BLOCK_WHOLE, true, false, true, 2, 1, 8, 3},
    {BLOCK_WHOLE, true, true, true, 4, 0, 8, 3},
    {BLOCK_WHOLE, true, false, false, 1, 1, 8, 3},
    {BLOCK_WHOLE, true, false, false, 1, 0, 8, 3},
    {BLOCK_SHORT, true, false, false, 1, 0, 8, 3},
    {BLOCK_SHORT, true, false, false, 1, 0, 6, 2},
    {BLOCK_SHORT, false, false, false, 1, 0, 4, 2},
    {BLOCK_PAIR, true, false, false, 1, 1, 4, 2},
    {BLOCK_PAIR, false, false, false, 1, 1, 4, 2},
    {BLOCK_CELL, true, false, false, 1, 0, 4, 2},
    {BLOCK_PAIR, false, false, false, 1, 1, 2, 1},
    {BLOCK_PAIR, false, false, false, 1, 0, 1, 1},
    {BLOCK_CELL, false, false, false, 1, 0, 3, 2},
    {BLOCK_CELL, false, false, false, 1, 0, 2, 1},
    {BLOCK_CELL, false, false, false, 1, 0, 1, 1},
};

bool
wiring_spread(int count, int size, int gap, int room, int *pitch, int *first)
{
    int air = count > 1 ? (room - count * size) / (count - 1) : 0;

    if (count * size + (count - 1) * gap > room)
        return false;
    if (air > (size > AIR_MOST ? size : AIR_MOST))
        air = size > AIR_MOST ? size : AIR_MOST;
    *pitch = size + air;
    *first = (room - (count * *pitch - air)) / 2;
    return true;
}

struct rect
wiring_box(const struct wiring *w, int rank)
{
    return (struct rect){w->corners[rank].x, w->corners[rank].y, w->box.width,
                         w->box.height};
}

struct path *
wiring_link(struct wiring *w, int a, int b, int group)
{
    struct link *link = &w->links[w->nlinks++];

    assert(w->nlinks <= WIRING_LINKS_MOST);
    *link = (struct link){.a = a, .b = b, .group = group};
    return &link->path;
}

/* Tries boxes with few columns first, because slots one above the other are
 * easy to compare.  A box without marks beside its slots must be full. */
static bool
try_box(struct wiring *w, struct rect area, wiring_place *place)
{
    int most = w->box.nslots < COLUMNS_MOST ? w->box.nslots : COLUMNS_MOST;

    for (int columns = 1; columns <= most; columns++) {
        if (rank_box_is_compact(&w->box) && w->box.nslots % columns != 0)
            continue;
        w->box.slot_columns = columns;
        w->nlinks = 0;
        rank_box_measure(&w->box);
        if (place(w, area))
            return true;
    }
    return false;
}

bool
wiring_arrange(struct wiring *w, const struct scene *scene, struct rect area,
               wiring_place *place)
{
    const struct schedule *s = scene->world->schedule;

    if (s->nranks < 2 || s->nranks > WIRING_RANKS_MOST)
        return false;
    w->schedule = s;
    w->step = scene_step(scene);
    w->lanes[0] = w->lanes[1] = -1;
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        const struct trial *t = &trials[i];
        bool whole = t->form == BLOCK_WHOLE;
        w->box = (struct rank_box){
            .framed = t->framed, .nslots = s->nslots, .form = t->form,
            .slot_height = t->slot_height, .values = t->values, .pad = t->pad,
            .tall = t->tall,
            .name_width = snprintf(NULL, 0, "%d", s->nranks - 1),
            .index_width =
                whole ? snprintf(NULL, 0, "%d", s->nslots - 1) : 0,
            .slot_width = whole ? block_columns_whole(s, t->pad)
                          : t->form == BLOCK_SHORT ? block_columns_short(s)
                          : t->form == BLOCK_PAIR  ? block_columns_pair(s)
                                                   : 1};
        w->gap_x = t->gap_x;
        w->gap_y = t->gap_y;
        if (try_box(w, area, place))
            return true;
    }
    return false;
}

struct picture {
    const struct scene *scene;
    struct canvas *canvas;
    struct wiring *wiring;
    struct rank_boxes boxes;
    struct rect *taken; /* areas of the names on links */
    int ntaken;
};

/* The data that one rank sends to another along one link in a step. */
struct load {
    const struct transfer *first;
    int nslots;
    double progress; /* of the slowest transfer */
    bool landed;
};

/* The link for a transfer, or NULL. Of several links, prefers the one for the
 * transfer's part of the data, then the one in its direction. */
static const struct link *
link_of(const struct wiring *w, const struct transfer *t)
{
    const struct link *found = NULL;
    int part = t->src_slot % w->schedule->pieces * 2 / w->schedule->pieces;
    int best = -1;

    for (int i = 0; i < w->nlinks; i++) {
        const struct link *link = &w->links[i];
        bool ahead = link->a == t->src && link->b == t->dst;
        int grade = 2 * (link->part == part) + ahead;

        if (grade > best &&
            (ahead || (link->b == t->src && link->a == t->dst))) {
            found = link;
            best = grade;
        }
    }
    return found;
}

/* The path from `src` along the link, without its cells on the boxes. */
static struct path
way_of(const struct link *link, int src)
{
    struct path p = link->a == src ? link->path : path_reversed(&link->path);
    struct path way = {0};
    int last = p.count - 1;
    struct point *a = &p.points[0], *b = &p.points[last];

    a->x += (p.points[1].x > a->x) - (p.points[1].x < a->x);
    a->y += (p.points[1].y > a->y) - (p.points[1].y < a->y);
    b->x += (p.points[last - 1].x > b->x) - (p.points[last - 1].x < b->x);
    b->y += (p.points[last - 1].y > b->y) - (p.points[last - 1].y < b->y);
    for (int i = 0; i < p.count; i++)
        if (i == 0 || p.points[i].x != p.points[i - 1].x ||
            p.points[i].y != p.points[i - 1].y)
            path_add(&way, p.points[i].x, p.points[i].y);
    return way;
}

static bool
same_link(const struct wiring *w, const struct transfer *a,
          const struct transfer *b)
{
    return a->src == b->src && a->dst == b->dst &&
           link_of(w, a) == link_of(w, b);
}

/* Sets *loads to the loads of the scene's step, which the caller frees. Returns
 * their number. */
static int
find_loads(const struct picture *p, struct load **loads)
{
    const struct scene *s = p->scene;
    size_t ntransfers;
    const struct transfer *t =
        schedule_transfers(s->world->schedule, scene_step(s), &ntransfers);
    int count = 0;

    *loads = mem_new(ntransfers + 1, sizeof **loads);
    for (size_t i = 0; i < ntransfers; i++) {
        bool flies = s->step > 0 && i < s->nflights;
        bool landed = flies && flight_landed(&s->flights[i]);
        double progress = flies && s->flights[i].event != NULL
                              ? s->flights[i].progress
                              : 0;
        int k = 0;

        if (t[i].src == t[i].dst || link_of(p->wiring, &t[i]) == NULL)
            continue;
        while (k < count && !same_link(p->wiring, (*loads)[k].first, &t[i]))
            k++;
        if (k == count)
            (*loads)[count++] =
                (struct load){&t[i], t[i].nslots, progress, landed};
        else
            (*loads)[k] = (struct load){
                (*loads)[k].first, (*loads)[k].nslots + t[i].nslots,
                progress < (*loads)[k].progress ? progress
                                                : (*loads)[k].progress,
                landed && (*loads)[k].landed};
    }
    return count;
}

/* Each of two trees has its own colour; otherwise idle links are quiet. */
static enum role
role_of(const struct wiring *w, const struct link *link, bool busy)
{
    if (w->schedule->topology.kind == TOPOLOGY_TREES)
        return ROLE_TREE + (link->part != 0);
    return busy ? ROLE_TEXT : ROLE_QUIET;
}

/* Marks a link that leaves a host, where no name covers the mark. */
static void
mark_host(const struct picture *p, const struct link *link)
{
    struct point at = path_at(&link->path, 0.2, 1);

    if (run_leaves_host(p->scene->world->run, link->a, link->b))
        canvas_put(p->canvas, at.x, at.y, '~', (struct pen){0});
}

static void
draw_links(const struct picture *p, const struct load *loads, int nloads)
{
    const struct wiring *w = p->wiring;
    struct wires wires;

    wires_init(&wires, (struct rect){0, 0, p->canvas->columns,
                                     p->canvas->rows});
    for (int i = 0; i < nloads; i++) {
        const struct link *link = link_of(w, loads[i].first);
        wires_add(&wires, &link->path, link->group, true,
                  role_of(w, link, true));
    }
    for (int i = 0; i < w->nlinks; i++)
        wires_add(&wires, &w->links[i].path, w->links[i].group, false,
                  role_of(w, &w->links[i], false));
    wires_draw(&wires, p->canvas, p->scene->glyphs);
    wires_done(&wires);
    for (int i = 0; i < w->nlinks; i++)
        mark_host(p, &w->links[i]);
}

static void
draw_arrowheads(const struct picture *p, const struct load *loads, int nloads)
{
    for (int i = 0; i < nloads; i++) {
        const struct link *link = link_of(p->wiring, loads[i].first);
        struct path way = way_of(link, loads[i].first->src);
        struct rect box = wiring_box(p->wiring, loads[i].first->dst);
        struct point at = way.points[way.count - 1];
        enum glyph head = at.y < box.y                  ? GLYPH_DOWN
                          : at.y >= box.y + box.height ? GLYPH_UP
                          : at.x < box.x               ? GLYPH_RIGHT
                                                       : GLYPH_LEFT;
        canvas_put(p->canvas, at.x, at.y, glyph(p->scene->glyphs, head),
                   (struct pen){0});
    }
}


/* Whether an area covers no box, no other name and not the arrowhead. */
static bool
is_free(const struct picture *p, struct rect r, struct point head)
{
    if (r.x < 0 || r.x + r.width > p->canvas->columns ||
        rect_contains(r, head))
        return false;
    for (int i = 0; i < p->ntaken; i++)
        if (rect_overlaps(r, p->taken[i]))
            return false;
    for (int rank = 0; rank < p->wiring->schedule->nranks; rank++)
        if (rect_overlaps(r, wiring_box(p->wiring, rank)))
            return false;
    return true;
}

/* Draws the number of slots after a block. */
static void
draw_count(const struct picture *p, struct point at, int nslots)
{
    char text[16];

    snprintf(text, sizeof text, "x%d", nslots);
    canvas_puts(p->canvas, at.x, at.y, text, (struct pen){0});
}

static int
count_columns(int nslots)
{
    return nslots > 1 ? snprintf(NULL, 0, "x%d", nslots) : 0;
}

/* The block for a row. If the boxes show cells, the block has the short form:
 * a link has more room. */
static struct block
block_of(const struct picture *p, const uint64_t *row)
{
    struct block b = rank_boxes_block(&p->boxes, row);

    if (rank_box_is_compact(p->boxes.shape)) {
        b.form = BLOCK_SHORT;
        b.width = block_columns_short(p->wiring->schedule);
    }
    return b;
}

/* At rest, draws the name of the data that moved along a link, near the sender,
 * in at most `columns`. Returns false if there is no free place for it. */
static bool
draw_name(struct picture *p, const struct load *load, int columns)
{
    static const double places[] = {0.35, 0.25, 0.45, 0.15, 0.6, 0};
    const struct world *w = p->scene->world;
    const struct transfer *t = load->first;
    struct path way = way_of(link_of(p->wiring, t), t->src);
    struct point head = way.points[way.count - 1];
    struct block block = block_of(
        p, world_row_at(w, t->src, t->src_slot, w->position - 1));
    int width, more = count_columns(load->nslots);

    block.trace = true;
    if (columns > block.width)
        block.width = columns;
    width = block_draw(&block, NULL, 0, 0);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct point at = path_at(&way, places[i], width + more);
        struct rect r = {at.x, at.y, width + more, 1};
        if (!is_free(p, r, head))
            continue;
        block_draw(&block, p->canvas, at.x, at.y);
        if (more > 0)
            draw_count(p, (struct point){at.x + width, at.y}, load->nslots);
        p->taken[p->ntaken++] = r;
        return true;
    }
    return false;
}

/* In flight, draws the block on its way. Between boxes side by side there may
 * be room for only one cell. */
static void
draw_flight(const struct picture *p, const struct load *load)
{
    const struct transfer *t = load->first;
    struct path way = way_of(link_of(p->wiring, t), t->src);
    struct block block =
        block_of(p, world_row(p->scene->world, t->src, t->src_slot));
    int width = block_draw(&block, NULL, 0, 0);
    int more = count_columns(load->nslots);
    int room = abs(way.points[way.count - 1].x - way.points[0].x) + 1;
    bool level = way.points[way.count - 1].y == way.points[0].y;
    struct point at;

    if (way.count == 2 && level && width + more > room)
        more = 0;
    if (way.count == 2 && level && width > room) {
        block.form = BLOCK_CELL;
        width = 1;
    }
    at = path_at(&way, load->progress, width + more);
    block_draw(&block, p->canvas, at.x, at.y);
    if (more > 0)
        draw_count(p, (struct point){at.x + width, at.y}, load->nslots);
}

void
wiring_draw(const struct scene *s, struct canvas *c, struct rect area,
            wiring_place *place)
{
    struct wiring w;
    struct picture p = {.scene = s, .canvas = c, .wiring = &w};
    struct load *loads;
    int nloads;

    if (!wiring_arrange(&w, s, area, place))
        return;
    p.boxes = (struct rank_boxes){
        .scene = s, .canvas = c, .shape = &w.box, .corners = w.corners,
        .sums = scene_names_sums(s, scene_step(s))};
    nloads = find_loads(&p, &loads);
    p.taken = mem_new((size_t)nloads + 1, sizeof *p.taken);
    draw_links(&p, loads, nloads);
    draw_arrowheads(&p, loads, nloads);
    for (int i = 0; i < nloads && s->step == 0; i++)
        if (!draw_name(&p, &loads[i], NAME_COLUMNS))
            draw_name(&p, &loads[i], 0);
    rank_boxes_draw(&p.boxes);
    for (int i = 0; i < nloads && s->step > 0; i++)
        if (!loads[i].landed)
            draw_flight(&p, &loads[i]);
    free(p.taken);
    free(loads);
}

int
wiring_rank_at(const struct scene *s, struct rect area, struct point at,
               wiring_place *place)
{
    struct wiring w;

    if (!wiring_arrange(&w, s, area, place))
        return -1;
    return rank_box_at(&w.box, w.corners, s->world->schedule->nranks, at);
}

/* Do not add a symbol: the help must fit on the smallest screen. */
const struct symbol wiring_symbols[] = {
    {NULL, GLYPH_DONE,
     N_("a link in use in this step; thin: not in use; ~: between hosts")},
    {"A1 x2", 0, N_("on a link: A1 and one more slot move along it")},
    {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
    {"A1+C..F1", 0, N_("a sum of A, and of C to F; so are joined blocks")},
    {"S1", 0, N_("chunk 1 complete: the sum over all GPUs")},
    {NULL, GLYPH_LEVEL + 3,
     N_("a small slot: how full its sum is, then the chunk")},
    {"+ =", 0, N_("this step added to the slot, replaced it")},
    {NULL, GLYPH_SENDS, N_("the next step sends it")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};
