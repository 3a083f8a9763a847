/* SPDX-License-Identifier: MIT */
/* The log and the inspector: facts in columns of text.
 *
 * The log has one line for each transfer, ordered by step, then by time.
 *
 *     step  phase                                     bytes    took  waited
 *        3  reduce-scatter  GPU 0 => GPU 1  + A1+C1     8 B  840 ns
 *
 * The lines of the step shown are bright, and the line of the selected rank
 * stays in the middle.  Lines of later steps are quiet.  If the run is held up,
 * the last lines say what is awaited.
 *
 * The inspector shows all facts about the slots of the selected rank, instead
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
#include "draw/prose.h"
#include "schedule/program.h"
#include "text/sum.h"
#include "text/text.h"
#include "text/word.h"
#include "view/view.h"

struct column {
    const char *head; /* NULL: it has none */
    int gap, width;   /* the gap is before it; width 0: it is measured */
    bool right;       /* its text ends at the right */
    int spare;        /* 1: the first to be left out; 0: never */
};

enum { COLUMNS_MOST = 8 };

struct facts {
    const struct column *columns;
    int count;
    /* Width 0: there is no room for it. */
    int x[COLUMNS_MOST], width[COLUMNS_MOST];
};

/* Places the columns.  Column `data` gets the room that the others leave, up to
 * `high`.  If that is less than `low`, the columns that say least are left out
 * first. */
static void
place_columns(struct facts *f, struct rect area, int data, int low, int high)
{
    int room = area.width, x = area.x;

    for (int k = 0; k < f->count; k++) {
        f->width[k] = most(f->width[k], f->columns[k].width);
        room -= f->columns[k].gap + f->width[k];
    }
    for (int spare = 1; spare <= f->count && room < low; spare++)
        for (int k = 0; k < f->count; k++)
            if (f->columns[k].spare == spare) {
                room += f->columns[k].gap + f->width[k];
                f->width[k] = 0;
            }
    f->width[data] = least(high, room);
    for (int k = 0; k < f->count; k++) {
        f->x[k] = x + f->columns[k].gap;
        x = f->width[k] > 0 ? f->x[k] + f->width[k] : x;
    }
}

/* Draws a text in a column, if there is room for the column. */
static void
draw_fact(const struct facts *f, struct canvas *c, int k, int y,
          const char *text, struct pen pen)
{
    if (f->columns[k].right && f->width[k] > 0)
        canvas_puts_before(c, f->x[k] + f->width[k], y, text, pen);
    else
        canvas_puts_within(c, f->x[k], y, f->width[k], text, pen);
}

static void
put_heads(const struct facts *f, struct canvas *c, int y)
{
    for (int k = 0; k < f->count; k++)
        if (f->columns[k].head != NULL)
            draw_fact(f, c, k, y, _(f->columns[k].head), quiet);
}

enum { STEP, PHASE, SRC, DST, SENT, SIZE, TOOK, WAITED, LOG_COLUMNS };

static const struct column log_columns[LOG_COLUMNS] = {
    {N_("step"), 0, 0, true, 0},
    {N_("phase"), 2, 0, false, 1}, /* the line of progress names it, too */
    {NULL, 2, 0, true, 0},
    {NULL, 4, 0, false, 0},
    {NULL, 4, 0, false, 0}, /* what was sent */
    {N_("bytes"), 0, 9, true, 0},
    {N_("took"), 0, 9, true, 0},
    {N_("waited"), 1, 18, false, 0},
};

/* A transfer, or the data that a rank that is held up lacks. */
struct line {
    const struct event *event; /* NULL: the rank `dst` is held up */
    int step, src, dst;
    int awaited; /* the rank that is waited for; -1: none */
};

struct log {
    const struct scene *scene;
    struct rect area; /* of the lines */
    int step;         /* the step shown */
    struct facts facts;
    struct holdup holdup;
    struct line *lines; /* those on the screen */
    int nlines;
};

static int
compare_begins(const void *a, const void *b)
{
    const struct event *x = *(const struct event *const *)a;
    const struct event *y = *(const struct event *const *)b;

    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->dst - y->dst;
}

/* The events of a step, ordered by time. The caller frees the array; the events
 * belong to the world. */
static const struct event **
sort_events(const struct world_step *s)
{
    const struct event **events = mem_new(s->count, sizeof *events);

    for (size_t i = 0; i < s->count; i++)
        events[i] = &s->events[i];
    qsort(events, s->count, sizeof *events, compare_begins);
    return events;
}

/* Finds the lines of the area: transfers, then what is awaited, in half of them
 * at most, ranks that hold others up first.  The one in the middle is the first
 * transfer of the step shown that the selected rank sent, else the last that it
 * received, else the first. */
static void
choose_log_lines(struct log *l)
{
    const struct world *w = l->scene->world;
    int n = w->schedule->nranks, height = l->area.height;
    int held[HOLDUP_RANKS_MOST], nheld = 0, all = 0, middle = 0, first;
    const struct event **events = sort_events(&w->steps[l->step]);
    bool sends = false;

    for (int pass = 0; holdup_of(l->scene, &l->holdup) && pass < 2; pass++)
        for (int rank = 0; rank < n && nheld < height / 2; rank++)
            if (l->holdup.ranks[rank].is_cause == (pass == 0) &&
                holdup_has(&l->holdup, rank))
                held[nheld++] = rank;
    l->lines = mem_new((size_t)height, sizeof *l->lines);
    height -= nheld;
    for (int i = 0; i < (int)w->steps[l->step].count && !sends; i++) {
        sends = events[i]->src == l->scene->selected;
        if (sends || events[i]->dst == l->scene->selected)
            middle = i;
    }
    free(events);
    for (int step = 1; step <= w->nsteps + 1; step++) {
        middle += step < l->step ? (int)w->steps[step].count : 0;
        all += (int)w->steps[step].count;
    }
    first = within(middle - height / 2, 0, all - height);
    for (int step = 1, line = 0;
         step <= w->nsteps + 1 && line < first + height; step++) {
        int count = (int)w->steps[step].count;
        events = line + count > first ? sort_events(&w->steps[step]) : NULL;
        for (int i = 0; events != NULL && i < count; i++)
            if (line + i >= first && line + i < first + height)
                l->lines[l->nlines++] = (struct line){
                    events[i], scene_step_of(l->scene, events[i]),
                    events[i]->src, events[i]->dst, events[i]->waited_for};
        free(events);
        line += count;
    }
    for (int i = 0; i < nheld; i++) {
        const struct held_rank *h = &l->holdup.ranks[held[i]];
        bool lacks = h->step > 0;
        l->lines[l->nlines++] =
            (struct line){NULL, lacks ? h->step : w->position + 1,
                          lacks ? h->src : held[i], held[i], h->waits_for};
    }
}

static void
draw_event(const struct log *l, const struct line *line, struct canvas *c,
           int y, struct pen pen)
{
    const struct world *w = l->scene->world;
    const struct facts *f = &l->facts;
    const struct event *e = line->event;
    int before = e->op == EVENT_DIVIDE ? line->step : line->step - 1;
    const uint64_t *row = world_row_at(w, e->src, e->src_slot, before);
    uint32_t sign = e->fault == FAULT_DROP
                        ? glyph(c->glyphs, GLYPH_LOST)
                    : e->fault != FAULT_NONE ? '!'
                    : e->op == EVENT_REDUCE  ? '+'
                    : e->op == EVENT_DIVIDE  ? '/'
                                             : '=';
    OWN(buf) text = {0};

    canvas_put(c, f->x[SENT] - 2, y, sign,
               e->fault == FAULT_NONE ? pen : warning);
    sum_name(w, row, &text);
    if (e->nslots > 1)
        buf_addf(&text, " ... x%d", e->nslots);
    draw_fact(f, c, SENT, y, buf_text(&text), pen);
    draw_fact(f, c, SIZE, y, word_bytes(e->bytes).text, pen);
    draw_fact(f, c, TOOK, y, word_ns(e->end_ns - e->begin_ns, false).text, pen);
    draw_fact(f, c, WAITED, y, word_wait(w->schedule, e).text, pen);
}

/* A rank's colour in the step shown is the ground of its name, because yellow
 * text cannot be read on a light screen. */
static struct pen
pen_of_rank(const struct log *l, const struct line *line, int rank)
{
    enum role role = palette_origin(rank);

    if (line->step != l->step)
        return line->step > l->step ? quiet : plain;
    return (struct pen){.fg = palette_ink(role), .bg = role,
                        .attrs = rank == l->scene->selected ? ATTR_BOLD : 0};
}

/* A click is on the rank whose name is nearest: the one waited for, the
 * receiver, else the sender. */
static void
draw_line(const struct log *l, const struct line *line, struct canvas *c,
          int y)
{
    const struct scene *s = l->scene;
    const struct world *w = s->world;
    const struct facts *f = &l->facts;
    struct pen pen = {.fg = line->step > l->step ? ROLE_QUIET : ROLE_TEXT,
                      .attrs = line->step == l->step ? ATTR_BOLD : 0};

    canvas_target(c, (struct rect){l->area.x, y, l->area.width, 1},
                  TARGET_RANK, line->src, -1);
    canvas_target(c, (struct rect){f->x[DST], y, f->width[DST], 1},
                  TARGET_RANK, line->dst, -1);
    if (line->awaited >= 0)
        canvas_target(c, (struct rect){f->x[WAITED], y,
                                       l->area.x + l->area.width -
                                           f->x[WAITED], 1},
                      TARGET_RANK, line->awaited, -1);
    canvas_putf(c, f->x[STEP], y, pen, "%*d", f->width[STEP], line->step);
    if (line->step == l->step)
        canvas_glyph(c, f->x[STEP], y, GLYPH_RIGHT, pen);
    draw_fact(f, c, PHASE, y,
              translated(w->schedule->steps[line->step - 1].phase), pen);
    draw_fact(f, c, SRC, y, word_rank_name(w->schedule, line->src).text,
              pen_of_rank(l, line, line->src));
    if (line->src != line->dst) {
        canvas_puts(c, f->x[DST] - 4, y,
                    run_leaves_host(w->run, w->schedule, line->src, line->dst)
                        ? " ~> " : " => ", pen);
        draw_fact(f, c, DST, y, word_rank_name(w->schedule, line->dst).text,
                  pen_of_rank(l, line, line->dst));
    }
    if (line->event != NULL)
        draw_event(l, line, c, y, pen);
    else
        badge_draw(&l->holdup, line->dst, c,
                   (struct point){f->x[WAITED], y}, f->width[WAITED]);
}

static void
draw_log(const struct scene *s, struct canvas *c, struct rect area)
{
    enum { LOW = 8, HIGH = 40 }; /* columns of what was sent */
    const struct schedule *p = s->world->schedule;
    struct log l = {
        .scene = s,
        .area = {area.x, area.y + 1, area.width, area.height - 1},
        .step = scene_step(s),
        .facts = {.columns = log_columns, .count = LOG_COLUMNS}};
    int *width = l.facts.width;

    width[STEP] = most(snprintf(NULL, 0, "%d", p->nsteps) + 2,
                       utf8_columns(_("step")));
    width[PHASE] = utf8_columns(_("phase"));
    for (int i = 0; i < p->nsteps; i++)
        if (i == 0 || p->steps[i].phase != p->steps[i - 1].phase)
            width[PHASE] = most(width[PHASE],
                                utf8_columns(translated(p->steps[i].phase)));
    width[SRC] = width[DST] = word_rank_columns(p);
    place_columns(&l.facts, l.area, SENT, LOW, HIGH);
    choose_log_lines(&l);
    put_heads(&l.facts, c, area.y);
    for (int i = 0; i < l.nlines; i++)
        draw_line(&l, &l.lines[i], c, l.area.y + i);
    free(l.lines);
}

const struct view view_log = {
    .name = N_("log"),
    .least = {74, 6},
    .draw = draw_log,
    .symbols = (const struct symbol[]){
        {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
        {"S1", 0, N_("chunk 1 complete: the sum over all GPUs")},
        {"=> ~>", 0, N_("from sender to receiver; to another host")},
        {"+", 0, N_("the receiver added it to its slot")},
        {"=", 0, N_("the receiver stored it in its slot")},
        {"/", 0, N_("divided by the number of GPUs")},
        {"*", 0, N_("a contribution that is in a sum several times")},
        {NULL, GLYPH_RIGHT, N_("the step that is shown")},
        {"!", 0, N_("a fault that was injected on purpose")},
        {NULL, 0, NULL}},
    .still = true,
    .whole = true,
};

enum {
    ORDER_ROWS = 3, /* the most that the order of addition takes */
    DETAIL_ROWS = 1 + ORDER_ROWS + 1,
    DATA_LEAST = 12,
    NARROW = 72, /* columns; then the last line takes two rows */
};

enum { SLOT, DATA, ELEMENTS, BYTES, VALUES, CHANGED, SLOT_COLUMNS };

static const struct column slot_columns[SLOT_COLUMNS] = {
    {N_("slot"), 2, 0, true, 0},
    {N_("data"), 2, 0, false, 0},
    {N_("elements"), 0, 9, true, 1},
    {N_("bytes"), 0, 9, true, 2},
    {N_("first values"), 2, 13, false, 4},
    {N_("changed"), 1, 9, false, 3},
};

struct inspector {
    const struct scene *scene;
    struct canvas *canvas;
    struct rect area; /* inside the frame */
    int rank, slot;
    int first, count; /* the slots shown, one in each row */
    struct facts facts;
};

/* "input 2" or "output 0"; just the number if the schedule is in place. */
static struct word
slot_name(const struct schedule *s, int rank, int slot)
{
    struct region output = schedule_output(s, rank);
    const char *format = _("input %d");
    int first = schedule_input(s, rank).first;

    if (slot >= schedule_scratch(s)) {
        format = _("scratch %d");
        first = schedule_scratch(s);
    } else if (s->in_place) {
        format = "%d";
        first = 0;
    } else if (region_has(output, slot)) {
        format = _("output %d");
        first = output.first;
    }
    return word_of(format, slot - first);
}

static struct inspector
arrange_slots(const struct scene *s, struct canvas *c, struct rect area)
{
    const struct schedule *p = s->world->schedule;
    struct inspector i = {
        .scene = s, .canvas = c,
        .facts = {.columns = slot_columns, .count = SLOT_COLUMNS},
        .area = {area.x + 2, area.y + 1, area.width - 4, area.height - 2}};
    int *width = &i.facts.width[SLOT];

    i.rank = s->selected < p->nranks ? s->selected : 0;
    i.slot = within(s->slot, 0, p->nslots - 1);
    i.count = within(i.area.height - 1 - DETAIL_ROWS -
                         (i.area.width < NARROW), 1, p->nslots);
    i.first = within(i.slot - i.count / 2, 0, p->nslots - i.count);
    *width = utf8_columns(_("slot"));
    for (int slot = 0; slot < p->nslots; slot++)
        *width = most(*width, utf8_columns(slot_name(p, i.rank, slot).text));
    place_columns(&i.facts, i.area, DATA, DATA_LEAST,
                  most(block_columns(p, BLOCK_NAMES, p->nranks, false),
                       DATA_LEAST));
    return i;
}

/* The event that changed a slot last, or NULL; the divisions of avg are shown
 * with the last step. */
static const struct event *
last_change(const struct inspector *i, int slot)
{
    const struct world *w = i->scene->world;
    struct world_entry at = {w->position + 1 + (w->position == w->nsteps), 0};

    return world_writer(w, i->rank, slot, true, &at);
}

static void
draw_slot_row(const struct inspector *i, int row)
{
    const struct scene *s = i->scene;
    const struct world *w = s->world;
    const struct facts *f = &i->facts;
    int slot = i->first + row, y = i->area.y + 1 + row;
    const struct event *change = last_change(i, slot);
    struct pen pen = slot == i->slot ? strong : plain;
    struct word changed = {"-"};
    int64_t length = world_length(w, i->rank, slot);
    int64_t bytes = length * (int64_t)dtype_size(w->run->type);
    const uint64_t *data = world_row(w, i->rank, slot);
    struct block block = {
        .world = w,
        .row = data,
        .form = BLOCK_NAMES,
        .width = f->width[DATA],
        .lost = scene_lost(s, w->position, i->rank, slot, data),
    };
    OWN(buf) text = {0};

    if (slot == i->slot)
        canvas_glyph(i->canvas, i->area.x, y, GLYPH_RIGHT, strong);
    draw_fact(f, i->canvas, SLOT, y,
              slot_name(w->schedule, i->rank, slot).text, pen);
    block_draw(&block, i->canvas, f->x[DATA], y);
    if (world_is_wrong(w, w->position, i->rank, slot))
        canvas_put(i->canvas, f->x[DATA] - 1, y, '!', warning);
    draw_fact(f, i->canvas, ELEMENTS, y,
              word_of("%lld", (long long)length).text, pen);
    draw_fact(f, i->canvas, BYTES, y, word_bytes(bytes).text, pen);
    world_add_values(w, data, &text);
    draw_fact(f, i->canvas, VALUES, y, buf_text(&text), pen);
    if (change != NULL)
        changed = word_of(_("step %d"), scene_step_of(s, change));
    draw_fact(f, i->canvas, CHANGED, y, changed.text, pen);
}

static void
draw_order(const struct inspector *i, struct rect area)
{
    OWN(buf) text = {0};
    int columns;

    if (i->scene->world->schedule->nranks > LEDGER_RANKS) {
        buf_addf(&text, _("order of addition: shown for up to %d ranks"),
                 LEDGER_RANKS);
        canvas_puts_within(i->canvas, area.x, area.y, area.width,
                           buf_text(&text), quiet);
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
}

/* Draws what changed the slot, and when; NULL: nothing so far. */
static void
draw_change(const struct inspector *i, struct rect area,
            const struct event *e)
{
    OWN(buf) text = {0};

    if (e == NULL)
        buf_puts(&text, _("not changed so far"));
    else if (e->op == EVENT_DIVIDE)
        buf_addf(&text, _("divided by %1$d, %2$s after the start, in %3$s"),
                 schedule_members(i->scene->world->schedule),
                 word_ns(e->end_ns, false).text,
                 word_ns(e->end_ns - e->begin_ns, false).text);
    else if (e->fault == FAULT_DROP)
        buf_addf(&text, _("in step %1$d data from %2$s was to come, and was "
                          "dropped on purpose"),
                 e->step, word_rank(i->scene->world->schedule, e->src).text);
    else
        buf_addf(&text,
                 _("changed in step %1$d by data from %2$s, %3$s after the "
                   "start, in %4$s"),
                 e->step, word_rank(i->scene->world->schedule, e->src).text,
                 word_ns(e->end_ns, false).text,
                 word_ns(e->end_ns - e->begin_ns, false).text);
    prose_draw(i->canvas, area, buf_text(&text), plain, plain);
}

/* Draws the rank's name on the frame and, to the right, its device, and its
 * core if it is known; inside the rows, and what changed the slot. */
static void
draw_slots(const struct scene *s, struct canvas *c, struct rect area)
{
    struct inspector i = arrange_slots(s, c, area);
    int y = i.area.y + 1 + i.count, rest = i.area.y + i.area.height - y;
    struct rect below = {i.area.x, y + (rest >= DETAIL_ROWS), i.area.width,
                         rest >= DETAIL_ROWS ? ORDER_ROWS : 1};
    const struct run_info *run = s->world->run;
    const char *device = text_device(run, i.rank);
    int from = area.x + 2, end = area.x + area.width - 2;

    canvas_clear(c, area);
    glyph_frame(c, area, false, plain);
    from += canvas_putf(c, from, area.y, strong, " %s ",
                        word_rank_name(s->world->schedule, i.rank).text);
    if (device != NULL) {
        OWN(buf) text = {0};
        buf_addf(&text, " %s", device);
        if (run->core_of[i.rank] >= 0)
            buf_addf(&text, _(", core %d"), run->core_of[i.rank]);
        buf_putc(&text, ' ');
        from = most(end - utf8_columns(buf_text(&text)), from);
        canvas_puts_within(c, from, area.y, end - from, buf_text(&text),
                           quiet);
    }
    put_heads(&i.facts, c, i.area.y);
    for (int row = 0; row < i.count; row++)
        draw_slot_row(&i, row);
    if (i.first > 0)
        canvas_glyph(c, end + 1, i.area.y + 1, GLYPH_UP, strong);
    if (i.first + i.count < s->world->schedule->nslots)
        canvas_glyph(c, end + 1, y - 1, GLYPH_DOWN, strong);
    if (rest > 0)
        draw_order(&i, below);
    if (rest > below.height) {
        below.y += below.height;
        below.height = i.area.y + i.area.height - below.y;
        draw_change(&i, below, last_change(&i, i.slot));
    }
}

const struct view view_slots = {
    .draw = draw_slots,
    .symbols = (const struct symbol[]){
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
        {NULL, GLYPH_LOST,
         N_("what was dropped, where it should have arrived")},
        {NULL, 0, NULL}},
    .still = true,
};
