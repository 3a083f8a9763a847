/* SPDX-License-Identifier: MIT */
#include "text/trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "model/scene.h"
#include "text/text.h"

enum { NAMES_MOST = 3 }; /* slots named in the name of a transfer */

struct trace {
    struct world *world;
    /* All events in the order of compare(), to find the event that produced
     * the data that another one sends. */
    const struct event **events;
    size_t nevents;
    /* By rank and slot: the event that wrote the slot last before the current
     * step, its first slice. NULL if the slot still holds the input. */
    const struct event **writers;
    int64_t flows;
};

static int
compare(const void *one, const void *other)
{
    const struct event *a = *(const struct event *const *)one;
    const struct event *b = *(const struct event *const *)other;
    const int32_t keys[][2] = {{a->step, b->step},
                               {a->dst, b->dst},
                               {a->dst_slot, b->dst_slot},
                               {a->src, b->src},
                               {a->slice, b->slice}};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

struct trace *
trace_new(struct world *w)
{
    struct trace *t = mem_new(1, sizeof *t);
    size_t count = 0;

    t->world = w;
    for (int step = 1; step <= w->nsteps; step++)
        count += w->steps[step].count;
    t->events = mem_new(count, sizeof *t->events);
    t->writers = mem_new((size_t)w->schedule->nranks *
                             (size_t)w->schedule->nslots,
                         sizeof *t->writers);
    for (int step = 1; step <= w->nsteps; step++)
        for (size_t i = 0; i < w->steps[step].count; i++)
            t->events[t->nevents++] = &w->steps[step].events[i];
    qsort(t->events, count, sizeof *t->events, compare);
    return t;
}

void
trace_free(struct trace *t)
{
    free(t->events);
    free(t->writers);
    free(t);
}

static const struct event **
writer(const struct trace *t, int rank, int slot)
{
    return &t->writers[(size_t)rank * (size_t)t->world->schedule->nslots +
                       (size_t)slot];
}

/* The event that produced the data that `e` received, in the same slice.
 * Returns NULL if the data is the sender's input. */
static const struct event *
maker(const struct trace *t, const struct event *e)
{
    const struct event *first = *writer(t, e->src, e->src_slot), *key;
    const struct event **found;
    struct event sought;

    if (first == NULL || first->slice == e->slice)
        return first;
    sought = *first;
    sought.slice = e->slice;
    key = &sought;
    found = bsearch(&key, t->events, t->nevents, sizeof *t->events, compare);
    return found != NULL ? *found : first;
}

/* Adds a time in microseconds, with three decimals. */
static void
add_time(struct buf *out, const char *key, int64_t ns)
{
    buf_addf(out, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000,
             (int)(ns % 1000));
}

static void
open_event(struct buf *out, const char *phase, int rank, const char *name,
           const char *category)
{
    buf_addf(out, ",\n{\"ph\":\"%s\",\"pid\":0,\"tid\":%d,\"name\":", phase,
             rank);
    json_add_string(out, name);
    buf_addf(out, ",\"cat\":\"%s\"", category);
}

/* The names of `count` slots at the world's position, "A0 A1 A2 ...". Among
 * very many ranks it would take long to find out which sums are complete, so
 * there a name is "1000/1000". */
static void
add_names(const struct world *w, int rank, int slot, int count, bool sums,
          struct buf *out)
{
    sums = sums && w->schedule->nranks <= LEDGER_RANKS;
    for (int i = 0; i < count && i < NAMES_MOST; i++) {
        buf_puts(out, i > 0 ? " " : "");
        world_label(w, world_row(w, rank, slot + i), sums, out);
    }
    if (count > NAMES_MOST)
        buf_puts(out, " ...");
}

static void
add_process(const struct world *w, struct buf *out)
{
    struct buf name = {0};

    text_title(w->schedule, &name);
    buf_puts(&name, ", ");
    text_where(w, &name);
    buf_puts(out, "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\","
                  "\"args\":{\"name\":");
    json_add_string(out, buf_text(&name));
    buf_puts(out, "}}");
    buf_done(&name);
}

static void
add_thread(const struct world *w, int rank, struct buf *out)
{
    struct region input = schedule_input(w->schedule, rank);
    struct buf holds = {0};
    char name[SCENE_NAME_MAX];

    buf_addf(out, ",\n{\"ph\":\"M\",\"pid\":0,\"tid\":%d,"
             "\"name\":\"thread_name\",\"args\":{\"name\":", rank);
    json_add_string(out, scene_rank_name(rank, name));
    buf_addf(out, "}},\n{\"ph\":\"M\",\"pid\":0,\"tid\":%d,"
             "\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%d}}",
             rank, rank);
    open_event(out, "X", rank, _("input"), "input");
    buf_puts(out, ",\"ts\":0,\"dur\":0,\"args\":{\"holds\":");
    add_names(w, rank, input.first, input.count, false, &holds);
    json_add_string(out, buf_text(&holds));
    buf_puts(out, "}}");
    buf_done(&holds);
}

void
trace_begin(struct trace *t, struct buf *out)
{
    world_seek(t->world, 0);
    buf_puts(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    add_process(t->world, out);
    for (int rank = 0; rank < t->world->schedule->nranks; rank++)
        add_thread(t->world, rank, out);
}

static void
add_wait(const struct event *e, struct buf *out)
{
    int64_t wait = e->wait_ns < e->begin_ns ? e->wait_ns : e->begin_ns;
    char peer[SCENE_NAME_MAX], name[SCENE_NAME_MAX + 64];

    if (e->waited_for < 0)
        return;
    snprintf(name, sizeof name, _("waiting for %s"),
             scene_rank_name(e->waited_for, peer));
    open_event(out, "X", e->dst, name, "wait");
    add_time(out, "ts", e->begin_ns - wait);
    add_time(out, "dur", wait);
    buf_addf(out, ",\"args\":{\"step\":%d,\"slice\":%d}}", e->step, e->slice);
}

static void
add_flow(struct trace *t, const struct event *e, struct buf *out)
{
    const struct event *from = maker(t, e);
    int64_t id = ++t->flows;

    open_event(out, "s", e->src, "data", "flow");
    add_time(out, "ts", from != NULL ? from->begin_ns : 0);
    buf_addf(out, ",\"id\":%" PRId64 "}", id);
    open_event(out, "f", e->dst, "data", "flow");
    add_time(out, "ts", e->begin_ns);
    buf_addf(out, ",\"bp\":\"e\",\"id\":%" PRId64 "}", id);
}

static void
add_transfer(struct trace *t, const struct event *e, int step,
             struct buf *out)
{
    const struct world *w = t->world;
    bool sums = step >= w->sums_from;
    struct buf what = {0}, name = {0}, phase = {0};
    char peer[SCENE_NAME_MAX];

    add_names(w, e->src, e->src_slot, e->nslots, sums, &what);
    buf_addf(&name, _("%1$s from %2$s"), buf_text(&what),
             scene_rank_name(e->src, peer));
    open_event(out, "X", e->dst, buf_text(&name), "transfer");
    add_time(out, "ts", e->begin_ns);
    add_time(out, "dur", e->end_ns - e->begin_ns);
    buf_addf(out, ",\"args\":{\"step\":%d,\"phase\":", step);
    utf8_add(&phase, w->schedule->steps[step - 1].phase);
    json_add_string(out, buf_text(&phase));
    buf_addf(out, ",\"src\":%d,\"src_slot\":%d,\"dst_slot\":%d,\"slots\":%d,"
             "\"bytes\":%" PRId64 ",\"op\":\"%s\",\"slice\":%d}}",
             e->src, e->src_slot, e->dst_slot, e->nslots, e->bytes,
             e->op == EVENT_REDUCE ? "reduce" : "copy", e->slice);
    buf_done(&name);
    buf_done(&what);
    buf_done(&phase);
}

static void
note_writers(struct trace *t, const struct event *e)
{
    for (int i = 0; i < e->nslots && e->slice == 0; i++)
        *writer(t, e->dst, e->dst_slot + i) = e;
}

void
trace_step(struct trace *t, int step, struct buf *out)
{
    const struct world_step *s = &t->world->steps[step];

    world_seek(t->world, step - 1); /* a step sends the data from before it */
    for (size_t i = 0; i < s->count; i++) {
        const struct event *e = &s->events[i];
        add_wait(e, out);
        add_transfer(t, e, step, out);
        if (e->src != e->dst)
            add_flow(t, e, out);
    }
    for (size_t i = 0; i < s->count; i++)
        note_writers(t, &s->events[i]);
}

/* The divisions of avg, which come after the last step. */
static void
add_divisions(const struct trace *t, struct buf *out)
{
    const struct world_step *s = &t->world->steps[t->world->nsteps + 1];

    for (size_t i = 0; i < s->count; i++) {
        const struct event *e = &s->events[i];
        add_wait(e, out);
        open_event(out, "X", e->dst, _("divide"), "divide");
        add_time(out, "ts", e->begin_ns);
        add_time(out, "dur", e->end_ns - e->begin_ns);
        buf_addf(out, ",\"args\":{\"dst_slot\":%d,\"slots\":%d}}",
                 e->dst_slot, e->nslots);
    }
}

void
trace_end(struct trace *t, struct buf *out)
{
    add_divisions(t, out);
    buf_puts(out, "\n]}\n");
}
