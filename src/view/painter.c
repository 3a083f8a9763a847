/* SPDX-License-Identifier: MIT */
#include "view/painter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/badge.h"
#include "draw/landing.h"
#include "model/moment.h"
#include "text/text.h"
#include "view/roads.h"

struct painter {
    const struct places *places;
    const struct scene *scene;
    struct canvas *canvas;
    struct holdup held; /* all zero: nothing holds the run up */
    char *marks; /* [rank * nslots + slot]: what a step did; 0: nothing */
};

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD},
                        warning = {.fg = ROLE_WARNING, .attrs = ATTR_BOLD},
                        bright = {.fg = ROLE_CURRENT, .attrs = ATTR_BOLD};

static char *
mark_of(const struct painter *p, int rank, int slot)
{
    return &p->marks[(size_t)rank * (size_t)p->places->schedule->nslots +
                     (size_t)slot];
}

/* The name and the frame of a rank that holds others up stand out. */
static struct pen
pen_of(const struct painter *p, int rank, struct pen other)
{
    if (rank >= HOLDUP_RANKS_MOST || !p->held.ranks[rank].guilty)
        return other;
    return p->held.forever ? warning : bright;
}

/* Draws only the rank's number if there is no room for its name. */
static void
draw_title(const struct painter *p, int rank, struct rect box)
{
    bool framed = p->places->look.framed;
    bool selected = rank == p->scene->selected;
    struct pen pen = pen_of(p, rank, selected ? strong : plain);
    int room = box.width - (framed ? 4 : 0);
    char name[SCENE_NAME_MAX], title[SCENE_NAME_MAX + 2];

    scene_rank_name(rank, name);
    if (framed && utf8_columns(name) + 2 <= room) {
        snprintf(title, sizeof title, " %s ", name);
        canvas_puts(p->canvas, box.x + 2, box.y, title, pen);
        return;
    }
    room = box.width - (framed ? 2 : 0);
    if (utf8_columns(name) > room)
        snprintf(name, sizeof name, "%d", rank);
    if (selected && !framed)
        pen.attrs |= ATTR_UNDERLINE;
    canvas_puts_within(p->canvas,
                       box.x + (box.width - utf8_columns(name)) / 2, box.y,
                       room, name, pen);
}

/* Draws the name of the rank's host at the right end of the frame's upper line,
 * if there are several hosts and there is room beside the rank's name. */
static void
draw_host(const struct painter *p, int rank, struct rect box)
{
    const struct run_info *run = p->scene->world->run;
    const char *device = text_device(run, rank);
    char name[SCENE_NAME_MAX], host[RUN_NAME_MAX + 2];
    int width;

    if (run->place != PLACE_HOST || run->nplaces < 2)
        return;
    scene_rank_name(rank, name);
    snprintf(host, sizeof host, " %.*s ", run_host_length(device), device);
    width = utf8_columns(host);
    if (width + utf8_columns(name) + 2 + 5 <= box.width)
        canvas_puts(p->canvas, box.x + box.width - 2 - width, box.y, host,
                    quiet);
}

/* If the schedule is not in place, names the columns of slots in a frame that
 * is wide enough. */
static void
draw_regions(const struct painter *p, int rank, struct rect box)
{
    const struct schedule *s = p->places->schedule;
    const struct spot *in = places_find_spot(
        p->places, PLACES_NOW, rank, schedule_input(s, rank).first);
    const struct spot *out = places_find_spot(
        p->places, PLACES_NOW, rank, schedule_output(s, rank).first);
    int y = box.y + box.height - 1, end = box.x + box.width - 1;

    if (s->in_place || !p->places->look.framed || !p->places->look.marked ||
        in == NULL || out == NULL || in->x == out->x ||
        out->x + utf8_columns(_(" output ")) > end)
        return;
    canvas_puts(p->canvas, in->x, y, _(" input "), quiet);
    canvas_puts(p->canvas, out->x, y, _(" output "), quiet);
}

static void
draw_box(const struct painter *p, int rank)
{
    struct rect box = p->places->boxes[rank];

    canvas_clear(p->canvas, box);
    if (p->places->look.framed)
        glyph_frame(p->canvas, p->scene->glyphs, box,
                    pen_of(p, rank,
                           rank == p->scene->selected ? plain : quiet));
    draw_title(p, rank, box);
    if (p->places->look.framed)
        draw_host(p, rank, box);
    draw_regions(p, rank, box);
}

/* Draws the badge of a rank in a run that is held up on the lower line of its
 * frame; without a frame, at the end of its name. */
static void
draw_badges(const struct painter *p)
{
    const struct places *g = p->places;

    for (int rank = 0; rank < g->schedule->nranks && g->has_boxes; rank++) {
        struct rect box = g->boxes[rank];
        struct point at = {box.x + box.width, box.y};
        if (g->look.framed)
            at = (struct point){box.x + 1, box.y + box.height - 1};
        badge_draw(&p->held, rank, p->scene->glyphs, p->canvas, at,
                   g->look.framed ? box.width - 2 : 1);
    }
    for (int i = 0; i < g->nlabels; i++) {
        const struct label *label = &g->labels[i];
        struct point at = {label->at.x + label->width, label->at.y};
        if (label->rank >= 0)
            badge_draw(&p->held, label->rank, p->scene->glyphs, p->canvas, at,
                       1);
    }
}

static void
draw_labels(const struct painter *p)
{
    for (int i = 0; i < p->places->nlabels; i++) {
        const struct label *label = &p->places->labels[i];
        canvas_puts(p->canvas, label->at.x, label->at.y, label->text,
                    label->rank < 0
                        ? label->pen
                        : pen_of(p, label->rank,
                                 label->rank == p->scene->selected ? strong
                                                                   : quiet));
    }
}

static void
draw_frames(const struct painter *p)
{
    for (int i = 0; i < p->places->nframes; i++) {
        const struct frame *f = &p->places->frames[i];
        glyph_frame(p->canvas, p->scene->glyphs, f->area, quiet);
        canvas_fill(p->canvas, f->area.x + 2, f->area.y,
                    utf8_columns(f->text) + 2, ' ', quiet);
        canvas_puts(p->canvas, f->area.x + 3, f->area.y, f->text, quiet);
    }
}

/* The number of a slot within its region. */
static int
number_of(const struct schedule *s, int rank, int slot)
{
    struct region in = schedule_input(s, rank);
    struct region out = schedule_output(s, rank);

    if (s->in_place) /* both regions are the same buffer */
        return slot;
    if (region_has(out, slot))
        return slot - out.first;
    return region_has(in, slot) ? slot - in.first : slot;
}

/* The row of the ledger that a slot is expected to have after a step. */
static void
expected_row(const struct painter *p, int step, const struct spot *spot,
             uint64_t row[LEDGER_WORDS_MAX + 1])
{
    const struct schedule *s = p->places->schedule;
    const struct outlook_slot *slot = outlook_slot(
        p->scene->world->outlook, step, spot->rank, spot->slot);
    struct ledger_entry *entries = (struct ledger_entry *)row;
    int words = ledger_words(s->nranks);
    int chunk = slot->chunk == OUTLOOK_MIXED ? 0 : slot->chunk;

    memset(row, 0, (size_t)words * sizeof *row);
    for (int rank = 0; rank < s->nranks; rank++)
        if (slot->ranks >> rank & 1)
            entries[rank] = (struct ledger_entry){1, slot->chunk};
    row[words] = (uint64_t)schedule_chunk_length(
        s, p->scene->world->run->count, chunk);
}

static struct block
block_of(const struct painter *p, const struct spot *spot, const uint64_t *row)
{
    return (struct block){.world = p->scene->world, .row = row,
                          .glyphs = p->scene->glyphs,
                          .form = p->places->look.form,
                          .width = spot->width,
                          .height = p->places->look.height,
                          .colourless = p->scene->colourless,
                          .knows_chunk = spot->knows_chunk};
}

/* Whether nothing of what should be in a slot has arrived there: what it held
 * before does not belong there. */
static bool
lacks_all(const struct painter *p, int step, const struct spot *spot,
          struct lost lost)
{
    return lost.ranks != 0 && spot->step != PLACES_NOW &&
           lost.ranks == outlook_slot(p->scene->world->outlook, step,
                                      spot->rank, spot->slot)->ranks;
}

/* Whether a slot of a step holds what the schedule says. */
static bool
is_expected(const struct painter *p, int step, const struct spot *spot,
            const uint64_t *row)
{
    const struct outlook_slot *data;
    const struct ledger_entry *entries = (const struct ledger_entry *)row;

    if (spot->step == PLACES_NOW)
        return true;
    data = outlook_slot(p->scene->world->outlook, step, spot->rank,
                        spot->slot);
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
    struct block block = block_of(p, spot, row);

    if (world_is_wrong(p->scene->world, step, spot->rank, spot->slot) ||
        !is_expected(p, step, spot, row))
        mark = '!';
    else if (mark == 0)
        mark = ' ';
    block.changed = mark != ' ' && step == g->step;
    block.wrong = mark == '!' && !g->look.marked;
    block.lost = scene_lost(p->scene, step, spot->rank, spot->slot, row);
    if (lacks_all(p, step, spot, block.lost))
        block.row = nothing;
    block.faint = block.trace =
        scene_fades(p->scene, step, spot->rank, spot->slot);
    if (p->scene->trail != NULL) /* without colour, a highlight shows it */
        block.changed = !block.faint;
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

static void
draw_expected(const struct painter *p, int step, const struct spot *spot)
{
    uint64_t row[LEDGER_WORDS_MAX + 1];
    struct block block = block_of(p, spot, row);

    expected_row(p, spot->ghost ? 0 : step, spot, row);
    block.trace = true;
    block.faint = p->scene->trail == NULL ||
                  scene_fades(p->scene, step, spot->rank, spot->slot);
    block_draw(&block, p->canvas, spot->x, spot->y);
}

static void
set_mark(const void *painter, int rank, int slot, const uint64_t *row,
         char mark)
{
    const struct painter *p = painter;

    (void)row;
    *mark_of(p, rank, slot) = mark;
}

/* Notes what a step did to slots, in flight as far as it is done. */
static void
set_marks(const struct painter *p, int step)
{
    const struct schedule *s = p->places->schedule;
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    memset(p->marks, 0, (size_t)s->nranks * (size_t)s->nslots);
    if (step == p->places->step) {
        scene_each_change(p->scene, set_mark, p);
        return;
    }
    for (size_t i = 0;
         i < count && step < p->places->step && p->places->history; i++)
        for (int k = 0; k < t[i].nslots; k++)
            *mark_of(p, t[i].dst, t[i].dst_slot + k) =
                world_is_wrong(p->scene->world, step, t[i].dst,
                               t[i].dst_slot + k)  ? '!'
                : t[i].op == TRANSFER_REDUCE       ? '+'
                                                   : '=';
}

/* The first spot of a step or of a later one. */
static int
first_spot(const struct places *p, int step)
{
    int low = 0, high = p->nspots;

    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->spots[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Draws the spots of a moment. */
static void
draw_moment(const struct painter *p, const struct moment *m)
{
    const struct places *g = p->places;

    set_marks(p, m->step);
    for (int i = first_spot(g, m->step);
         i < g->nspots && g->spots[i].step == m->step; i++) {
        const struct spot *spot = &g->spots[i];
        const uint64_t *row = moment_row(m, spot->rank, spot->slot);
        if (spot->gone)
            continue;
        if (row == NULL || spot->ghost)
            draw_expected(p, m->step, spot);
        else
            draw_slot(p, m->step, spot, row,
                      spot->plain ? 0
                                  : *mark_of(p, spot->rank, spot->slot));
    }
}

static void
draw_past(const struct painter *p)
{
    const struct places *g = p->places;
    int first = g->spots[0].step;
    struct moment m;

    moment_init(&m, p->scene);
    while (m.step >= first) {
        draw_moment(p, &m);
        if (m.step == 0)
            break;
        moment_go_back(&m);
    }
    moment_done(&m);
}

static void
draw_ahead(const struct painter *p)
{
    const struct places *g = p->places;
    int last = g->spots[g->nspots - 1].step;
    struct moment m;

    moment_init(&m, p->scene);
    while (m.step < last) {
        if (m.step + 1 == p->scene->step)
            moment_fly(&m);
        else
            moment_look_ahead(&m);
        draw_moment(p, &m);
    }
    moment_done(&m);
}

static void
draw_change(const void *painter, int rank, int slot, const uint64_t *row,
            char mark)
{
    const struct painter *p = painter;
    const struct spot *spot =
        places_find_spot(p->places, PLACES_NOW, rank, slot);

    if (spot != NULL && spot->step == PLACES_NOW)
        draw_slot(p, p->places->step, spot, row, mark);
}

/* Draws the slots as they are at the scene's moment. */
static void
draw_now(const struct painter *p)
{
    const struct world *w = p->scene->world;

    for (int i = 0; i < p->places->nspots &&
                    p->places->spots[i].step == PLACES_NOW; i++) {
        const struct spot *spot = &p->places->spots[i];
        draw_slot(p, w->position, spot, world_row(w, spot->rank, spot->slot),
                  0);
    }
    scene_each_change(p->scene, draw_change, p);
}

/* Draws the slots' numbers in boxes. */
static void
draw_numbers(const struct painter *p)
{
    const struct places *g = p->places;
    int width = g->box.index_width;
    char text[16];

    for (int i = 0; i < g->nspots && g->has_boxes && width > 0; i++) {
        const struct spot *spot = &g->spots[i];
        snprintf(text, sizeof text, "%*d", width,
                 number_of(g->schedule, spot->rank, spot->slot));
        canvas_puts(p->canvas, spot->x - 1 - width, spot->y, text, quiet);
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
                canvas_put(p->canvas, spot->x + spot->width, spot->y,
                           glyph(p->scene->glyphs, GLYPH_SENDS), strong);
        }
}

static void
draw_landing(const void *painter, const struct landing *l)
{
    const struct painter *p = painter;
    const struct spot *spot =
        places_find_spot(p->places, p->scene->step, l->rank, l->slot);
    struct block block;

    if (p->scene->trail != NULL || spot == NULL || spot->gone)
        return; /* other things are highlighted */
    block = block_of(p, spot, l->after);
    block.changed = true;
    landing_draw(l, &block, p->canvas, (struct point){spot->x, spot->y});
}

/* Underlines the slot that a lesson asks about, between two arrowheads. */
static void
draw_asked(const struct painter *p)
{
    const struct spot *spot;
    int rank, slot;

    if (!scene_asks_about(p->scene, &rank, &slot))
        return;
    spot = places_find_spot(p->places, p->places->step, rank, slot);
    if (spot == NULL)
        return;
    if (!p->places->look.marked) {
        canvas_turn(p->canvas, (struct rect){spot->x, spot->y, spot->width,
                                             p->places->look.height});
        return;
    }
    canvas_put(p->canvas, spot->x - 1, spot->y,
               glyph(p->scene->glyphs, GLYPH_RIGHT), bright);
    canvas_put(p->canvas, spot->x + spot->width, spot->y,
               glyph(p->scene->glyphs, GLYPH_LEFT), bright);
    canvas_underline(p->canvas,
                     (struct rect){spot->x - 1, spot->y, spot->width + 2,
                                   p->places->look.height});
}

static void
draw_spots(const struct painter *p)
{
    const struct places *g = p->places;

    if (g->nspots == 0)
        return;
    if (g->spots[0].step == PLACES_NOW) {
        draw_now(p);
        return;
    }
    draw_past(p);
    draw_ahead(p);
}

void
painter_draw(const struct places *g, struct canvas *c, struct rect area)
{
    struct painter p = {.places = g, .scene = g->scene, .canvas = c};
    bool is_held = holdup_of(g->scene, &p.held);

    p.marks = mem_new((size_t)g->schedule->nranks *
                          (size_t)g->schedule->nslots, sizeof *p.marks);
    draw_frames(&p);
    roads_draw(g, c, area);
    for (int rank = 0; rank < g->schedule->nranks && g->has_boxes; rank++)
        draw_box(&p, rank);
    draw_numbers(&p);
    draw_labels(&p);
    if (is_held)
        draw_badges(&p);
    draw_spots(&p);
    draw_next(&p);
    scene_each_landing(g->scene, draw_landing, &p);
    roads_draw_flights(g, c);
    draw_asked(&p);
    free(p.marks);
}

/* Do not add a symbol: the help must fit on the smallest screen. */
const struct symbol painter_symbols[] = {
    {NULL, GLYPH_DONE,
     N_("a link in use; thin: not, or by another GPU; ~: between hosts")},
    {"A1 x2", 0, N_("on a link: A1 and one more slot move along it")},
    {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
    {"AC 1", 0, N_("with less room: A1+C1; 2/8 1: two of eight")},
    {"S1", 0, N_("chunk 1 complete: the sum over all GPUs")},
    {"+ =", 0, N_("this step added to the slot, replaced it")},
    {NULL, GLYPH_SENDS, N_("the next step sends it")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};
