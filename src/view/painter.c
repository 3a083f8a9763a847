/* SPDX-License-Identifier: MIT */
/* The painter draws places (view/places.h).  It is the only code that knows
 * what a slot looks like: as it is at a step, taking in data, wrong, lacking
 * data, asked about, followed, still to come; and what data looks like on its
 * way.
 *
 *     ╭─ GPU 0 ─────────╮      0  the slot's number
 *     │0  A0            │      +  this step added to the slot
 *     │1+ A1+C1         │      =  this step replaced its data
 *     │2  A2           ›│      ›  the next step sends it
 *     ╰─────────────────╯      !  it is wrong
 *
 * If there are several hosts, the upper line also names the rank's host.  A
 * road that carries data in the scene's step is thick, with an arrowhead at the
 * receiver; roads of steps that are still to come are dotted.  If all ranks
 * send to all others, only what the selected rank sends is drawn so. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "schedule/program.h"
#include "text/sum.h"
#include "text/text.h"
#include "text/word.h"
#include "view/places.h"

/* The data that goes along a road in the scene's step, in one direction. */
struct load {
    const struct transfer *first;
    const struct road *road; /* NULL: straight from a spot to a spot */
    struct route way;
    enum glyph head; /* at its end */
    int slot;   /* of the first transfer */
    int nslots; /* of all transfers */
    bool apart; /* they are not consecutive */
    double progress; /* of the slowest transfer */
    bool landed;
    bool lost;     /* it was dropped, and would have arrived by now */
    bool joined;   /* lost, and other data has arrived at its arrowhead */
    bool followed; /* nothing is followed, or it is in there */
    struct rect name; /* its area, once it is drawn */
};

struct painter {
    const struct places *places;
    const struct scene *scene;
    struct canvas *canvas;
    const struct holdup *held; /* what holds the run up; NULL: nothing */
    char *marks; /* [rank * nslots + slot]: what a step did to it; 0: nothing */
    struct load *loads;
    int nloads;
};

/* Boxes and labels. */

/* The name and the frame of a rank that holds others up stand out. */
static struct pen
rank_pen(const struct painter *p, int rank, struct pen other)
{
    if (p->held == NULL || !p->held->ranks[rank].is_cause)
        return other;
    return p->held->forever ? warning : bright;
}

/* Draws the name of a rank, or only its number if there is no room, and at the
 * right end of the frame's upper line that of its host, if there are several
 * hosts and there is room for both. */
static void
draw_rank_name(const struct painter *p, int rank, struct rect box)
{
    const struct run_info *run = p->scene->world->run;
    const struct schedule *schedule = p->places->schedule;
    bool framed = p->places->look.framed;
    bool selected = rank == p->scene->selected;
    struct pen pen = rank_pen(p, rank, selected ? strong : plain);
    int room = box.width - (framed ? 2 : 0), width;
    int at = schedule_host(schedule, &run->hosts, rank);
    struct word name = word_rank_name(schedule, rank);
    char host[RUN_NAME_MAX] = "";

    width = utf8_columns(name.text);
    if (p->places->look.aside)
        room = p->places->box.left - 1;
    if (!framed || width + 4 > room) {
        if (width > room && rank < schedule_members(schedule))
            snprintf(name.text, sizeof name.text, "%d", rank);
        else if (width > room) /* short for switch */
            snprintf(name.text, sizeof name.text, "%s", _("sw"));
        width = utf8_columns(name.text);
        if (selected && !framed)
            pen.attrs |= ATTR_UNDERLINE;
        canvas_puts_within(p->canvas,
                           box.x + (p->places->look.aside
                                        ? room - width
                                        : (box.width - width) / 2),
                           box.y, room, name.text, pen);
        return;
    }
    canvas_putf(p->canvas, box.x + 2, box.y, pen, " %s ", name.text);
    if (p->places->framed.gpus > 0 || run->nplaces <= 1)
        return;
    if (at >= 0 && run->hosts.gpus > 0)
        snprintf(host, sizeof host, _("host %d"), at);
    else if (run->hosts.gpus == 0 && run->place == PLACE_HOST)
        run_host_name(run, rank, host);
    if (host[0] != '\0' && utf8_columns(host) + width + 9 <= box.width)
        canvas_putf(p->canvas, box.x + box.width - 4 - utf8_columns(host),
                    box.y, quiet, " %s ", host);
}

/* The badge is on the lower line of the frame, or at the end of the name.  If
 * the schedule is not in place, the lower line also names the columns of slots,
 * where there is room for both names. */
static void
draw_box(const struct painter *p, int rank)
{
    const struct places *g = p->places;
    const struct schedule *s = g->schedule;
    struct rect box = g->boxes[rank];
    int y = box.y + box.height - 1, end = box.x + box.width - 1;
    const struct spot *in = places_find_spot(
        g, g->step, rank, schedule_input(s, rank).first);
    const struct spot *out = places_find_spot(
        g, g->step, rank, schedule_output(s, rank).first);

    canvas_clear(p->canvas, box);
    if (!g->look.framed) {
        draw_rank_name(p, rank, box);
        badge_draw(p->held, rank, p->canvas,
                   (struct point){box.x + box.width, box.y}, 1);
        return;
    }
    glyph_frame(p->canvas, box, rank >= schedule_members(s),
                rank_pen(p, rank, rank == p->scene->selected ? plain : quiet));
    draw_rank_name(p, rank, box);
    if (!s->in_place && g->look.marked && in != NULL && out != NULL &&
        out->x >= in->x + utf8_columns(_(" input ")) &&
        out->x + utf8_columns(_(" output ")) <= end) {
        canvas_puts(p->canvas, in->x, y, _(" input "), quiet);
        canvas_puts(p->canvas, out->x, y, _(" output "), quiet);
    }
    badge_draw(p->held, rank, p->canvas, (struct point){box.x + 1, y},
               box.width - 2);
}

/* Draws the labels of frames, together with the frames, or all others. */
static void
draw_place_labels(const struct painter *p, bool frames)
{
    for (int i = 0; i < p->places->nlabels; i++) {
        const struct label *l = &p->places->labels[i];
        bool selected = l->rank == p->scene->selected;
        if ((l->frame.width > 0) != frames)
            continue;
        if (frames) {
            glyph_frame(p->canvas, l->frame, false, l->pen);
            canvas_fill(p->canvas, l->at.x - 1, l->at.y, l->width + 2, ' ',
                        l->pen);
        }
        canvas_puts(p->canvas, l->at.x, l->at.y, l->text,
                    l->rank < 0 ? l->pen
                                : rank_pen(p, l->rank,
                                           selected ? strong : quiet));
        if (l->rank >= 0)
            badge_draw(p->held, l->rank, p->canvas,
                       (struct point){l->at.x + l->width, l->at.y}, 1);
    }
}

/* Slots. */

static struct block
block_at(const struct painter *p, const struct spot *spot, const uint64_t *row)
{
    return (struct block){.world = p->scene->world, .row = row,
                          .form = p->places->look.form,
                          .width = spot->width,
                          .height = p->places->look.height,
                          .knows_chunk = p->places->knows_chunk};
}

/* The columns that a block takes, measured outside the canvas. */
static int
measure_block(const struct painter *p, const struct block *b)
{
    return block_draw(b, p->canvas, p->canvas->columns, 0);
}

/* Whether a slot of a step holds what the schedule says. */
static bool
is_expected(const struct painter *p, int step, const struct spot *spot,
            const uint64_t *row)
{
    const struct outlook_slot *data;
    const struct ledger_entry *entries = (const struct ledger_entry *)row;

    if (spot->step == SCENE_NOW)
        return true;
    data = outlook_slot(p->places->outlook, step, spot->rank, spot->slot);
    for (int i = 0; i < p->places->schedule->nranks; i++) {
        bool expected = data->ranks >> i & 1;
        if (entries[i].times != expected ||
            (expected && entries[i].chunk != data->chunk))
            return false;
    }
    return true;
}

/* Draws what a slot holds after a step, and what the step did to it. */
static void
draw_slot(const struct painter *p, int step, const struct spot *spot,
          const uint64_t *row, char mark)
{
    static const uint64_t nothing[LEDGER_WORDS_MAX + 1];
    const struct places *g = p->places;
    struct region in = schedule_input(g->schedule, spot->rank);
    struct region out = schedule_output(g->schedule, spot->rank);
    struct block block = block_at(p, spot, row);

    if (world_is_wrong(p->scene->world, step, spot->rank, spot->slot) ||
        !is_expected(p, step, spot, row))
        mark = '!';
    else if (mark == 0)
        mark = ' ';
    block.changed = mark != ' ' && step == g->step;
    block.wrong = mark == '!' && !g->look.marked;
    block.lost = scene_lost(p->scene, step, spot->rank, spot->slot, row);
    if (block.lost.ranks != 0 && spot->step != SCENE_NOW &&
        block.lost.ranks == outlook_slot(g->outlook, step, spot->rank,
                                         spot->slot)->ranks)
        block.row = nothing; /* what was there before does not belong there */
    block.faint = block.trace =
        scene_fades(p->scene, step, spot->rank, spot->slot);
    if (p->scene->trail != NULL) /* without colour, a highlight shows it */
        block.changed = !block.faint;
    if (g->has_boxes && g->box.index_width > 0) {
        int first = g->schedule->in_place        ? 0
                    : region_has(out, spot->slot) ? out.first
                    : region_has(in, spot->slot)  ? in.first
                                                  : 0;
        canvas_putf(p->canvas, spot->x - 1 - g->box.index_width, spot->y,
                    quiet, "%*d", g->box.index_width, spot->slot - first);
    }
    if (g->look.marked)
        canvas_put(p->canvas, spot->x - 1, spot->y, (unsigned char)mark,
                   mark == '!'       ? warning
                   : step < g->step ? quiet
                                     : bright);
    for (int i = 0; i < g->look.height; i++)
        canvas_fill(p->canvas, spot->x, spot->y + i, spot->width, ' ', plain);
    block_draw(&block, p->canvas, spot->x, spot->y);
    if (g->look.values)
        block_draw_values(&block, p->canvas, spot->x,
                          spot->y + g->look.height);
}

/* Draws what a slot is expected to hold after a step, or to have held in the
 * beginning; without colour that would look as if it were still there. */
static void
draw_expected(const struct painter *p, int step, const struct spot *spot)
{
    const struct schedule *s = p->places->schedule;
    const struct outlook_slot *slot =
        outlook_slot(p->places->outlook, spot->ghost ? 0 : step,
                     spot->rank, spot->slot);
    uint64_t row[LEDGER_WORDS_MAX + 1] = {0};
    struct ledger_entry *entries = (struct ledger_entry *)row;
    struct block block = block_at(p, spot, row);
    int id = s->longest;

    for (int rank = s->nranks - 1; rank >= 0; rank--)
        if (slot->ranks >> rank & 1) {
            entries[rank] = (struct ledger_entry){1, slot->chunk};
            if (slot->chunk != OUTLOOK_MIXED)
                id = schedule_id(s, rank, slot->chunk);
        }
    row[ledger_words(s->nranks)] = (uint64_t)schedule_chunk_length(
        s, p->scene->world->run->count, id);
    block.trace = true;
    block.faint = p->scene->trail == NULL ||
                  scene_fades(p->scene, step, spot->rank, spot->slot);
    if (spot->ghost && p->canvas->colourless)
        canvas_glyph(p->canvas, spot->x + (spot->width - 1) / 2, spot->y,
                     GLYPH_EMPTY, quiet);
    else
        block_draw(&block, p->canvas, spot->x, spot->y);
}

static char *
mark_of(const struct painter *p, int rank, int slot)
{
    return &p->marks[(size_t)rank * (size_t)p->places->schedule->nslots +
                     (size_t)slot];
}

/* Notes what a step did to slots; the scene's step, as far as it is done. */
static void
note_marks(const struct painter *p, int step)
{
    const struct places *g = p->places;
    const struct scene *scene = p->scene;
    bool last = step == g->step, flies = last && scene->step > 0;
    size_t count;
    const struct transfer *t = schedule_transfers(g->schedule, step, &count);

    memset(p->marks, 0,
           (size_t)g->schedule->nranks * (size_t)g->schedule->nslots);
    if (!last && (step > g->step || !g->history))
        return;
    for (size_t i = 0; i < count; i++, t++) {
        bool wrong = last && world_fault(scene->world, step, t) != FAULT_NONE;
        const struct event *e =
            flies && i < scene->nflights && flight_landed(&scene->flights[i])
                ? scene->flights[i].event : NULL;
        int first = e != NULL ? e->dst_slot : t->dst_slot;
        int nslots = e != NULL ? e->nslots : t->nslots;
        if (flies && (e == NULL || e->content == NULL))
            continue;
        for (int k = 0; k < nslots; k++)
            *mark_of(p, t->dst, first + k) =
                wrong ? '!' : t->op == TRANSFER_REDUCE ? '+' : '=';
    }
}

#define FLASH_FROM 0.25 /* of what is left of the landing */

/* Makes those cells of a block hollow and underlined that show contributions of
 * a row. */
static void
hollow_parts(const struct painter *p, const struct spot *spot,
             const uint64_t *row)
{
    bool has[HUES] = {false};
    struct sum sum;

    sum_of(p->scene->world, row, &sum);
    for (int i = 0; i < sum.nparts; i++)
        has[sum.parts[i].rank % HUES] = true;
    for (int i = 0; i < spot->width * p->places->look.height; i++) {
        struct cell *cell = canvas_at(p->canvas, spot->x + i % spot->width,
                                      spot->y + i / spot->width);
        if (cell != NULL && cell->pen.bg >= ROLE_ORIGIN &&
            (cell->pen.attrs & ATTR_AREA) == 0 &&
            has[cell->pen.bg - ROLE_ORIGIN])
            cell->pen = (struct pen){.fg = cell->pen.bg,
                                     .attrs = ATTR_BOLD | ATTR_UNDERLINE};
    }
}

/* A slot takes in the data that has just arrived.  Data that is added is hollow
 * at first, at its place in the sum, and a complete sum flashes.  Data that
 * replaces something pushes it out to the right.  So the two differ without
 * colour.
 *
 *     added        ▐B1▌      A1▐B1▌      ▐A1▌B1▌
 *     replaced     ▐B1▌      A1▌▐B1      ▐A1▌▐      ▐A1▌
 */
static void
draw_landing(const struct painter *p, const struct spot *spot,
             const struct landing *l)
{
    struct block after, before;
    struct canvas both = {.glyphs = p->canvas->glyphs,
                          .colourless = p->canvas->colourless};
    int from, chunk;

    after = before = block_at(p, spot, l->after);
    before.row = l->before;
    after.changed = true;
    if (!l->adds) { /* the two side by side, of which a part is seen */
        from = (int)(l->left * spot->width + 0.5);
        canvas_resize(&both, 2 * spot->width, 1);
        block_draw(&after, &both, 0, 0);
        block_draw(&before, &both, spot->width, 0);
        for (int i = 0; i < spot->width; i++)
            canvas_put(p->canvas, spot->x + i, spot->y,
                       both.cells[from + i].code, both.cells[from + i].pen);
        canvas_done(&both);
    } else if (!world_is_sum(p->scene->world, l->after, &chunk)) {
        hollow_parts(p, spot, l->brought);
    } else if (l->left <= FLASH_FROM) {
        after.trace = true;
        canvas_fill(p->canvas, spot->x, spot->y, spot->width, ' ', plain);
        block_draw(&after, p->canvas, spot->x, spot->y);
    }
}

/* Draws the slots, step by step.  A step in flight may already have changed
 * some slots of the present. */
static void
draw_spots(const struct painter *p)
{
    const struct places *g = p->places;

    for (int i = 0; i < g->nspots; i++) {
        const struct spot *spot = &g->spots[i];
        const uint64_t *row =
            scene_row(p->scene, spot->step, spot->rank, spot->slot);
        bool now = spot->step == SCENE_NOW;
        struct landing l;
        int step = now ? p->scene->world->position : spot->step;
        char mark;
        if (i == 0 || spot->step != spot[-1].step)
            note_marks(p, now ? g->step : step);
        mark = *mark_of(p, spot->rank, spot->slot);
        if (spot->gone)
            continue;
        if (row == NULL || spot->ghost)
            draw_expected(p, step, spot);
        else
            draw_slot(p, now && mark != 0 ? g->step : step, spot, row,
                      spot->plain ? 0 : mark);
        if ((now || spot->step == p->scene->step) && !spot->ghost &&
            row != world_row(p->scene->world, spot->rank, spot->slot) &&
            p->scene->trail == NULL && /* else that is highlighted */
            scene_landing(p->scene, spot->rank, spot->slot, &l))
            draw_landing(p, spot, &l);
    }
}

/* Marks what the next step sends to another rank. */
static void
draw_next(const struct painter *p)
{
    const struct world *w = p->scene->world;
    size_t count;
    const struct transfer *t =
        schedule_transfers(w->schedule, w->position + 1, &count);

    if (!p->places->look.marked || p->scene->step > 0 ||
        (p->places->has_boxes && !p->places->look.framed))
        return; /* between boxes it would look like an arrow */
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots && t[i].src != t[i].dst; k++) {
            const struct spot *spot =
                places_find_spot(p->places, w->position, t[i].src,
                                 t[i].src_slot + k);
            if (spot != NULL)
                canvas_glyph(p->canvas, spot->x + spot->width, spot->y,
                             GLYPH_SENDS, strong);
        }
}

/* Underlines the slot that a lesson asks about, between two arrowheads. */
static void
draw_asked(const struct painter *p)
{
    int rank, slot;
    const struct spot *spot =
        scene_asks_about(p->scene, &rank, &slot)
            ? places_find_spot(p->places, p->places->step, rank, slot) : NULL;

    if (spot == NULL)
        return;
    if (!p->places->look.marked) {
        for (int i = 0; i < spot->width; i++) {
            struct cell *cell = canvas_at(p->canvas, spot->x + i, spot->y);
            if (cell != NULL)
                cell->pen.attrs ^= ATTR_REVERSE;
        }
        return;
    }
    canvas_glyph(p->canvas, spot->x - 1, spot->y, GLYPH_RIGHT, bright);
    canvas_glyph(p->canvas, spot->x + spot->width, spot->y, GLYPH_LEFT, bright);
    canvas_underline(p->canvas,
                     (struct rect){spot->x - 1, spot->y, spot->width + 2,
                                   p->places->look.height});
}

/* Roads, and the data on them. */

/* The straight way of slot `k` of a transfer between two spots, if the places
 * have both. */
static bool
way_between(const struct places *p, const struct transfer *t, int k,
            struct route *way)
{
    const struct spot *a = places_find_spot(p, p->step - 1, t->src,
                                            t->src_slot + k);
    const struct spot *b =
        places_find_spot(p, p->step, t->dst, t->dst_slot + k);

    *way = (struct route){0};
    if (p->has_boxes || a == NULL || b == NULL || a->step == SCENE_NOW ||
        b->step == SCENE_NOW || (a->x == b->x && a->y == b->y))
        return false;
    route_add(way, a->x + a->width / 2, a->y);
    route_add(way, b->x + b->width / 2, b->y);
    return true;
}

/* Collects the loads of the scene's step: each slot of a transfer is added to
 * the load that goes along the same road, or is a load of its own. */
static void
collect_loads(struct painter *p)
{
    const struct places *g = p->places;
    const struct scene *s = p->scene;
    size_t count, room = 0;
    const struct transfer *t = schedule_transfers(g->schedule, g->step, &count);

    for (size_t i = 0; i < count; i++, t++) {
        const struct flight *f =
            s->step > 0 && i < s->nflights ? &s->flights[i] : NULL;
        const struct road *road =
            t->src == t->dst ? NULL : places_road_of(g, g->step, t);
        struct load load = {
            .first = t, .road = road, .nslots = 1,
            .progress = f != NULL && f->event != NULL ? f->progress : 0,
            .landed = f != NULL && flight_landed(f),
            .lost = scene_fault_arrived(s, i) == FAULT_DROP,
            .followed = !scene_fades_transfer(s, g->step, t)};
        for (int k = 0;
             k < t->nslots && (!g->crowded || t->src == s->selected); k++) {
            int at = road != NULL ? 0 : p->nloads;
            load.slot = t->src_slot + k;
            while (at < p->nloads && (p->loads[at].road != road ||
                                      p->loads[at].first->src != t->src))
                at++;
            if (at < p->nloads) {
                struct load *sum = &p->loads[at];
                sum->apart |= load.slot != sum->slot + sum->nslots;
                sum->nslots++;
                sum->progress = fmin(sum->progress, load.progress);
                sum->landed &= load.landed;
                sum->lost |= load.lost;
                sum->followed |= load.followed;
                continue;
            }
            if (road != NULL)
                load.way = route_between(&road->path, road->a != t->src,
                                         g->has_boxes, &load.head);
            else if (!way_between(g, t, k, &load.way))
                continue;
            p->loads = mem_grow(p->loads, (size_t)p->nloads, &room,
                                sizeof *p->loads);
            p->loads[p->nloads++] = load;
        }
    }
    for (int i = 0; i < p->nloads; i++)
        for (int k = 0; p->loads[i].lost && k < p->nloads; k++) {
            struct point head = route_end(&p->loads[i].way);
            struct point other = route_end(&p->loads[k].way);
            p->loads[i].joined |= !p->loads[k].lost && other.x == head.x &&
                                  other.y == head.y;
        }
}

/* Whether the data that is followed goes along a road of one step. */
static bool
is_followed(const struct painter *p, const struct road *road)
{
    const struct transfer *t;
    size_t count;

    if (p->scene->trail == NULL || road->step == 0 || road->a == road->b)
        return false;
    t = schedule_transfers(p->places->schedule, road->step, &count);
    for (size_t i = 0; i < count; i++)
        if (t[i].src == road->a && t[i].dst == road->b &&
            trail_carries(p->scene->trail, road->step, &t[i]))
            return true;
    return false;
}

/* Each of two trees has its own colour; otherwise idle roads are quiet. */
static enum role
role_of(const struct places *p, const struct road *road, bool busy)
{
    if (road->role != ROLE_TEXT)
        return road->role;
    if (p->schedule->topology.kind == TOPOLOGY_TREES && road->a != road->b)
        return ROLE_TREE + (road->part != 0);
    return busy ? ROLE_TEXT : ROLE_QUIET;
}

/* Draws the roads; those that carry data hide others. */
static void
draw_lines(const struct painter *p)
{
    const struct places *g = p->places;
    struct wires wires;

    wires_init(&wires, p->canvas);
    wires.joins = !g->has_boxes;
    for (int kept = 1; kept >= 0; kept--) { /* what ranks keep comes first */
        for (int i = 0; i < g->nroads; i++) {
            const struct road *road = &g->roads[i];
            bool followed = is_followed(p, road);
            if ((road->a == road->b) == kept)
                wires_add(&wires, &road->path, road->group,
                          followed               ? WIRE_THICK
                          : road->step > g->step ? WIRE_DOTTED
                                                 : WIRE_THIN,
                          role_of(g, road, followed));
        }
        for (int i = 0; i < p->nloads && kept; i++) {
            const struct load *l = &p->loads[i];
            if (l->road != NULL)
                wires_add(&wires, &l->road->path, l->road->group,
                          l->followed ? WIRE_THICK : WIRE_THIN,
                          role_of(g, l->road, l->followed));
        }
    }
    wires_draw(&wires, p->canvas);
}

/* Data that was lost is struck out at its arrowhead, or at its name if other
 * data has arrived there. */
static void
draw_arrowheads(const struct painter *p)
{
    for (int i = 0; i < p->places->nroads; i++) {
        const struct road *road = &p->places->roads[i];
        struct point at = route_end(&road->path);
        if (road->step > 0 && road->a != road->b)
            canvas_glyph(p->canvas, at.x, at.y, route_arrowhead(&road->path),
                         road->role != ROLE_TEXT
                             ? (struct pen){.fg = road->role} : quiet);
    }
    for (int i = 0; i < p->nloads; i++) {
        const struct load *load = &p->loads[i];
        struct point at = route_end(&load->way);
        bool lost = load->lost && !load->joined;
        if (load->road != NULL)
            canvas_glyph(p->canvas, at.x, at.y, lost ? GLYPH_LOST : load->head,
                         lost ? warning
                         : load->followed
                             ? (struct pen){.fg = load->road->role} : quiet);
    }
}

/* Whether an area covers no box and no arrowhead, and is so many columns away
 * from other names. */
static bool
is_uncovered(const struct painter *p, struct rect r, int away)
{
    struct rect around = {r.x - away, r.y, r.width + 2 * away, r.height};
    struct rect area = p->places->area;

    if (r.x < area.x || r.x + r.width > area.x + area.width)
        return false;
    for (int i = 0; i < p->nloads; i++)
        if ((p->loads[i].road != NULL &&
             rect_contains(r, route_end(&p->loads[i].way))) ||
            rect_overlaps(around, p->loads[i].name))
            return false;
    for (int rank = 0; rank < p->places->schedule->nranks; rank++)
        if (rect_overlaps(r, p->places->boxes[rank]))
            return false;
    return true;
}

/* Whether `row` has the same ranks' data as `first`, `k` chunks later. */
static bool
is_chunk_after(const struct world *w, const uint64_t *first,
               const uint64_t *row, int k)
{
    struct sum a, b;

    sum_of(w, first, &a);
    sum_of(w, row, &b);
    if (a.chunk < 0 || b.chunk != a.chunk + k || b.count != a.count ||
        b.nparts != a.nparts || a.faulty || b.faulty)
        return false;
    for (int i = 0; i < a.nparts; i++)
        if (a.parts[i].rank != b.parts[i].rank)
            return false;
    return true;
}

/* The block of data on a road, which has more room than a small slot; `at` is
 * the position at which the sender holds it. */
static struct block
block_of_load(const struct painter *p, const struct load *load, int at)
{
    const struct schedule *s = p->places->schedule;
    const struct world *w = p->scene->world;
    int src = load->first->src;
    enum block_form form = p->places->look.form;
    struct block b = {.world = w, .row = world_row_at(w, src, load->slot, at),
                      .snug = true, .changed = true, .chunks = load->nslots,
                      .others = load->apart,
                      .form = form > BLOCK_LETTERS || load->nslots > 1
                                  ? BLOCK_LETTERS : form};

    for (int k = 1; k < load->nslots && !b.others; k++)
        b.others = !is_chunk_after(
            w, b.row, world_row_at(w, src, load->slot + k, at), k);
    b.width = block_columns(s, b.form, s->nranks, false) + 2 +
              block_range_columns(&b);
    return b;
}

/* Draws the name of the data that moved along a road, while nothing moves, in
 * at most `columns`: in the middle of the road or, if others have that place,
 * nearer to one end; in a fan of roads, before the way turns towards the
 * receiver.  Returns false if there is no free place for it. */
static bool
draw_name(const struct painter *p, struct load *load, int columns)
{
    static const double places[] = {0.5, 0.35, 0.25, 0.65, 0.15, 0.8, 0};
    const struct world *w = p->scene->world;
    struct block block = block_of_load(p, load, w->position - 1);
    int name, width;

    block.trace = true;
    if (block.width > columns)
        block.width = columns;
    name = measure_block(p, &block);
    if (name == 0) /* its name has no room: the road is thick */
        return false;
    width = name + load->joined;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct point at = route_at(&load->way, places[i], width);
        struct rect r;
        if (p->places->crowded && i == 0) {
            at = load->way.points[most(load->way.count - 2, 0)];
            at.x += at.x > load->way.points[0].x ? -width - 1 : 2;
        }
        r = (struct rect){at.x, at.y, width, 1};
        if (!is_uncovered(p, r, 1))
            continue;
        block_draw(&block, p->canvas, at.x, at.y);
        if (load->joined)
            canvas_glyph(p->canvas, at.x + width - 1, at.y, GLYPH_LOST,
                         warning);
        load->name = r;
        return true;
    }
    return false;
}

/* Draws the block on its way. Between boxes side by side there may be room for
 * only a part of it. */
static void
draw_flight(const struct painter *p, struct load *load)
{
    const struct point *points = load->way.points;
    struct block block = block_of_load(p, load, p->scene->world->position);
    int room = abs(route_end(&load->way).x - points[0].x) + 1, width;
    bool level = load->way.count == 2 && points[1].y == points[0].y;
    struct point at;

    if (run_leaves_host(p->scene->world->run, p->places->schedule,
                        load->first->src, load->first->dst))
        room = most(room - 2, 1); /* for the mark, before or behind the block */
    if (level && block.width > room)
        block.width = room;
    block.faint = block.trace = !load->followed;
    width = measure_block(p, &block);
    room = p->places->area.x + p->places->area.width - width;
    at = route_at(&load->way, load->progress, width);
    at.x = within(at.x, p->places->area.x, room);
    block_draw(&block, p->canvas, at.x, at.y);
    load->name = (struct rect){at.x, at.y, width, 1};
}

/* Whether a label of the places stands there. */
static bool
is_labelled(const struct places *g, struct point at)
{
    for (int i = 0; i < g->nlabels; i++) {
        const struct label *l = &g->labels[i];
        if (rect_contains((struct rect){l->at.x, l->at.y, l->width, 1}, at))
            return true;
    }
    return false;
}

/* Puts ~ on a road between hosts, at the first cell that no data, arrowhead or
 * label covers; if there is none, one column beside the road. */
static void
mark_leaving(const struct painter *p, const struct road *road)
{
    enum glyph head;
    struct route way = route_between(&road->path, false, p->places->has_boxes,
                                     &head);

    for (int beside = 0; beside < 2; beside++)
        for (int k = -1; k <= 32; k++) {
            struct point at = route_at(&way, k < 0 ? 0.2 : k / 32.0, 1);
            struct rect r = {at.x + beside, at.y, 1, 1};
            if (is_uncovered(p, r, 0) &&
                !is_labelled(p->places, (struct point){r.x, r.y})) {
                canvas_put(p->canvas, r.x, r.y, '~', plain);
                return;
            }
        }
}

void
painter_draw(const struct places *g, struct canvas *c)
{
    static const int widths[] = {24, 14, 8, 6, 5, 4, 2}; /* of names on roads */
    struct painter p = {.places = g, .scene = g->scene, .canvas = c};
    bool flies = g->scene->step > 0;
    struct holdup held;

    p.held = holdup_of(g->scene, &held) ? &held : NULL;
    p.marks = mem_new((size_t)g->schedule->nranks,
                      (size_t)g->schedule->nslots);
    collect_loads(&p);
    draw_place_labels(&p, true);
    draw_lines(&p);
    draw_arrowheads(&p);
    for (int i = 0; i < p.nloads && g->has_boxes && !flies; i++)
        for (size_t k = 0; k < sizeof widths / sizeof widths[0]; k++)
            if (!p.loads[i].followed || p.loads[i].road == NULL ||
                draw_name(&p, &p.loads[i], widths[k]))
                break;
    for (int rank = 0; rank < g->schedule->nranks && g->has_boxes; rank++)
        draw_box(&p, rank);
    draw_place_labels(&p, false);
    draw_spots(&p);
    draw_next(&p);
    for (int i = 0; i < p.nloads && flies; i++)
        if (!p.loads[i].landed)
            draw_flight(&p, &p.loads[i]);
    for (int i = 0; i < g->nroads; i++)
        if (g->roads[i].step == 0 &&
            run_leaves_host(g->scene->world->run, g->schedule, g->roads[i].a,
                            g->roads[i].b))
            mark_leaving(&p, &g->roads[i]);
    draw_asked(&p);
    places_add_targets(g, c);
    free(p.marks);
    free(p.loads);
}
