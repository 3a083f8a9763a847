/* SPDX-License-Identifier: MIT */
#include "model/world.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schedule/program.h"
#include "schedule/trail.h"

struct world *
world_new(void)
{
    return mem_new(1, sizeof(struct world));
}

void
world_free(struct world *w)
{
    if (w == NULL)
        return;
    for (int step = 1; w->steps != NULL && step <= w->nsteps + 1; step++) {
        for (size_t i = 0; i < w->steps[step].count; i++)
            free(w->steps[step].events[i].content);
        free(w->steps[step].events);
    }
    for (int rank = 0; w->diaries != NULL && rank < w->schedule->nranks;
         rank++)
        free(w->diaries[rank].entries);
    free(w->diaries);
    free(w->steps);
    free(w->result.bytes_sent);
    free(w->sent);
    free(w->received);
    free(w->links);
    free(w->to_send);
    free(w->to_receive);
    free(w->contents);
    free(w->counts);
    free(w->sums);
    outlook_free(w->outlook);
    free(w->wrong);
    schedule_free(w->schedule);
    free(w);
}

static uint64_t *
slot_content(const struct world *w, int rank, int slot)
{
    return w->contents +
           schedule_cell(w->schedule, rank, slot) * (size_t)w->words;
}

static void
count_slots(struct world *w, int rank, int slot, int nslots)
{
    uint16_t *counts = w->counts + schedule_cell(w->schedule, rank, 0);

    for (int k = slot; k < slot + nslots; k++) {
        int64_t count = ledger_count(slot_content(w, rank, k),
                                     w->schedule->nranks);
        counts[k] = count < UINT16_MAX ? (uint16_t)count : UINT16_MAX;
    }
}

/* Swaps what an event's slots hold with what it carries: applies the event, or
 * takes it back. */
static void
swap_contents(struct world *w, struct event *e)
{
    uint64_t *mine = e->content;
    uint64_t *slots = slot_content(w, e->dst, e->dst_slot);
    size_t words = (size_t)e->nslots * (size_t)w->words;

    if (mine == NULL)
        return;
    for (size_t i = 0; i < words; i++) {
        uint64_t word = mine[i];
        mine[i] = slots[i];
        slots[i] = word;
    }
    count_slots(w, e->dst, e->dst_slot, e->nslots);
}

static void
count_bytes(struct world *w, const struct event *e, int64_t bytes)
{
    w->sent[e->src] += bytes;
    w->received[e->dst] += bytes;
    if (w->links != NULL)
        w->links[e->src * w->schedule->nranks + e->dst].sent += bytes;
}

static void
apply_event(struct world *w, struct event *e)
{
    swap_contents(w, e);
    count_bytes(w, e, e->bytes);
}

static void
apply_step(struct world *w, int step)
{
    struct world_step *s = &w->steps[step];

    for (size_t i = 0; i < s->count; i++)
        apply_event(w, &s->events[i]);
}

static void
take_back_step(struct world *w, int step)
{
    struct world_step *s = &w->steps[step];

    for (size_t i = s->count; i-- > 0;) {
        swap_contents(w, &s->events[i]);
        count_bytes(w, &s->events[i], -s->events[i].bytes);
    }
}

/* avg's divisions follow the last step and are shown with it. */
void
world_seek(struct world *w, int step)
{
    assert(step >= 0 && step <= w->nsteps);
    if (w->position == w->nsteps && step < w->nsteps)
        take_back_step(w, w->nsteps + 1);
    while (w->position > step)
        take_back_step(w, w->position--);
    while (w->position < step) {
        apply_step(w, ++w->position);
        if (w->position == w->nsteps)
            apply_step(w, w->nsteps + 1);
    }
}

/* A walk_fn. */
static void
count_traffic(void *state, int step, const struct transfer *t, int k, int chunk)
{
    struct world *w = state;
    const struct schedule *s = w->schedule;
    int64_t bytes = schedule_chunk_length(s, w->run->count, chunk) *
                    (int64_t)dtype_size(w->run->type);

    (void)step, (void)k;
    if (t->src == t->dst)
        return;
    if (w->links != NULL)
        w->links[t->src * s->nranks + t->dst].total += bytes;
    w->to_send[t->src] += bytes;
    w->to_receive[t->dst] += bytes;
}

/* Makes room to mark slots that hold wrong data; NULL: there are too many. */
static bool *
new_wrong(const struct schedule *s)
{
    size_t cells = schedule_cell(s, s->nranks, 0);
    size_t states = (size_t)s->nsteps + 1;

    return cells > WORLD_WRONG_MOST / states
               ? NULL
               : mem_new(cells * states, sizeof(bool));
}

static bool *
wrong_at(const struct world *w, int step, int rank, int slot)
{
    const struct schedule *s = w->schedule;

    return w->wrong + schedule_cell(s, step * s->nranks + rank, slot);
}

static bool
store_run(struct world *w, const struct item *item, struct err *err)
{
    const struct schedule *s = item->schedule;
    size_t n = (size_t)s->nranks, cells = n * (size_t)s->nslots;
    size_t words = (size_t)ledger_words(s->nranks);

    if (w->schedule != NULL)
        return err_set(err, "a second run");
    w->own_run = *item->run;
    w->run = &w->own_run;
    if (run_mismatched(w->run))
        w->wrong = new_wrong(s);
    w->schedule = schedule_share(s);
    w->nsteps = s->nsteps;
    w->words = content_words(s->nranks);
    w->contents = mem_new(cells * (size_t)w->words, sizeof *w->contents);
    w->counts = mem_new(cells, sizeof *w->counts);
    w->sent = mem_new(n, sizeof *w->sent);
    w->received = mem_new(n, sizeof *w->received);
    w->to_send = mem_new(n, sizeof *w->to_send);
    w->to_receive = mem_new(n, sizeof *w->to_receive);
    if (n <= WORLD_LINK_RANKS_MOST)
        w->links = mem_new(n * n, sizeof *w->links);
    schedule_walk(s, count_traffic, w);
    w->sums_from = schedule_sums_named_from(s);
    /* Making the row of a sum takes time proportional to the number of ranks,
     * and a screen full of names needs many: they are made once. */
    if (s->nranks > LEDGER_RANKS && s->collective->reduces)
        w->sums = mem_new((size_t)s->nchunks, words * sizeof *w->sums);
    for (int chunk = 0; chunk < s->nchunks && w->sums != NULL; chunk++)
        ledger_promise(w->sums + (size_t)chunk * words, s->nranks,
                       (struct promise){0, schedule_members(s) - 1, chunk});
    w->outlook = outlook_new(s);
    w->diaries = mem_new(n, sizeof *w->diaries);
    w->steps = mem_new((size_t)s->nsteps + 2, sizeof *w->steps);
    for (int step = 1; step <= s->nsteps; step++) {
        size_t count;
        const struct transfer *t = schedule_transfers(s, step, &count);
        for (size_t i = 0; i < count; i++)
            w->steps[step].slots_expected += (size_t)t[i].nslots;
    }
    return true;
}

static bool
store_input(struct world *w, const struct item *item, struct err *err)
{
    if (item->rank != w->inputs)
        return err_set(err, "the input of rank %d where rank %d's belongs",
                       item->rank, w->inputs);
    w->inputs++;
    memcpy(slot_content(w, item->rank, 0), item->content,
           (size_t)w->schedule->nslots * (size_t)w->words * sizeof(uint64_t));
    count_slots(w, item->rank, 0, w->schedule->nslots);
    return true;
}

/* Adds the step's last event to a diary. */
static void
add_to_diary(struct world_diary *d, struct world *w,
             const struct world_step *step)
{
    d->entries =
        mem_grow(d->entries, d->count, &d->capacity, sizeof *d->entries);
    d->entries[d->count++] = (struct world_entry){
        (int32_t)(step - w->steps), (uint32_t)(step->count - 1)};
}

/* The elements in slots of a rank after a step. */
static uint64_t
sum_lengths(const struct world *w, int rank, int slot, int nslots, int step)
{
    uint64_t sum = 0;

    for (int k = slot; k < slot + nslots; k++)
        sum += world_row_at(w, rank, k,
                            step)[ledger_words(w->schedule->nranks)];
    return sum;
}

/* Whether the data of a transfer had another length where it came from, as it
 * may in a mismatch. */
static bool
is_torn(const struct world *w, int step, const struct transfer *t)
{
    const struct world_step *s = &w->steps[step];

    for (size_t i = 0; i < s->count && run_mismatched(w->run); i++) {
        const struct event *e = &s->events[i];
        if (event_is_of(e, t) &&
            sum_lengths(w, e->src, e->src_slot, e->nslots, step - 1) !=
                sum_lengths(w, e->dst, e->dst_slot, e->nslots, step))
            return true;
    }
    return false;
}

/* Data is wrong if it was made of wrong data or received with a fault. */
static void
spread_wrong(struct world *w, int step)
{
    size_t count;
    const struct transfer *t = schedule_transfers(w->schedule, step, &count);

    trail_on(w->schedule, step, wrong_at(w, step - 1, 0, 0),
             wrong_at(w, step, 0, 0));
    for (; count-- > 0; t++) {
        int fault = world_fault(w, step, t);
        bool adds = t->op == TRANSFER_REDUCE;
        if (is_torn(w, step, t) ||
            (fault != FAULT_NONE && (adds || fault != FAULT_REPEAT)))
            memset(wrong_at(w, step, t->dst, t->dst_slot), true,
                   (size_t)t->nslots);
    }
}

/* At the end of a mismatched run an output slot may be complete and yet not
 * hold what its rank's own call promises ("1=root:2"): it is wrong, too. */
static void
check_outputs(struct world *w)
{
    const struct purpose_mismatch *m = &w->run->purpose.mismatch;

    for (int rank = 0; rank < w->schedule->nranks; rank++) {
        struct schedule called = *w->schedule; /* only for what it promises */
        struct region out;
        if (m->kind == MISMATCH_ROOT && rank == m->rank)
            called.root = (int)m->number;
        out = schedule_output(&called, rank);
        for (int k = 0; k < out.count; k++)
            if (!ledger_keeps(world_row_at(w, rank, out.first + k, w->nsteps),
                              called.nranks,
                              schedule_promise(&called, rank, k)))
                *wrong_at(w, w->nsteps, rank, out.first + k) = true;
    }
}

static bool
store_transfer(struct world *w, const struct event *event, struct err *err)
{
    const struct schedule *s = w->schedule;
    struct world_step *step;
    struct event *e;
    int64_t begin_ns;

    assert(event->step >= 1 &&
           event->step <= s->nsteps + (event->op == EVENT_DIVIDE) &&
           event->src >= 0 && event->src < s->nranks && event->dst >= 0 &&
           event->dst < s->nranks && event->nslots >= 1 &&
           event->src_slot >= 0 && event->dst_slot >= 0 &&
           event->src_slot + event->nslots <= s->nslots &&
           event->dst_slot + event->nslots <= s->nslots);
    if (w->inputs < s->nranks)
        return err_set(err, "a transfer before rank %d's input", w->inputs);
    if (w->has_result)
        return err_set(err, "a transfer after the result");
    step = &w->steps[event->op == EVENT_DIVIDE ? w->nsteps + 1 : event->step];
    if (event->slice == 0 && event->op != EVENT_DIVIDE) {
        step->slots_done += (size_t)event->nslots;
        if (step->slots_done > step->slots_expected)
            return err_set(err, "more transfers in step %d than its schedule "
                           "has", event->step);
    }
    step->events = mem_grow(step->events, step->count, &step->capacity,
                            sizeof *step->events);
    e = &step->events[step->count++];
    *e = *event;
    if (event->content != NULL) {
        size_t words = (size_t)e->nslots * (size_t)w->words;
        e->content = mem_new(words, sizeof *e->content);
        memcpy(e->content, event->content, words * sizeof *e->content);
    }
    begin_ns = e->begin_ns - e->wait_ns;
    if (step->count == 1 || begin_ns < step->begin_ns)
        step->begin_ns = begin_ns;
    if (step->count == 1 || e->end_ns > step->end_ns)
        step->end_ns = e->end_ns;
    add_to_diary(&w->diaries[e->dst], w, step);
    if (e->src != e->dst)
        add_to_diary(&w->diaries[e->src], w, step);
    if (e->fault != FAULT_NONE && !w->faulty) {
        w->faulty = true;
        w->fault = w->diaries[e->dst].entries[w->diaries[e->dst].count - 1];
        if (w->wrong == NULL)
            w->wrong = new_wrong(w->schedule);
    }
    while (w->wrong != NULL && w->wrong_steps < w->nsteps &&
           world_step_complete(w, w->wrong_steps + 1)) {
        spread_wrong(w, ++w->wrong_steps);
        if (w->wrong_steps == w->nsteps && run_mismatched(w->run))
            check_outputs(w);
    }
    if (e->end_ns > w->last_ns)
        w->last_ns = e->end_ns;
    if (e->op == EVENT_DIVIDE ? w->position == w->nsteps
                              : e->step <= w->position)
        apply_event(w, e);
    return true;
}

static bool
store_result(struct world *w, const struct run_result *result, struct err *err)
{
    if (w->has_result)
        return err_set(err, "a second result");
    w->has_result = true;
    w->result = *result;
    w->result.bytes_sent = mem_new((size_t)result->nranks,
                                   sizeof *w->result.bytes_sent);
    memcpy(w->result.bytes_sent, result->bytes_sent,
           (size_t)result->nranks * sizeof *result->bytes_sent);
    return true;
}

bool
world_add(struct world *w, const struct item *item, struct err *err)
{
    if (w->has_end)
        return err_set(err, "something after the end");
    if (w->schedule == NULL && item->type != ITEM_RUN)
        return err_set(err, "something before the run");
    switch (item->type) {
    case ITEM_RUN:
        return store_run(w, item, err);
    case ITEM_INPUT:
        return store_input(w, item, err);
    case ITEM_TRANSFER:
        return store_transfer(w, &item->event, err);
    case ITEM_RESULT:
        return store_result(w, item->result, err);
    case ITEM_END:
        w->has_end = true;
        w->complete = item->complete;
        return true;
    }
    return true;
}

bool
world_step_complete(const struct world *w, int step)
{
    return step == 0
               ? w->schedule != NULL && w->inputs == w->schedule->nranks
               : w->steps[step].slots_done == w->steps[step].slots_expected;
}

int
world_complete_steps(const struct world *w)
{
    int step = 0;

    while (step < w->nsteps && world_step_complete(w, step + 1))
        step++;
    return step;
}

const uint64_t *
world_row(const struct world *w, int rank, int slot)
{
    return slot_content(w, rank, slot);
}

const uint16_t *
world_counts(const struct world *w, int rank)
{
    return w->counts + schedule_cell(w->schedule, rank, 0);
}

static bool
writes_slot(const struct event *e, int rank, int slot)
{
    return e->slice == 0 && e->dst == rank && slot >= e->dst_slot &&
           slot < e->dst_slot + e->nslots;
}

const uint64_t *
world_content(const struct world *w, const struct event *e, int rank, int slot)
{
    return e != NULL && e->content != NULL && writes_slot(e, rank, slot)
               ? e->content + (slot - e->dst_slot) * w->words
               : NULL;
}

static bool
precedes_entry(struct world_entry a, struct world_entry b)
{
    return a.step != b.step ? a.step < b.step : a.index < b.index;
}

const struct event *
world_writer(const struct world *w, int rank, int slot, bool before,
             struct world_entry *at)
{
    const struct world_diary *diary = &w->diaries[rank];
    const struct world_entry limit = *at;
    const struct event *found = NULL;

    for (size_t i = 0; i < diary->count; i++) {
        struct world_entry one = diary->entries[i];
        const struct event *e = &w->steps[one.step].events[one.index];
        if (precedes_entry(one, limit) == before &&
            (found == NULL || precedes_entry(*at, one) == before) &&
            writes_slot(e, rank, slot)) {
            found = e;
            *at = one;
        }
    }
    return found;
}

/* An applied event carries what its slots held before it: going back, the first
 * event after the position has the answer.  One not yet applied carries what
 * its slots hold after it: going on, it is the last event up to there. */
const uint64_t *
world_row_at(const struct world *w, int rank, int slot, int position)
{
    bool back = position < w->position;
    int to = back ? w->position : position;
    int last = to == w->nsteps ? to + 1 : to;
    struct world_entry at = {back ? position + 1 : last + 1, 0};
    const uint64_t *row;

    assert(position >= 0 && position <= w->nsteps);
    row = world_content(w, world_writer(w, rank, slot, !back, &at), rank, slot);
    return position != w->position && row != NULL &&
                   (back ? at.step <= last : at.step > w->position)
               ? row
               : world_row(w, rank, slot);
}

int64_t
world_length(const struct world *w, int rank, int slot)
{
    return (int64_t)
        slot_content(w, rank, slot)[ledger_words(w->schedule->nranks)];
}

const uint64_t *
world_values(const struct world *w, int rank, int slot)
{
    return slot_content(w, rank, slot) + ledger_words(w->schedule->nranks) + 1;
}

void
world_add_values(const struct world *w, const uint64_t *row, struct buf *out)
{
    const uint64_t *values = row + ledger_words(w->schedule->nranks);
    int64_t length = (int64_t)*values++;
    char number[DTYPE_TEXT_MAX];

    for (int i = 0; i < EVENT_VALUES && i < length; i++) {
        dtype_format(w->run->type, &values[i], number);
        buf_addf(out, "%s%s", i > 0 ? " " : "", number);
    }
    if (length > EVENT_VALUES)
        buf_puts(out, " ...");
}

bool
world_is_wrong(const struct world *w, int step, int rank, int slot)
{
    return w->wrong != NULL && step <= w->wrong_steps &&
           *wrong_at(w, step, rank, slot);
}

int
world_fault(const struct world *w, int step, const struct transfer *t)
{
    const struct world_step *s = &w->steps[step];

    for (size_t i = 0; i < s->count && w->faulty && step > 0; i++)
        if (s->events[i].fault != FAULT_NONE && event_is_of(&s->events[i], t))
            return s->events[i].fault;
    return FAULT_NONE;
}

bool
world_is_sum(const struct world *w, const uint64_t *row, int *chunk)
{
    const struct ledger_entry *entries = (const struct ledger_entry *)row;
    int n = w->schedule->nranks, members = schedule_members(w->schedule);
    size_t words = (size_t)ledger_words(n);

    if (!w->schedule->collective->reduces || members == 1)
        return false;
    if (n <= LEDGER_RANKS) {
        int rank = 0; /* the first whose contribution is there */
        while (rank < n - 1 && entries[rank].times == 0)
            rank++;
        *chunk = entries[rank].chunk;
        return ledger_keeps(row, n, (struct promise){0, members - 1, *chunk});
    }
    if (row[0] != (uint64_t)members)
        return false;
    for (*chunk = 0; *chunk < w->schedule->nchunks; ++*chunk)
        if (memcmp(row, w->sums + (size_t)*chunk * words,
                   words * sizeof *row) == 0)
            return true;
    return false;
}

void
world_label(const struct world *w, const uint64_t *row, bool sums,
            struct buf *out)
{
    int chunk;

    if (sums && world_is_sum(w, row, &chunk))
        buf_addf(out, "S%d", chunk);
    else
        ledger_text(out, row, w->schedule->nranks,
                    schedule_members(w->schedule));
}
