/* SPDX-License-Identifier: MIT */
/* The inspector: shows all facts about the slots of the selected rank, instead
 * of the picture.
 *
 *     ╭─ GPU 1 ──────────────────────────────────────────────────────────╮
 *     │  slot data            elements  bytes  first values   changed    │
 *     │     0 ▐B0▌C0▌                2    8 B  5 10           step 1     │
 *     │ ▶   1 ▐A1▌B1▌C1▌             2    8 B  18 24          step 2     │
 *     │                                                                  │
 *     │  order of addition: B1+(A1+C1)                                   │
 *     │  changed in step 2 by data from GPU 0, 12.3 ms after the start,  │
 *     ╰──────────────────────────────────────────────────────────────────╯
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/block.h"
#include "draw/glyph.h"
#include "draw/prose.h"
#include "model/order.h"
#include "schedule/program.h"
#include "text/text.h"
#include "text/word.h"
#include "view/view.h"

enum {
    ORDER_ROWS = 3, /* the most that the order of addition takes */
    DETAIL_ROWS = 1 + ORDER_ROWS + 1,
    DATA_LEAST = 12,
    NARROW = 72, /* columns; then the last line takes two rows */
};

enum column { SLOT, DATA, ELEMENTS, BYTES, VALUES, CHANGED, COLUMNS };
static const struct {
    const char *head;
    int gap, width; /* the gap is before it */
    bool right;     /* its text ends at the right */
} facts[COLUMNS] = {
    {N_("slot"), 2, 0, true},
    {N_("data"), 2, 0, false},
    {N_("elements"), 0, 9, true},
    {N_("bytes"), 0, 10, true},
    {N_("first values"), 2, 19, false},
    {N_("changed"), 1, 10, false},
};

struct inspector {
    const struct scene *scene;
    struct canvas *canvas;
    struct rect area; /* inside the frame */
    int rank, slot;
    int first, count;                 /* the slots shown, one in each row */
    int x[COLUMNS], width[COLUMNS];   /* width 0: there is no room for it */
};

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD};

/* "input 2" or "output 0"; just the number if the schedule is in place. */
static struct word
slot_name(const struct schedule *s, int rank, int slot)
{
    int scratch = slot - (s->nslots - s->scratch);
    struct region in = schedule_input(s, rank);
    struct region output = schedule_output(s, rank);
    const char *format = s->in_place                 ? "%d"
                         : region_has(output, slot) ? _("output %d")
                                                    : _("input %d");
    struct word name;

    if (scratch >= 0)
        snprintf(name.text, sizeof name.text, _("scratch %d"), scratch);
    else
        snprintf(name.text, sizeof name.text, format,
                 s->in_place                ? slot
                 : region_has(output, slot) ? slot - output.first
                                            : slot - in.first);
    return name;
}

/* Places the columns.  Where not all fit, those that say least are left out
 * first. */
static void
place_columns(struct inspector *i)
{
    static const enum column spare[] = {ELEMENTS, BYTES, CHANGED, VALUES};
    const struct schedule *s = i->scene->world->schedule;
    int whole = block_columns(s, BLOCK_NAMES, s->nranks, false);
    int room = i->area.width, x = i->area.x;

    i->width[SLOT] = utf8_columns(_("slot"));
    for (int slot = 0; slot < s->nslots; slot++) {
        int width = utf8_columns(slot_name(s, i->rank, slot).text);
        if (width > i->width[SLOT])
            i->width[SLOT] = width;
    }
    for (int k = 0; k < COLUMNS; k++) {
        if (k > DATA)
            i->width[k] = facts[k].width;
        room -= facts[k].gap + i->width[k];
    }
    for (int k = 0; k < COLUMNS - ELEMENTS && room < DATA_LEAST; k++) {
        i->width[spare[k]] = 0;
        room += facts[spare[k]].gap + facts[spare[k]].width;
    }
    whole = whole > DATA_LEAST ? whole : DATA_LEAST;
    i->width[DATA] = whole < room ? whole : room;
    for (int k = 0; k < COLUMNS; k++) {
        i->x[k] = x + facts[k].gap;
        x = i->width[k] > 0 ? i->x[k] + i->width[k] : x;
    }
}

static struct inspector
arrange(const struct scene *s, struct canvas *c, struct rect area)
{
    const struct schedule *p = s->world->schedule;
    struct inspector i = {.scene = s, .canvas = c};

    i.rank = s->selected < p->nranks ? s->selected : 0;
    i.slot = within(s->slot, 0, p->nslots - 1);
    i.area =
        (struct rect){area.x + 2, area.y + 1, area.width - 4, area.height - 2};
    i.count = within(i.area.height - 1 - DETAIL_ROWS -
                         (i.area.width < NARROW), 1, p->nslots);
    i.first = within(i.slot - i.count / 2, 0, p->nslots - i.count);
    place_columns(&i);
    return i;
}

/* Draws a text in a column, if there is room for the column. */
static void
put(const struct inspector *i, enum column k, int y, const char *text,
    struct pen pen)
{
    if (facts[k].right && i->width[k] > 0)
        canvas_puts_before(i->canvas, i->x[k] + i->width[k], y, text, pen);
    else
        canvas_puts_within(i->canvas, i->x[k], y, i->width[k], text, pen);
}

/* Returns, for every row, the event that changed its slot last, or NULL. The
 * caller frees the array. */
static const struct event **
find_changes(const struct inspector *i)
{
    const struct world *w = i->scene->world;
    const struct world_diary *diary = &w->diaries[i->rank];
    const struct event **found = mem_new((size_t)i->count, sizeof *found);
    /* The divisions of avg are shown with the last step. */
    int last = w->position == w->nsteps ? w->nsteps + 1 : w->position;

    for (size_t k = 0; k < diary->count; k++) {
        struct world_entry entry = diary->entries[k];
        const struct event *e = &w->steps[entry.step].events[entry.index];
        if (entry.step > last || e->dst != i->rank)
            continue;
        for (int row = 0; row < i->count; row++)
            if (i->first + row >= e->dst_slot &&
                i->first + row < e->dst_slot + e->nslots &&
                (found[row] == NULL || e->op == EVENT_DIVIDE ||
                 e->step >= found[row]->step))
                found[row] = e;
    }
    return found;
}

static void
draw_row(const struct inspector *i, int row, const struct event *change)
{
    const struct scene *s = i->scene;
    const struct world *w = s->world;
    int slot = i->first + row, y = i->area.y + 1 + row;
    struct pen pen = slot == i->slot ? strong : plain;
    int64_t length = world_length(w, i->rank, slot);
    int64_t bytes = length * (int64_t)dtype_size(w->run->type);
    const uint64_t *values = world_values(w, i->rank, slot);
    const uint64_t *data = world_row(w, i->rank, slot);
    struct block block = {
        .world = w,
        .row = data,
        .glyphs = s->glyphs,
        .form = BLOCK_NAMES,
        .width = i->width[DATA],
        .colourless = s->colourless,
        .lost = scene_lost(s, w->position, i->rank, slot, data),
    };
    struct buf text = {0};

    if (slot == i->slot)
        canvas_put(i->canvas, i->area.x, y, glyph(s->glyphs, GLYPH_RIGHT),
                   strong);
    put(i, SLOT, y, slot_name(w->schedule, i->rank, slot).text, pen);
    block_draw(&block, i->canvas, i->x[DATA], y);
    if (world_is_wrong(w, w->position, i->rank, slot))
        canvas_put(i->canvas, i->x[DATA] - 1, y, '!',
                   (struct pen){.fg = ROLE_WARNING, .attrs = ATTR_BOLD});
    buf_addf(&text, "%lld", (long long)length);
    put(i, ELEMENTS, y, buf_text(&text), pen);
    put(i, BYTES, y, word_bytes(bytes).text, pen);
    buf_clear(&text);
    for (int k = 0; k < EVENT_VALUES && k < length; k++) {
        char number[DTYPE_TEXT_MAX];
        dtype_format(w->run->type, &values[k], number);
        buf_addf(&text, "%s%s", k > 0 ? " " : "", number);
    }
    if (length > EVENT_VALUES)
        buf_puts(&text, " ...");
    put(i, VALUES, y, buf_text(&text), pen);
    buf_clear(&text);
    if (change != NULL)
        buf_addf(&text, _("step %d"), scene_step_of(s, change));
    put(i, CHANGED, y, change != NULL ? buf_text(&text) : "-", pen);
    buf_done(&text);
}

/* Draws the rank's name on the frame and, to the right, its device, and its
 * core if it is known. */
static void
draw_title(const struct inspector *i, struct rect area)
{
    const struct run_info *run = i->scene->world->run;
    const char *device = text_device(run, i->rank);
    int from = area.x + 2, end = area.x + area.width - 2, x;
    struct buf text = {0};

    from += canvas_putf(i->canvas, from, area.y, strong, " %s ",
                        word_rank(i->rank).text);
    if (device == NULL)
        return;
    buf_addf(&text, " %s", device);
    if (run->core_of[i->rank] >= 0)
        buf_addf(&text, _(", core %d"), run->core_of[i->rank]);
    buf_putc(&text, ' ');
    x = end - utf8_columns(buf_text(&text));
    x = x > from ? x : from;
    canvas_puts_within(i->canvas, x, area.y, end - x, buf_text(&text), quiet);
    buf_done(&text);
}

/* Draws the order in which the slot's sum was made. */
static void
draw_order(const struct inspector *i, struct rect area)
{
    struct buf text = {0};
    int columns;

    if (i->scene->world->schedule->nranks > LEDGER_RANKS) {
        buf_addf(&text, _("order of addition: shown for up to %d ranks"),
                 LEDGER_RANKS);
        canvas_puts_within(i->canvas, area.x, area.y, area.width,
                           buf_text(&text), quiet);
        buf_done(&text);
        return;
    }
    columns = canvas_puts(i->canvas, area.x, area.y, _("order of addition: "),
                          quiet);
    area.x += columns;
    area.width -= columns;
    order_text(i->scene->world, i->rank, i->slot,
               (size_t)(area.width * area.height - 3), &text);
    for (int k = 0; k < (int)text.length && k < area.width * area.height; k++)
        canvas_put(i->canvas, area.x + k % area.width,
                   area.y + k / area.width, (unsigned char)text.data[k],
                   strong);
    buf_done(&text);
}

/* Draws what changed the slot, and when; NULL: nothing so far. */
static void
draw_change(const struct inspector *i, struct rect area,
            const struct event *e)
{
    struct buf text = {0};

    if (e == NULL)
        buf_puts(&text, _("not changed so far"));
    else if (e->op == EVENT_DIVIDE)
        buf_addf(&text, _("divided by %1$d, %2$s after the start, in %3$s"),
                 i->scene->world->schedule->nranks,
                 word_ns(e->end_ns, false).text,
                 word_ns(e->end_ns - e->begin_ns, false).text);
    else if (e->fault == FAULT_DROP)
        buf_addf(&text, _("in step %1$d data from %2$s was to come, and was "
                          "dropped on purpose"),
                 e->step, word_rank(e->src).text);
    else
        buf_addf(&text,
                 _("changed in step %1$d by data from %2$s, %3$s after the "
                   "start, in %4$s"),
                 e->step, word_rank(e->src).text,
                 word_ns(e->end_ns, false).text,
                 word_ns(e->end_ns - e->begin_ns, false).text);
    prose_draw(i->canvas, area, buf_text(&text), plain, plain);
    buf_done(&text);
}

void
inspect_draw(const struct scene *s, struct canvas *c, struct rect area)
{
    struct inspector i = arrange(s, c, area);
    const struct event **changes = find_changes(&i);
    int y = i.area.y + 1 + i.count, rest = i.area.y + i.area.height - y;
    int end = area.x + area.width - 1;
    struct rect below = {i.area.x, y + (rest >= DETAIL_ROWS), i.area.width,
                         rest >= DETAIL_ROWS ? ORDER_ROWS : 1};

    canvas_clear(c, area);
    glyph_frame(c, s->glyphs, area, plain);
    draw_title(&i, area);
    for (int k = 0; k < COLUMNS; k++)
        put(&i, (enum column)k, i.area.y, _(facts[k].head), quiet);
    for (int row = 0; row < i.count; row++)
        draw_row(&i, row, changes[row]);
    if (i.first > 0)
        canvas_put(c, end, i.area.y + 1, glyph(s->glyphs, GLYPH_UP), strong);
    if (i.first + i.count < s->world->schedule->nslots)
        canvas_put(c, end, y - 1, glyph(s->glyphs, GLYPH_DOWN), strong);
    if (rest > 0)
        draw_order(&i, below);
    if (rest > below.height) {
        below.y += below.height;
        below.height = i.area.y + i.area.height - below.y;
        draw_change(&i, below, changes[i.slot - i.first]);
    }
    free(changes);
}

const struct symbol inspect_symbols[] = {
    {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
    {"A1 C1", 0, N_("joined: their sum so far")},
    {"S1", 0, N_("chunk 1 complete: the sum over all GPUs")},
    {"B1+(A1+C1)", 0, N_("C1 was added to A1, then that to B1")},
    {NULL, GLYPH_RIGHT, N_("the slot that the lines below describe")},
    {NULL, GLYPH_UP, N_("the list goes on there")},
    {NULL, GLYPH_DOWN, N_("the list goes on there")},
    {"/4", 0, N_("a sum that was divided by 4, the number of GPUs")},
    {NULL, GLYPH_EMPTY, N_("an empty slot")},
    {"*", 0, N_("a contribution that is in a sum several times")},
    {"!", 0, N_("something is wrong there")},
    {NULL, GLYPH_LOST, N_("what was dropped, where it should have arrived")},
    {NULL, 0, NULL},
};
