/* SPDX-License-Identifier: MIT */
#include "view/inspect.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/block.h"
#include "draw/glyph.h"
#include "text/text.h"
#include "view/inspect_slot.h"

/* The order of addition takes up to ORDER_ROWS rows. */
enum { ORDER_ROWS = 3, DETAIL_ROWS = 1 + ORDER_ROWS + 1 };
enum { DATA_LEAST = 12 };
enum { NARROW = 72 }; /* columns; then the last line takes two rows */

/* The columns to the right of the data, in their order. */
enum column { ELEMENTS, BYTES, VALUES, CHANGED, COLUMNS };
static const struct {
    const char *head;
    int gap, width; /* the gap is before it */
    bool right;     /* its text ends at the right */
} facts[COLUMNS] = {
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
    int first, count; /* the slots shown, one in each row */
    int slot_x, slot_width, data_x, data_width;
    int x[COLUMNS]; /* of a column's first cell; -1: there is no room for it */
};

static const struct pen quiet = {.fg = ROLE_QUIET};
static const struct pen strong = {.attrs = ATTR_BOLD};

/* "input 2" or "output 0"; just the number if the schedule is in place. */
static void
add_slot_name(const struct schedule *s, int rank, int slot, struct buf *out)
{
    struct region in = schedule_input(s, rank);
    struct region output = schedule_output(s, rank);

    if (slot >= s->nslots - s->scratch)
        buf_addf(out, _("scratch %d"), slot - (s->nslots - s->scratch));
    else if (s->in_place)
        buf_addf(out, "%d", slot);
    else if (region_has(output, slot))
        buf_addf(out, _("output %d"), slot - output.first);
    else
        buf_addf(out, _("input %d"), slot - in.first);
}

static int
slot_columns(const struct schedule *s, int rank)
{
    struct buf name = {0};
    int columns = utf8_columns(_("slot"));

    for (int slot = 0; slot < s->nslots; slot++) {
        buf_clear(&name);
        add_slot_name(s, rank, slot, &name);
        if (utf8_columns(buf_text(&name)) > columns)
            columns = utf8_columns(buf_text(&name));
    }
    buf_done(&name);
    return columns;
}

static int
least(int a, int b)
{
    return a < b ? a : b;
}

/* Places the columns.  Where not all fit, those that say least are left out
 * first. */
static void
place_columns(struct inspector *i)
{
    static const enum column spare[] = {ELEMENTS, BYTES, CHANGED, VALUES};
    int room = i->area.x + i->area.width - i->data_x;
    int whole = block_columns(i->scene->world->schedule, BLOCK_NAMES,
                              i->scene->world->schedule->nranks, false);
    int all = 0, x;
    bool out[COLUMNS] = {false};

    for (int k = 0; k < COLUMNS; k++)
        all += facts[k].gap + facts[k].width;
    for (int k = 0; k < COLUMNS && DATA_LEAST + all > room; k++) {
        out[spare[k]] = true;
        all -= facts[spare[k]].gap + facts[spare[k]].width;
    }
    i->data_width = least(room - all, whole > DATA_LEAST ? whole : DATA_LEAST);
    x = i->data_x + i->data_width;
    for (int k = 0; k < COLUMNS; k++) {
        i->x[k] = out[k] ? -1 : x + facts[k].gap;
        x += out[k] ? 0 : facts[k].gap + facts[k].width;
    }
}

static struct inspector
arrange(const struct scene *s, struct canvas *c, struct rect area)
{
    const struct schedule *p = s->world->schedule;
    struct inspector i = {.scene = s, .canvas = c};

    i.rank = s->selected < p->nranks ? s->selected : 0;
    i.slot = s->slot < 0 ? 0 : s->slot < p->nslots ? s->slot : p->nslots - 1;
    i.area =
        (struct rect){area.x + 2, area.y + 1, area.width - 4, area.height - 2};
    i.count = i.area.height - 1 - DETAIL_ROWS - (i.area.width < NARROW);
    if (i.count < 1)
        i.count = 1;
    if (i.count > p->nslots)
        i.count = p->nslots;
    i.first = i.slot - i.count / 2;
    if (i.first > p->nslots - i.count)
        i.first = p->nslots - i.count;
    if (i.first < 0)
        i.first = 0;
    i.slot_x = i.area.x + 2;
    i.slot_width = slot_columns(p, i.rank);
    i.data_x = i.slot_x + i.slot_width + 2;
    place_columns(&i);
    return i;
}

static void
put_right(const struct inspector *i, int x, int width, int y, const char *text,
          struct pen pen)
{
    canvas_puts(i->canvas, x + width - utf8_columns(text), y, text, pen);
}

/* Draws a text in a column, if there is room for the column. */
static void
put_column(const struct inspector *i, enum column k, int y, const char *text,
           struct pen pen)
{
    if (i->x[k] < 0)
        return;
    if (facts[k].right)
        put_right(i, i->x[k], facts[k].width, y, text, pen);
    else
        canvas_puts_within(i->canvas, i->x[k], y, facts[k].width, text, pen);
}

static void
draw_head(const struct inspector *i)
{
    int y = i->area.y;

    put_right(i, i->slot_x, i->slot_width, y, _("slot"), quiet);
    canvas_puts(i->canvas, i->data_x, y, _("data"), quiet);
    for (int k = 0; k < COLUMNS; k++)
        put_column(i, (enum column)k, y, _(facts[k].head), quiet);
}

static void
draw_data(const struct inspector *i, int slot, int y)
{
    const struct scene *s = i->scene;
    struct block block = {
        .world = s->world,
        .row = world_row(s->world, i->rank, slot),
        .glyphs = s->glyphs,
        .width = i->data_width,
        .colourless = s->colourless,
        .lost = scene_lost(s, s->world->position, i->rank, slot,
                           world_row(s->world, i->rank, slot)),
    };

    block.form = BLOCK_NAMES;
    block_draw(&block, i->canvas, i->data_x, y);
}

static void
draw_figures(const struct inspector *i, int slot, int y, struct pen pen)
{
    const struct world *w = i->scene->world;
    int64_t length = world_length(w, i->rank, slot);
    const uint64_t *values = world_values(w, i->rank, slot);
    char number[DTYPE_TEXT_MAX];
    struct buf text = {0};

    buf_addf(&text, "%lld", (long long)length);
    put_column(i, ELEMENTS, y, buf_text(&text), pen);
    buf_clear(&text);
    text_bytes(length * (int64_t)dtype_size(w->run->type), &text);
    put_column(i, BYTES, y, buf_text(&text), pen);
    buf_clear(&text);
    for (int k = 0; k < EVENT_VALUES && k < length; k++) {
        dtype_format(w->run->type, &values[k], number);
        buf_addf(&text, "%s%s", k > 0 ? " " : "", number);
    }
    if (length > EVENT_VALUES)
        buf_puts(&text, " ...");
    put_column(i, VALUES, y, buf_text(&text), pen);
    buf_done(&text);
}

static void
note_change(const struct inspector *i, const struct event *e,
            const struct event **found)
{
    for (int slot = e->dst_slot;
         e->dst == i->rank && slot < e->dst_slot + e->nslots; slot++) {
        int row = slot - i->first;
        if (row >= 0 && row < i->count &&
            (found[row] == NULL || e->op == EVENT_DIVIDE ||
             e->step >= found[row]->step))
            found[row] = e;
    }
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
        if (entry.step <= last)
            note_change(i, &w->steps[entry.step].events[entry.index], found);
    }
    return found;
}

static void
draw_row(const struct inspector *i, int row, const struct event *change)
{
    int slot = i->first + row, y = i->area.y + 1 + row;
    struct pen pen = slot == i->slot ? strong : (struct pen){0};
    struct buf text = {0};

    if (slot == i->slot)
        canvas_put(i->canvas, i->area.x, y,
                   glyph(i->scene->glyphs, GLYPH_RIGHT), strong);
    add_slot_name(i->scene->world->schedule, i->rank, slot, &text);
    put_right(i, i->slot_x, i->slot_width, y, buf_text(&text), pen);
    draw_data(i, slot, y);
    if (world_is_wrong(i->scene->world, i->scene->world->position, i->rank,
                       slot))
        canvas_put(i->canvas, i->data_x - 1, y, '!',
                   (struct pen){.fg = ROLE_WARNING, .attrs = ATTR_BOLD});
    draw_figures(i, slot, y, pen);
    buf_clear(&text);
    if (change != NULL)
        buf_addf(&text, _("step %d"), scene_step_of(i->scene, change));
    else
        buf_putc(&text, '-');
    put_column(i, CHANGED, y, buf_text(&text), pen);
    buf_done(&text);
}

/* Draws the rank's device, and its core if it is known, on the frame, to the
 * right of the title. */
static void
draw_device(const struct inspector *i, struct rect area, int from)
{
    const struct run_info *run = i->scene->world->run;
    const char *device = text_device(run, i->rank);
    struct buf text = {0};
    int x, end = area.x + area.width - 2;

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

void
inspect_draw(const struct scene *s, struct canvas *c, struct rect area)
{
    struct inspector i = arrange(s, c, area);
    const struct event **changes = find_changes(&i);
    int y = i.area.y + 1 + i.count, rest = i.area.y + i.area.height - y;
    int rows = rest >= DETAIL_ROWS ? ORDER_ROWS : 1;
    char name[SCENE_NAME_MAX], title[SCENE_NAME_MAX + 2];
    struct rect below;

    canvas_clear(c, area);
    glyph_frame(c, s->glyphs, area, (struct pen){0});
    snprintf(title, sizeof title, " %s ", scene_rank_name(i.rank, name));
    canvas_puts(c, area.x + 2, area.y, title, strong);
    draw_device(&i, area, area.x + 2 + utf8_columns(title));
    draw_head(&i);
    for (int row = 0; row < i.count; row++)
        draw_row(&i, row, changes[row]);
    y += rest >= DETAIL_ROWS;
    below = (struct rect){i.area.x, y, i.area.width, rows};
    if (rest > 0)
        inspect_slot_order(s, c, below, i.rank, i.slot);
    below.y += rows;
    below.height = i.area.y + i.area.height - below.y;
    if (rest > rows)
        inspect_slot_change(s, c, below, changes[i.slot - i.first]);
    free(changes);
}

const struct symbol inspect_symbols[] = {
    {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
    {"A1 C1", 0, N_("joined: their sum so far")},
    {"S1", 0, N_("chunk 1 complete: the sum over all GPUs")},
    {"B1+(A1+C1)", 0, N_("C1 was added to A1, then that to B1")},
    {NULL, GLYPH_RIGHT, N_("the slot that the lines below describe")},
    {"/4", 0, N_("a sum that was divided by 4, the number of GPUs")},
    {NULL, GLYPH_EMPTY, N_("an empty slot")},
    {"*", 0, N_("a contribution that is in a sum several times")},
    {"!", 0, N_("something is wrong there")},
    {NULL, GLYPH_LOST, N_("what was dropped, where it should have arrived")},
    {NULL, 0, NULL},
};
