/* SPDX-License-Identifier: MIT */
#include "run/message_rank.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

size_t
message_rank_row_words(const struct message_rank *r)
{
    return (size_t)ledger_words(r->share->nranks) + 1;
}

const struct share_step *
message_rank_step(const struct message_rank *r)
{
    return &r->share->steps[r->step - 1];
}

/* Slots begin on boundaries that suit vectors. */
static size_t
padded(int64_t length, int element)
{
    return ((size_t)length * (size_t)element + 63) / 64 * 64;
}

static size_t
slot_bytes(const struct message_rank *r, int slot)
{
    int64_t room = r->share->rooms[slot];

    return padded(room > r->share->longest ? room : r->share->longest,
                  r->memory.element);
}

static void
make_slots(struct message_rank *r)
{
    struct rank_memory *m = &r->memory;
    size_t bytes = 0;

    m->slots = mem_new((size_t)m->nslots, sizeof *m->slots);
    for (int slot = 0; slot < m->nslots; slot++)
        r->payload_bytes += slot_bytes(r, slot);
    r->payloads = mem_new_aligned(r->payload_bytes, 1);
    for (int slot = 0; slot < m->nslots; slot++) {
        m->slots[slot].length = r->share->rooms[slot];
        m->slots[slot].data = r->payloads + bytes;
        bytes += slot_bytes(r, slot);
    }
}

/* Input that was given, in place of the pattern. */
static void
write_given(struct message_rank *r)
{
    const unsigned char *from = r->share->given;

    for (int i = 0; from != NULL && i < r->share->input.count; i++) {
        size_t bytes =
            (size_t)r->share->lengths[i] * (size_t)r->memory.element;
        memcpy(r->memory.slots[r->share->input.first + i].data, from, bytes);
        from += bytes;
    }
}

static void
make_rows(struct message_rank *r)
{
    int most_sends = 0, most_receives = 0;

    r->memory.rows =
        mem_new((size_t)r->memory.nslots,
                (size_t)ledger_words(r->share->nranks) * sizeof(uint64_t));
    for (int i = 0; i <= r->share->nsteps; i++) {
        const struct share_step *step = &r->share->steps[i];
        if (step->nsends > most_sends)
            most_sends = step->nsends;
        if (step->nreceives > most_receives)
            most_receives = step->nreceives;
    }
    r->sent_rows = mem_new((size_t)most_sends,
                           message_rank_row_words(r) * sizeof(uint64_t));
    r->received_rows = mem_new((size_t)most_receives,
                               message_rank_row_words(r) * sizeof(uint64_t));
}

void
message_rank_rewind(struct message_rank *r)
{
    r->step = 1;
    r->posted = false;
    r->at = (struct place){r->share->sends, r->share->receives,
                           r->share->works, r->share->events};
}

void
message_rank_init(struct message_rank *r, struct share *share)
{
    struct input input = {.type = (enum dtype)share->type,
                          .op = (enum redop)share->op,
                          .count = share->count};

    *r = (struct message_rank){.share = share};
    r->kernels = kernels_for(input.type, input.op);
    r->memory = (struct rank_memory){
        .rank = share->rank, .nranks = share->nranks,
        .nslots = share->nslots, .element = (int)dtype_size(input.type)};
    make_slots(r);
    if (share->watched)
        make_rows(r);
    rank_memory_input(&r->memory, share->input, share->lengths, &input);
    write_given(r);
    message_rank_rewind(r);
}

void
message_rank_done(struct message_rank *r)
{
    free(r->payloads);
    free(r->memory.slots);
    free(r->memory.rows);
    free(r->sent_rows);
    free(r->received_rows);
    free(r->events);
    free(r->contents);
    free(r->share);
}

void
message_rank_contents(const struct message_rank *r, uint64_t *contents)
{
    const struct share *s = r->share;
    size_t words = (size_t)content_words(s->nranks);

    for (int slot = 0; slot < s->nschedule_slots; slot++)
        rank_memory_content(&r->memory, slot,
                            region_has(s->input, slot)
                                ? s->lengths[slot - s->input.first]
                                : 0,
                            contents + (size_t)slot * words);
}

bool
message_rank_is_through(const struct message_rank *r)
{
    return r->step > r->share->nsteps + 1;
}

void
message_rank_post(struct message_rank *r, int64_t now_ns)
{
    r->posted = true;
    r->posted_ns = now_ns;
}

uint64_t *
message_rank_sent_row(struct message_rank *r, int i)
{
    size_t words = message_rank_row_words(r);
    uint64_t *row = r->sent_rows + (size_t)i * words;

    ledger_copy(row, rank_memory_row(&r->memory, r->at.send[i].slot),
                r->share->nranks);
    row[words - 1] = (uint64_t)r->posted_ns;
    return row;
}

uint64_t *
message_rank_received_row(struct message_rank *r, int i)
{
    return r->received_rows + (size_t)i * message_rank_row_words(r);
}

/* Appends a slot's content to what is to be reported: that of this memory, or,
 * if it is not NULL, `seen` with the row of this memory. */
static void
add_content(struct message_rank *r, int slot, int64_t length,
            const uint64_t *seen)
{
    size_t words = (size_t)content_words(r->share->nranks);
    uint64_t *content;

    while (r->ncontents + words > r->contents_capacity) {
        r->contents_capacity = 2 * r->contents_capacity + 64 * words;
        r->contents = mem_resize(r->contents, r->contents_capacity,
                                 sizeof *r->contents);
    }
    content = r->contents + r->ncontents;
    r->ncontents += words;
    if (seen == NULL) {
        rank_memory_content(&r->memory, slot, length, content);
        return;
    }
    memcpy(content, seen, words * sizeof *content);
    ledger_copy(content, rank_memory_row(&r->memory, slot),
                r->share->nranks);
}

static void
do_row(struct message_rank *r, const struct work *w, const uint64_t *seen)
{
    const struct rank_memory *m = &r->memory;

    if (w->op == WORK_COPY)
        ledger_copy(rank_memory_row(m, w->to), rank_memory_row(m, w->from),
                    m->nranks);
    else if (w->op == WORK_COMBINE)
        ledger_add(rank_memory_row(m, w->to), rank_memory_row(m, w->add),
                   rank_memory_row(m, w->from), m->nranks);
    else if (w->op == WORK_REPORT)
        add_content(r, w->to, w->length, seen);
}

static void
do_payload(const struct message_rank *r, const struct work *w)
{
    const struct rank_slot *slots = r->memory.slots;
    size_t bytes = (size_t)w->length * (size_t)r->memory.element;
    unsigned char *to = slots[w->to].data;

    if (w->length == 0)
        return;
    if (w->op == WORK_COPY)
        memmove(to, slots[w->from].data, bytes);
    else if (w->op == WORK_COMBINE)
        r->kernels.combine(to, slots[w->add].data, slots[w->from].data,
                           w->length);
    else if (w->op == WORK_SPOIL)
        r->kernels.corrupt(to);
    else if (w->op == WORK_DIVIDE)
        r->kernels.divide(to, w->length, r->share->nranks);
}

/* Fills in the event that comes next, whose data has come from `message` if it
 * came from another rank.  Ranks' clocks may differ a little, so a message may
 * seem to have been sent after it came. */
static void
add_event(struct message_rank *r, const struct event *known, int message,
          const uint64_t *content, int64_t now_ns)
{
    size_t row = message_rank_row_words(r) - 1, words = row + 1 + EVENT_VALUES;
    bool remote = known->src != known->dst;
    struct event *e;

    r->events = mem_grow(r->events, r->nevents, &r->events_capacity,
                         sizeof *r->events);
    e = &r->events[r->nevents++];
    *e = *known;
    e->begin_ns = r->posted_ns;
    e->end_ns = now_ns;
    for (int k = 0; remote && k < e->nslots; k++) {
        uint64_t sent = r->received_rows[(size_t)(message + k) * (row + 1) +
                                         row];
        if ((int64_t)sent > e->begin_ns)
            e->begin_ns = (int64_t)sent;
        if (e->fault != FAULT_DROP)
            e->bytes += (int64_t)content[(size_t)k * words + row] *
                        r->memory.element;
    }
    if (e->begin_ns > e->end_ns)
        e->begin_ns = e->end_ns;
    e->wait_ns = e->begin_ns - r->posted_ns;
    if (e->wait_ns > 0)
        e->waited_for = e->src;
}

/* Puts received rows where their slots are. */
static void
place_rows(struct message_rank *r)
{
    for (int i = 0; i < message_rank_step(r)->nreceives; i++)
        ledger_copy(rank_memory_row(&r->memory, r->at.receive[i].slot),
                    message_rank_received_row(r, i), r->share->nranks);
}

void
message_rank_work(struct message_rank *r)
{
    bool watched = r->share->watched;

    if (watched)
        place_rows(r);
    for (int i = 0; i < message_rank_step(r)->nworks; i++) {
        do_payload(r, &r->at.work[i]);
        if (watched)
            do_row(r, &r->at.work[i], NULL);
    }
}

void
message_rank_work_rows(struct message_rank *r, const uint64_t *reports)
{
    if (!r->share->watched)
        return;
    place_rows(r);
    for (int i = 0; i < message_rank_step(r)->nworks; i++) {
        const struct work *w = &r->at.work[i];
        do_row(r, w, reports);
        if (w->op == WORK_REPORT)
            reports += content_words(r->share->nranks);
    }
}

/* The contents of the step's events are the last ones that were added. */
static void
add_events(struct message_rank *r, int64_t now_ns)
{
    const struct share_step *step = message_rank_step(r);
    size_t words = (size_t)content_words(r->share->nranks);
    size_t contents = r->ncontents;
    int message = 0;

    for (int i = 0; i < step->nevents; i++)
        contents -= (size_t)r->at.event[i].nslots * words;
    for (int i = 0; i < step->nevents; i++) {
        const struct event *e = &r->at.event[i];
        add_event(r, e, message, r->contents + contents, now_ns);
        contents += (size_t)e->nslots * words;
        message += e->src != e->dst ? e->nslots : 0;
    }
}

void
message_rank_next(struct message_rank *r, int64_t now_ns)
{
    const struct share_step *step = message_rank_step(r);

    if (r->share->watched)
        add_events(r, now_ns);
    r->at.send += step->nsends;
    r->at.receive += step->nreceives;
    r->at.work += step->nworks;
    r->at.event += step->nevents;
    r->posted = false;
    r->step++;
}

struct event *
message_rank_report(struct message_rank *r, size_t *nevents, size_t *length)
{
    size_t events = r->nevents * sizeof *r->events;
    size_t contents = r->ncontents * sizeof *r->contents;
    unsigned char *report;

    *nevents = r->nevents;
    *length = events + contents;
    if (r->nevents == 0)
        return NULL;
    report = mem_new(*length, 1);
    memcpy(report, r->events, events);
    memcpy(report + events, r->contents, contents);
    r->nevents = r->ncontents = 0;
    return (struct event *)report;
}
