/* SPDX-License-Identifier: MIT */
#include "text/text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bounds.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "model/scene.h"
#include "text/word.h"

enum {
    NAMES_MOST = 3, /* slots named in the name of a transfer */
    WRITERS_MOST = 1 << 24,
};

struct trace {
    struct world *world;
    int slices; /* that are told apart; the others count as the first */
    /* The event that wrote a slot last before the current step, by slice, rank
     * and slot.  NULL: the slot still holds the input. */
    const struct event **writers;
    int64_t flows;
};

static const struct event **
writer_at(const struct trace *t, int slice, int rank, int slot)
{
    const struct schedule *s = t->world->schedule;

    slice = slice < t->slices ? slice : 0;
    return &t->writers[schedule_cell(s, slice * s->nranks + rank, slot)];
}

/* Begins an event of a rank; times are in microseconds, with three decimals. A
 * negative duration is left out. */
static void
open_event(struct buf *out, const char *phase, int rank, const char *name,
           const char *category, int64_t begin_ns, int64_t ns)
{
    buf_addf(out, ",\n{\"ph\":\"%s\",\"pid\":0,\"tid\":%d,\"name\":", phase,
             rank);
    json_add_string(out, name);
    buf_addf(out, ",\"cat\":\"%s\",\"ts\":%" PRId64 ".%03d", category,
             begin_ns / 1000, (int)(begin_ns % 1000));
    if (ns >= 0)
        buf_addf(out, ",\"dur\":%" PRId64 ".%03d", ns / 1000,
                 (int)(ns % 1000));
}

/* The names of `count` slots at the world's position, "A0 A1 A2 ...". It would
 * take long to find out which sums of very many ranks are complete, so a name
 * of theirs is "1000/1000". */
static void
add_slot_names(const struct world *w, int rank, int slot, int count, bool sums,
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

/* The names of the tracks, and the input. */
static void
add_tracks(const struct trace *t, struct buf *out)
{
    const struct world *w = t->world;
    OWN(buf) name = {0};

    world_seek(t->world, 0);
    text_title(w->schedule, &name);
    buf_puts(&name, ", ");
    text_where(w, &name);
    buf_puts(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                  "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\","
                  "\"args\":{\"name\":");
    json_add_string(out, buf_text(&name));
    buf_puts(out, "}}");
    for (int rank = 0; rank < w->schedule->nranks; rank++) {
        struct region input = schedule_input(w->schedule, rank);
        buf_addf(out, ",\n{\"ph\":\"M\",\"pid\":0,\"tid\":%d,"
                 "\"name\":\"thread_name\",\"args\":{\"name\":", rank);
        json_add_string(out, word_rank_name(w->schedule, rank).text);
        buf_addf(out, "}},\n{\"ph\":\"M\",\"pid\":0,\"tid\":%d,"
                 "\"name\":\"thread_sort_index\","
                 "\"args\":{\"sort_index\":%d}}", rank, rank);
        open_event(out, "X", rank, _("input"), "input", 0, 0);
        buf_puts(out, ",\"args\":{\"holds\":");
        buf_clear(&name);
        add_slot_names(w, rank, input.first, input.count, false, &name);
        json_add_string(out, buf_text(&name));
        buf_puts(out, "}}");
    }
}

static void
add_wait_event(const struct schedule *s, const struct event *e, struct buf *out)
{
    int64_t wait = e->wait_ns < e->begin_ns ? e->wait_ns : e->begin_ns;
    OWN(buf) name = {0};

    if (e->waited_for < 0)
        return;
    buf_addf(&name, _("waiting for %s"), word_rank(s, e->waited_for).text);
    open_event(out, "X", e->dst, buf_text(&name), "wait", e->begin_ns - wait,
               wait);
    buf_addf(out, ",\"args\":{\"step\":%d,\"slice\":%d}}", e->step, e->slice);
}

static void
add_flow_events(struct trace *t, const struct event *e, struct buf *out)
{
    const struct event *from = *writer_at(t, e->slice, e->src, e->src_slot);
    int64_t id = ++t->flows;

    open_event(out, "s", e->src, "data", "flow",
               from != NULL ? from->begin_ns : 0, -1);
    buf_addf(out, ",\"id\":%" PRId64 "}", id);
    open_event(out, "f", e->dst, "data", "flow", e->begin_ns, -1);
    buf_addf(out, ",\"bp\":\"e\",\"id\":%" PRId64 "}", id);
}

static void
add_transfer_event(struct trace *t, const struct event *e, int step,
                   struct buf *out)
{
    const struct world *w = t->world;
    bool sums = step >= w->sums_from;
    OWN(buf) what = {0}, name = {0}, phase = {0};

    add_slot_names(w, e->src, e->src_slot, e->nslots, sums, &what);
    buf_addf(&name, _("%1$s from %2$s"), buf_text(&what),
             word_rank(w->schedule, e->src).text);
    open_event(out, "X", e->dst, buf_text(&name), "transfer", e->begin_ns,
               e->end_ns - e->begin_ns);
    buf_addf(out, ",\"args\":{\"step\":%d,\"phase\":", step);
    utf8_add(&phase, w->schedule->steps[step - 1].phase);
    json_add_string(out, buf_text(&phase));
    buf_addf(out, ",\"src\":%d,\"src_slot\":%d,\"dst_slot\":%d,\"slots\":%d,"
             "\"bytes\":%" PRId64 ",\"op\":\"%s\",\"slice\":%d}}",
             e->src, e->src_slot, e->dst_slot, e->nslots, e->bytes,
             e->op == EVENT_REDUCE ? "reduce" : "copy", e->slice);
}

static void
add_step_events(struct trace *t, int step, struct buf *out)
{
    const struct world_step *s = &t->world->steps[step];

    world_seek(t->world, step - 1); /* a step sends the data from before it */
    for (size_t i = 0; i < s->count; i++) {
        const struct event *e = &s->events[i];
        add_wait_event(t->world->schedule, e, out);
        add_transfer_event(t, e, step, out);
        if (e->src != e->dst)
            add_flow_events(t, e, out);
    }
    for (size_t i = 0; i < s->count; i++)
        for (int k = 0; k < s->events[i].nslots; k++)
            *writer_at(t, s->events[i].slice, s->events[i].dst,
                       s->events[i].dst_slot + k) = &s->events[i];
}

void
trace_write(struct world *w, struct buf *out,
            void (*flush)(struct buf *out, FILE *to), FILE *to)
{
    size_t slots = schedule_cell(w->schedule, w->schedule->nranks, 0);
    const struct world_step *divisions = &w->steps[w->nsteps + 1];
    struct trace t = {.world = w};
    int last = 0;

    for (int step = 1; step <= w->nsteps; step++)
        for (size_t i = 0; i < w->steps[step].count; i++)
            last = most(last, w->steps[step].events[i].slice);
    t.slices = 1 + least(last, WRITERS_MOST / (int)slots - 1);
    t.writers = mem_new(slots * (size_t)t.slices, sizeof *t.writers);
    add_tracks(&t, out);
    for (int step = 1; step <= w->nsteps; step++) {
        add_step_events(&t, step, out);
        if (flush != NULL)
            flush(out, to);
    }
    /* The divisions of avg come after the last step. */
    for (size_t i = 0; i < divisions->count; i++) {
        const struct event *e = &divisions->events[i];
        add_wait_event(w->schedule, e, out);
        open_event(out, "X", e->dst, _("divide"), "divide", e->begin_ns,
                   e->end_ns - e->begin_ns);
        buf_addf(out, ",\"args\":{\"dst_slot\":%d,\"slots\":%d}}",
                 e->dst_slot, e->nslots);
    }
    buf_puts(out, "\n]}\n");
    free(t.writers);
}
