/* SPDX-License-Identifier: MIT */
#include "view/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "text/word.h"

enum {
    COLUMNS_MOST = 16, /* of slots in a box */
    AIR_MOST = 16,
    CROWD_LEAST = 8,
    GROW_MOST = 40,
    SQUARE_LEAST = 16, /* slots of a box that stand as the ranks of a torus */
    VALUES_LEAST = 7, /* columns of values: "120 140" */
    HEIGHT_MOST = 2,
    WIDTH_LEAST = 3,
    ROWS_APART = 2, /* blank rows between ranks if there is room */
    BAR_WIDTHS = 2, /* a bar of colours is that wide, if it can be */
    NAMES_GAP = 2,
    LEFT_EDGE = 4, /* "... ", where columns are left out */
};

/* The looks that are tried, the best first. */
static const struct look looks[] = {
    {BLOCK_NAMES, true, true, false, false, 1, 2, 8, 3},
    {BLOCK_NAMES, true, true, false, false, 1, 0, 6, 2},
    {BLOCK_LETTERS, true, true, false, false, 1, 0, 8, 3},
    {BLOCK_LETTERS, true, true, false, false, 1, 0, 6, 2},
    {BLOCK_COUNT, true, true, false, false, 1, 0, 6, 2},
    {BLOCK_COUNT, true, true, false, false, 1, 0, 4, 1},
    {BLOCK_LETTERS, false, true, false, false, 1, 0, 4, 2},
    {BLOCK_COUNT, false, true, false, false, 1, 0, 4, 2},
    {BLOCK_BAR, true, false, false, false, 1, BAR_WIDTHS, 4, 2},
    {BLOCK_BAR, true, false, false, false, 1, 1, 4, 2},
    {BLOCK_BAR, true, false, false, false, 1, BAR_WIDTHS, 4, 1},
    {BLOCK_BAR, false, false, false, false, 1, BAR_WIDTHS, 4, 2},
    {BLOCK_BAR, true, false, false, false, 1, 0, 4, 2},
    {BLOCK_BAR, false, false, false, true, 1, 0, 8, 1},
    {BLOCK_BAR, false, false, false, false, 1, 1, 2, 1},
    {BLOCK_BAR, false, false, false, false, 1, 0, 2, 1},
    {BLOCK_BAR, false, false, false, false, 1, 0, 1, 1},
};

#define LOOKS (sizeof looks / sizeof looks[0])

bool
places_spread(int count, int size, int gap, int room, int *pitch, int *first)
{
    int air = count > 1 ? (room - count * size) / (count - 1) : 0;

    if (count * size + (count - 1) * gap > room)
        return false;
    air = least(air, most(size, AIR_MOST));
    *pitch = size + air;
    *first = (room - (count * *pitch - air)) / 2;
    return true;
}

int
places_columns(const struct places *p, int parts)
{
    return block_columns(p->schedule, p->look.form, parts, p->knows_chunk) +
           p->look.grow;
}

int
places_rows(const struct places *p)
{
    return p->look.height + p->look.values;
}

void
places_box(struct places *p, int rank, int x, int y)
{
    p->boxes[rank] = (struct rect){x, y, p->box.width, p->box.height};
}

struct route *
places_road(struct places *p, int step, int a, int b, int group)
{
    p->roads = mem_grow(p->roads, (size_t)p->nroads, &p->roads_room,
                        sizeof *p->roads);
    p->roads[p->nroads] = (struct road){
        .step = (int16_t)step, .a = (int16_t)a, .b = (int16_t)b,
        .group = (int16_t)group};
    return &p->roads[p->nroads++].path;
}

/* The point at which a straight line from another point meets a box. */
static struct point
point_on_side(struct rect box, struct point from)
{
    if (from.x < box.x || from.x >= box.x + box.width)
        return (struct point){from.x < box.x ? box.x : box.x + box.width - 1,
                              from.y};
    return (struct point){from.x,
                          from.y < box.y ? box.y : box.y + box.height - 1};
}

void
places_link(struct places *p, int a, int b, int group,
            const struct point *corners, int count)
{
    struct route *path = places_road(p, 0, a, b, group);
    struct point at = point_on_side(p->boxes[a], corners[0]);
    struct point end = point_on_side(p->boxes[b], corners[count - 1]);

    route_add(path, at.x, at.y);
    for (int i = 0; i < count; i++) {
        struct point corner = corners[i];
        struct point next = i + 1 < count ? corners[i + 1] : end;
        if ((at.x == corner.x && corner.x == next.x) ||
            (at.y == corner.y && corner.y == next.y))
            continue;
        route_add(path, corner.x, corner.y);
        at = corner;
    }
    route_add(path, end.x, end.y);
}

void
places_arch(struct places *p, int a, int b, int group, int y, int a_aside,
            int b_aside)
{
    int middle = p->box.width / 2;
    struct point corners[] = {{p->boxes[a].x + middle + a_aside, y},
                              {p->boxes[b].x + middle + b_aside, y}};

    places_link(p, a, b, group, corners, 2);
}

struct point
places_middle(const struct places *p, int a, int b)
{
    const struct rect *from = &p->boxes[a], *to = &p->boxes[b];

    return (struct point){(from->x + to->x + p->box.width) / 2,
                          (from->y + to->y + p->box.height) / 2};
}

struct spot *
places_spot(struct places *p, int step, int rank, int slot, int x, int y,
            int width)
{
    p->spots = mem_grow(p->spots, (size_t)p->nspots, &p->spots_room,
                        sizeof *p->spots);
    p->spots[p->nspots] = (struct spot){
        .step = (int16_t)step, .rank = (int16_t)rank, .slot = (int16_t)slot,
        .x = (int16_t)x, .y = (int16_t)y, .width = (int16_t)width};
    return &p->spots[p->nspots++];
}

struct label *
places_label(struct places *p, int x, int y, const char *format, ...)
{
    OWN(buf) text = {0};
    struct label *label;
    va_list args;

    va_start(args, format);
    buf_vaddf(&text, format, args);
    va_end(args);
    p->labels = mem_grow(p->labels, (size_t)p->nlabels, &p->labels_room,
                         sizeof *p->labels);
    label = &p->labels[p->nlabels++];
    *label = (struct label){.at = {x, y}, .rank = -1, .pen = quiet};
    utf8_clean(label->text, sizeof label->text, buf_text(&text));
    label->width = utf8_columns(label->text);
    return label;
}

int
places_every(int pitch, int last)
{
    return snprintf(NULL, 0, "%d", last) / pitch + 1;
}

int
places_heads(struct places *p, int x, int y, int pitch, int count)
{
    int every = places_every(pitch, count - 1), end = x;

    for (int i = 0; i < count; i += every) {
        int at = x + i * pitch;
        if (at + snprintf(NULL, 0, "%d", i) > p->area.x + p->area.width)
            break;
        end = at + places_label(p, at, y, "%d", i)->width;
    }
    return end;
}

int
places_row(const struct places *p, int rank)
{
    return p->rows.y + (rank - p->rows.first) * p->rows.pitch;
}

bool
places_ranks(struct places *p, int x, int heads, int lines, bool windowed)
{
    int n = p->schedule->nranks, room = p->area.height - heads;
    struct rows *r = &p->rows;

    *r = (struct rows){.count = n};
    if (windowed && room < n && 4 * room >= 3 * n)
        r->count = room - 1;
    r->pitch = (room - lines) / (r->count - 1); /* there are two or more */
    if (r->pitch < lines + (lines > 1))
        return false;
    r->pitch = least(r->pitch, lines + ROWS_APART);
    r->first = p->scene->selected >= r->count ? n - r->count : 0;
    r->y = p->area.y + heads +
           (room - (r->count - 1) * r->pitch - lines) / 2 + (r->first > 0);
    for (int rank = r->first; rank < r->first + r->count; rank++) {
        places_label(p, x, places_row(p, rank), "%s",
                     word_rank_name(p->schedule, rank).text)->rank = rank;
        p->boxes[rank] = (struct rect){p->area.x, places_row(p, rank),
                                       p->area.width, r->pitch};
    }
    if (r->count < n)
        places_label(p, x, r->first > 0 ? r->y - 1 : places_row(p, r->count),
                     "... +%d", n - r->count);
    return true;
}

/* The width of some columns, or more than `room`. */
static int
span_width(const struct columns *c, int first, int last, int room)
{
    int width = c->list[first].width;

    for (int i = first + 1; i <= last && width <= room; i++)
        width += c->list[i].gap + c->list[i].width;
    return width;
}

bool
places_window(const struct places *p, struct columns *c, int least_shown)
{
    int names = word_rank_columns(p->schedule) + NAMES_GAP;
    int room = p->area.width - names;
    int end = c->count - 1, spare, gaps, air, x;
    bool all = span_width(c, 0, end, room) <= room;

    c->first = 0;
    c->last = all ? end : least(p->step + 1, end);
    if (!all) {
        room -= LEFT_EDGE + snprintf(NULL, 0, " ... +%d", c->count);
        for (int i = 0; i <= most(c->count - least_shown, 0); i++)
            if (span_width(c, i, least(i + least_shown - 1, end), room) > room)
                return false;
        while (span_width(c, c->first, c->last, room) > room)
            c->first++;
        while (c->last < end &&
               span_width(c, c->first, c->last + 1, room) <= room)
            c->last++;
    }
    spare = room - span_width(c, c->first, c->last, room);
    gaps = c->last - c->first;
    air = gaps > 0 ? least(spare / (gaps + c->margin), c->air) : 0;
    c->end = p->scene->taught ? least(p->step, c->last) : c->last;
    c->left = p->area.x + (spare - air * gaps) / 2;
    x = c->left + names + (all ? 0 : LEFT_EDGE);
    for (int i = c->first; i <= c->last; i++) {
        struct column *column = &c->list[i];
        column->gap_x = x;
        column->x = x + (i > c->first ? column->gap + air : 0);
        x = column->x + column->width;
    }
    return true;
}

void
places_edges(struct places *p, const struct columns *c, int y)
{
    const struct column *first = &c->list[c->first], *last = &c->list[c->last];
    int after = c->count - 1 - c->last, right = last->x + last->width + 1;

    if (c->first > 0)
        places_label(p, first->x - 1 - snprintf(NULL, 0, "+%d ...", c->first),
                     y, "+%d ...", c->first);
    if (after > 0 && p->scene->hides)
        places_label(p, right, y, "...");
    else if (after > 0)
        places_label(p, right, y, "... +%d", after);
}

/* Sets the size of a box with so many columns of slots. */
static void
measure_box(struct places *p, int columns)
{
    const struct schedule *s = p->schedule;
    int name = snprintf(NULL, 0, "%d", s->nranks - 1);
    int between = p->look.marked || p->look.grow > 0, inner;
    int apart = places_rows(p) > 1; /* blank rows between large blocks */
    struct box *b = &p->box;

    *b = (struct box){.slot_columns = columns};
    b->slot_rows = most((s->nslots + columns - 1) / columns, 1);
    if (p->has_boxes)
        p->knows_chunk = p->look.marked && p->slot_is_chunk;
    b->slot_width = places_columns(p, s->nranks);
    b->slot_height = places_rows(p) + apart;
    b->index_width =
        p->look.marked ? snprintf(NULL, 0, "%d", s->nslots - 1) : 0;
    b->slot_pitch = b->index_width + p->look.marked + b->slot_width + between;
    inner = columns * b->slot_pitch - (p->look.marked ? 0 : between);
    b->top = !p->look.aside;
    b->width = p->look.aside ? name + 1 + inner
                             : most(most(inner, name) + 2 * p->look.framed,
                                    WIDTH_LEAST);
    b->left = p->look.aside ? name + 1
                            : (b->width - inner) / 2 + b->index_width +
                                  p->look.marked;
    b->height = b->top + p->look.framed + b->slot_rows * b->slot_height -
                apart;
}

/* Whether names of data fit on the links between the first two boxes, which
 * frames make shorter. */
static bool
has_room_on_links(const struct places *p)
{
    enum { LINK_LEAST = 9 }; /* "━ACD 2-3▶" */
    struct rect first = p->boxes[0], next = p->boxes[1];

    return next.y != first.y || next.x - first.x - first.width >= LINK_LEAST;
}

/* Adds a frame round the boxes of each host, or node, unless two of them, or
 * other frames, overlap, or nodes would have no names on their links.  The name
 * covers roads. */
static bool
frame_hosts(struct places *p)
{
    const struct schedule *s = p->schedule;
    bool nodes = p->scene->world->run->hosts.gpus == 0;

    if (nodes && s->topology.switches == 0 && !has_room_on_links(p))
        return false;
    for (int first = 0; first < schedule_members(s); first += p->framed.gpus) {
        int host = hosts_at(&p->framed, first);
        struct rect frame = p->boxes[first];
        int right = frame.x, bottom = frame.y;
        for (int rank = first; rank < s->nranks; rank++) {
            struct rect box = p->boxes[rank];
            if (schedule_host(s, &p->framed, rank) != host)
                continue;
            frame.x = least(frame.x, box.x - 1);
            frame.y = least(frame.y, box.y - 1 - p->above);
            right = most(right, box.x + box.width + 1);
            bottom = most(bottom, box.y + box.height + 1 + p->below);
        }
        frame.width = right - frame.x;
        frame.height = bottom - frame.y;
        for (int i = 0; i < p->nlabels; i++)
            if (rect_overlaps(p->labels[i].frame, frame))
                return false;
        places_label(p, frame.x + 2, frame.y, "%s", "")->frame = frame;
        places_label(p, frame.x + 2, frame.y,
                     nodes ? _("node %d") : _("host %d"), host);
    }
    return true;
}

/* The hosts of a run that can have frames: boxes in a frame must stand
 * together. Nodes are hosts if there are no others. */
static struct hosts
hosts_to_frame(const struct places *p)
{
    const struct schedule *s = p->schedule;
    struct hosts hosts = p->scene->world->run->hosts;
    bool nodes = s->topology.kind == TOPOLOGY_NODES;

    if (nodes && (hosts.gpus == 0 || s->topology.switches == 0))
        hosts.gpus = s->topology.dims[1] * s->topology.dims[2];
    if (!p->has_boxes || hosts.turn + hosts.listed > 0 ||
        hosts.gpus >= schedule_members(s) ||
        (nodes && s->topology.switches == 0 && s->topology.dims[0] > 2))
        hosts.gpus = 0; /* links go round three rows, through frames */
    return hosts;
}

/* Lets the view fill in the places with the look that is tried. */
static bool
try_look(struct places *p)
{
    p->nspots = p->nroads = p->nlabels = p->above = p->below = 0;
    p->crowded = places_is_crowded(p->schedule, p->step);
    return p->view->place(p) && (p->framed.gpus == 0 || frame_hosts(p));
}

/* Tries boxes with few columns first, because slots one above the other are
 * easy to compare.  A box without marks beside its slots must be full.  Many
 * slots, one for each rank of a torus, stand as the ranks do. */
static bool
try_columns(struct places *p)
{
    int slots = p->schedule->nslots;
    int columns_most = p->has_boxes ? most(least(slots, COLUMNS_MOST), 1) : 1;
    const struct topology *t = &p->schedule->topology;
    int across = p->has_boxes && slots >= SQUARE_LEAST &&
                         t->kind == TOPOLOGY_TORUS && t->dims[2] == 1 &&
                         slots == t->dims[0] * t->dims[1]
                     ? t->dims[1]
                     : 0;

    for (int columns = 1; columns <= columns_most; columns++) {
        if ((!p->look.marked && slots % columns != 0) ||
            (p->look.marked && across > 0 && columns != across))
            continue;
        measure_box(p, columns);
        if (try_look(p))
            return true;
    }
    return false;
}

/* The ways in which a look can grow, in the order in which they are tried. */
enum growth { VALUES, TWO_ROWS, WIDER, NAMES, LETTERS, COUNT, GROWTHS };

/* Makes the look larger.  The space between boxes grows with the blocks; a form
 * that says more takes the columns that blocks have to spare.  Returns false if
 * the look cannot grow so. */
static bool
enlarge_look(struct places *p, enum growth growth)
{
    const struct schedule *s = p->schedule;
    enum block_form form = (enum block_form)(growth - NAMES);
    struct look *look = &p->look;

    switch (growth) {
    case VALUES:
        look->values = true;
        look->grow = most(look->grow,
                          VALUES_LEAST -
                              block_columns(s, look->form, 1, false));
        return look->form != BLOCK_BAR;
    case TWO_ROWS:
        look->height = HEIGHT_MOST;
        return look->form != BLOCK_BAR;
    case WIDER:
        look->grow += 2;
        look->gap_x += 2;
        return look->grow <= GROW_MOST;
    default:
        if (form >= look->form)
            return false;
        look->grow += block_columns(s, look->form, s->nranks, false) -
                      block_columns(s, form, s->nranks, false);
        look->form = form;
        return look->grow >= 0 && look->marked;
    }
}

/* Lets the slots take the room that is there, with the same columns of slots in
 * a box.  Leaves the places of the last look that fits. */
static void
grow_slots(struct places *p)
{
    int columns = p->box.slot_columns;
    bool fits = true;

    for (enum growth growth = VALUES; growth < GROWTHS;
         growth += !fits || growth != WIDER) {
        struct look before = p->look;
        fits = enlarge_look(p, growth);
        measure_box(p, columns);
        fits = fits && try_look(p);
        if (!fits)
            p->look = before;
    }
    measure_box(p, columns);
    if (!fits) /* what is there is of the last one tried */
        try_look(p);
}

/* Adds the spots of the slots in all boxes. */
static void
add_box_spots(struct places *p)
{
    const struct box *b = &p->box;

    for (int rank = 0; rank < p->schedule->nranks; rank++)
        for (int slot = 0; slot < p->schedule->nslots; slot++)
            places_spot(p, SCENE_NOW, rank, slot,
                        p->boxes[rank].x + b->left +
                            slot / b->slot_rows * b->slot_pitch,
                        p->boxes[rank].y + b->top +
                            slot % b->slot_rows * b->slot_height,
                        b->slot_width);
}

bool
places_find(struct places *p, const struct scene *s, struct rect area,
            const struct view *view, enum glyph_set glyphs)
{
    const struct schedule *schedule = s->world->schedule;
    size_t n = (size_t)schedule->nranks;
    bool boxes = view->topologies != 0;
    bool rows = schedule->topology.kind == TOPOLOGY_NODES &&
                schedule->topology.switches == 0; /* lose no names to frames */

    *p = (struct places){.view = view, .scene = s, .schedule = schedule,
                         .outlook = s->world->outlook, .area = area,
                         .glyphs = glyphs, .step = scene_step(s),
                         .has_boxes = boxes,
                         .slot_is_chunk =
                             schedule->in_place &&
                             schedule->nslots == schedule->nchunks};
    if (n < 2 || schedule_members(schedule) > HEAT_RANKS)
        return false;
    p->boxes = mem_new(n, sizeof *p->boxes);
    p->framed = hosts_to_frame(p);
    if (p->framed.gpus > 0)
        p->area = (struct rect){area.x + 1, area.y + 1, area.width - 2,
                                area.height - 2};
    for (size_t i = p->framed.gpus > 0 ? 0 : LOOKS; i < 3 * LOOKS; i++) {
        p->partial = i >= 2 * LOOKS;
        if (p->partial && boxes)
            return false;
        p->look = looks[i % LOOKS];
        if (i == LOOKS) {
            p->framed.gpus = 0;
            p->area = area;
        }
        if ((p->framed.gpus == 0 ||
             (p->look.framed && p->look.marked >= rows)) && try_columns(p)) {
            grow_slots(p);
            if (boxes)
                add_box_spots(p);
            return true;
        }
    }
    return false;
}

void
places_done(struct places *p)
{
    free(p->own);
    free(p->boxes);
    free(p->spots);
    free(p->roads);
    free(p->labels);
}

bool
places_is_crowded(const struct schedule *s, int step)
{
    size_t n = (size_t)s->nranks, count;

    schedule_transfers(s, step, &count);
    return n >= CROWD_LEAST && 2 * count >= n * (n - 1) &&
           2 * schedule_step_pairs(s, step) >= n * (n - 1);
}

const struct road *
places_road_of(const struct places *p, int step, const struct transfer *t)
{
    const struct road *found = NULL;
    int part = t->src_slot % p->schedule->pieces * 2 / p->schedule->pieces;
    int best = -1;

    for (int i = p->nroads; i-- > 0;) {
        const struct road *road = &p->roads[i];
        bool ahead = road->a == t->src && road->b == t->dst;
        bool back = road->a == t->dst && road->b == t->src;
        int grade = 2 * (road->part == part) + ahead;
        if (road->step > 0 && road->step < step)
            break;
        if ((road->step == 0 ? ahead || back : road->step == step && ahead) &&
            grade > best) {
            found = road;
            best = grade;
        }
    }
    return found;
}

const struct spot *
places_find_spot(const struct places *p, int step, int rank, int slot)
{
    for (int i = 0; i < p->nspots; i++) {
        const struct spot *s = &p->spots[i];
        if (s->rank == rank && s->slot == slot && !s->ghost &&
            (s->step == step || s->step == SCENE_NOW))
            return s;
    }
    return NULL;
}

void
places_add_targets(const struct places *p, struct canvas *c)
{
    for (int rank = 0; rank < p->schedule->nranks; rank++)
        canvas_target(c, p->boxes[rank], TARGET_RANK, rank, -1);
    for (int i = 0; i < p->nspots; i++) {
        const struct spot *s = &p->spots[i];
        struct rect block = {s->x, s->y, s->width, places_rows(p)};
        if ((s->step == p->step || s->step == SCENE_NOW) && !s->ghost)
            canvas_target(c, block, TARGET_RANK, s->rank, s->slot);
    }
}
