/* SPDX-License-Identifier: MIT */
#include "run/message_rank.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/prepare.h"

/* The most steps in a device's queue; starting one more would wait. */
enum { QUEUED_MOST = 256 };

/* Words of a message with a ledger row, and the time. */
static size_t
row_words(const struct message_rank *r)
{
    return message_rank_row_bytes(r->share->nranks) / sizeof(uint64_t);
}

const struct share_step *
message_rank_step(const struct message_rank *r)
{
    return &r->share->steps[r->step - 1];
}

/* Slots begin on boundaries that suit vectors. */
static size_t
slot_bytes(const struct message_rank *r, int slot)
{
    int64_t room = r->share->rooms[slot];

    if (room < r->share->longest)
        room = r->share->longest;
    return ((size_t)room * (size_t)r->memory.element + 63) / 64 * 64;
}

static void
make_slots(struct message_rank *r)
{
    struct rank_memory *m = &r->memory;
    size_t bytes = 0;

    m->slots = mem_new((size_t)m->nslots, sizeof *m->slots);
    for (int slot = 0; slot < m->nslots; slot++)
        if (__builtin_add_overflow(r->payload_bytes, slot_bytes(r, slot),
                                   &r->payload_bytes))
            die("out of memory for %d slots", m->nslots);
    r->payloads = mem_new_aligned(r->payload_bytes, 1);
    for (int slot = 0; slot < m->nslots; slot++) {
        m->slots[slot].length = r->share->rooms[slot];
        m->slots[slot].data = r->payloads + bytes;
        bytes += slot_bytes(r, slot);
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
                           row_words(r) * sizeof(uint64_t));
    r->received_rows = mem_new((size_t)most_receives,
                               row_words(r) * sizeof(uint64_t));
    log_reserve(&r->log, message_rank_room(r->share), r->share->nranks);
}

struct log_room
message_rank_room(const struct share *share)
{
    struct log_room room = {0, 0};

    for (size_t i = 0; share->watched && i < share->nevents; i++) {
        room.events++;
        room.contents += (size_t)share->events[i].nslots;
    }
    return room;
}

/* Begins again with step 1, with whatever the slots hold. */
static void
rewind_steps(struct message_rank *r)
{
    r->step = 1;
    r->at = (struct place){r->share->sends, r->share->receives,
                           r->share->works, r->share->events};
}

void
message_rank_init(struct message_rank *r, struct share *share)
{
    *r = (struct message_rank){.share = share};
    r->kernels = kernels_for(share->data.type, share->data.op);
    r->memory = (struct rank_memory){
        .rank = share->rank, .nranks = share->nranks,
        .nslots = share->nslots, .uneven = share->uneven,
        .element = (int)dtype_size(share->data.type)};
    r->log.published = &r->log.nevents;
    make_slots(r);
    if (share->watched)
        make_rows(r);
    rank_memory_input(&r->memory, share->input, share->lengths, &share->data);
    rewind_steps(r);
}

void
message_rank_done(struct message_rank *r)
{
    if (r->payloads_by.give_up != NULL)
        r->payloads_by.give_up(r->payloads_by.with);
    if (r->rows_by.give_up != NULL && r->rows_by.with != r->payloads_by.with)
        r->rows_by.give_up(r->rows_by.with);
    if (r->device.with != NULL)
        r->device.free(r->device.with);
    free(r->payloads);
    free(r->memory.slots);
    free(r->memory.rows);
    free(r->sent_rows);
    free(r->received_rows);
    log_done(&r->log);
    free(r->share);
}

bool
message_rank_is_through(const struct message_rank *r)
{
    return r->step > r->share->nsteps + 1;
}

bool
message_rank_rests(const struct message_rank *r)
{
    return r->phase == PHASE_WAIT;
}

bool
message_rank_idle(const struct message_rank *r)
{
    return r->step > r->granted && !r->unsettled;
}

/* The time since the run's start; 0 if that seems to be still to come, as it
 * may on another host, whose clock is not known exactly. */
static int64_t
time_since_start(const struct message_rank *r)
{
    int64_t ns = r->clock.now_ns != NULL ? r->clock.now_ns(r->clock.with)
                                         : clock_ns();

    return ns > r->start_ns ? ns - r->start_ns : 0;
}

void
message_rank_grant(struct message_rank *r, int to, int64_t start_ns)
{
    int nsteps = r->share->nsteps;

    if (message_rank_is_through(r)) {
        assert(!r->share->watched);
        rewind_steps(r);
    }
    r->granted = to >= nsteps ? nsteps + 1 : to;
    r->start_ns = start_ns;
    r->ready_ns = time_since_start(r);
}

/* The delay before this step in ns, or DELAY_FOREVER. */
static int64_t
delay_ns(const struct message_rank *r)
{
    return message_rank_step(r)->takes_part ? r->share->delay_ns : 0;
}

int64_t
message_rank_delay_us(const struct message_rank *r)
{
    int64_t left_ns;

    if (r->step > r->granted || r->phase != PHASE_WAIT)
        return INT64_MAX;
    if (delay_ns(r) == DELAY_FOREVER)
        return DELAY_FOREVER;
    left_ns = r->ready_ns + delay_ns(r) - time_since_start(r);
    return left_ns > 0 ? (left_ns + 999) / 1000 : 0;
}

bool
message_rank_waits_for_device(const struct message_rank *r)
{
    return r->device.with != NULL &&
           (r->unsettled || r->phase == PHASE_TAKE_OUT ||
            r->phase == PHASE_WORK ||
            (r->phase == PHASE_EXCHANGE && r->device.polled));
}

bool
message_rank_fetch(struct message_rank *r, struct err *err)
{
    return r->device.with == NULL ||
           r->device.fetch(r->device.with, r->share->output, err);
}

/* Appends a slot's content to the report: `seen` with the ledger row of this
 * memory, or, if `seen` is NULL, all from this memory. */
static void
add_content(struct message_rank *r, int slot, int64_t length,
            const uint64_t *seen)
{
    size_t words = (size_t)content_words(r->share->nranks);
    uint64_t *content = r->log.contents + r->log.ncontents++ * words;

    if (seen == NULL)
        content_copy(content, NULL, r->share->nranks,
                     r->memory.slots[slot].data, length, r->memory.element);
    else
        memcpy(content, seen, words * sizeof *content);
    if (!r->device.has_rows)
        ledger_copy(content, rank_memory_row(&r->memory, slot),
                    r->share->nranks);
}

static void
execute_on_row(struct message_rank *r, const struct work *w,
               const uint64_t *seen)
{
    const struct rank_memory *m = &r->memory;

    if (w->op == WORK_REPORT)
        add_content(r, w->to, w->length, seen);
    else if (w->op == WORK_COPY && !r->device.has_rows)
        ledger_copy(rank_memory_row(m, w->to), rank_memory_row(m, w->from),
                    m->nranks);
    else if (w->op == WORK_COMBINE && !r->device.has_rows)
        ledger_add(rank_memory_row(m, w->to), rank_memory_row(m, w->add),
                   rank_memory_row(m, w->from), m->nranks);
}

static void
execute_on_payload(const struct message_rank *r, const struct work *w)
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
        r->kernels.divide(to, w->length, r->share->members);
}

/* Fills in the event that comes next, whose data has come from `message` if it
 * came from another rank.  Ranks' clocks may differ a little, so a message may
 * seem to have been sent after it came. */
static void
log_event(struct message_rank *r, const struct event *known, int message,
          uint64_t *content, int64_t now_ns)
{
    size_t row = row_words(r) - 1, words = row + 1 + EVENT_VALUES;
    const uint64_t *rows = r->received_rows + (size_t)message * (row + 1);
    bool remote = known->src != known->dst;
    struct event *e = &r->log.events[r->log.nevents++];

    *e = *known;
    e->content = content;
    e->begin_ns = r->posted_ns;
    e->end_ns = now_ns;
    for (int k = 0; remote && k < e->nslots; k++) {
        int64_t sent = 0;
        if (!r->device.has_rows)
            sent = (int64_t)rows[(size_t)k * (row + 1) + row];
        if (sent > e->begin_ns)
            e->begin_ns = sent;
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

/* Carries out the step's works, once its messages are over.  If a device has
 * done those on payloads, it may have left those on ledger rows. */
static void
execute_works(struct message_rank *r)
{
    const uint64_t *seen = NULL;

    if (r->device.with != NULL)
        seen = r->device.reports(r->device.with);
    for (int i = 0; r->share->watched && !r->device.has_rows &&
                    i < message_rank_step(r)->nreceives;
         i++)
        ledger_copy(rank_memory_row(&r->memory, r->at.receive[i].slot),
                    r->received_rows + (size_t)i * row_words(r),
                    r->share->nranks);
    for (int i = 0; i < message_rank_step(r)->nworks; i++) {
        const struct work *w = &r->at.work[i];
        if (seen == NULL)
            execute_on_payload(r, w);
        if (r->share->watched)
            execute_on_row(r, w, seen);
        if (seen != NULL && w->op == WORK_REPORT)
            seen += content_words(r->share->nranks);
    }
}

/* Ends the step.  The contents of its events are the last ones that were
 * added. */
static void
next_step(struct message_rank *r)
{
    const struct share_step *step = message_rank_step(r);
    size_t words = (size_t)content_words(r->share->nranks);
    int nevents = r->share->watched ? step->nevents : 0, message = 0;
    uint64_t *content =
        nevents > 0 ? r->log.contents + r->log.ncontents * words : NULL;
    int64_t now_ns = time_since_start(r);

    for (int i = 0; i < nevents; i++)
        content -= (size_t)r->at.event[i].nslots * words;
    for (int i = 0; i < nevents; i++) {
        const struct event *e = &r->at.event[i];
        log_event(r, e, message, content, now_ns);
        content += (size_t)e->nslots * words;
        message += e->src != e->dst ? e->nslots : 0;
    }
    r->at.send += step->nsends;
    r->at.receive += step->nreceives;
    r->at.work += step->nworks;
    r->at.event += step->nevents;
    r->step++;
    r->ready_ns = time_since_start(r);
    r->phase = PHASE_WAIT;
}

/* In a mismatched run a message of no elements is carried as well, since the
 * other side may expect some, and there is room for the longest message: if one
 * was too long, Open MPI 4.1.4 wrote beyond the memory that was to receive
 * it. */
static bool
move_payload(struct message_rank *r, const struct message *m, bool out,
             struct err *err)
{
    const struct carrier *c = &r->payloads_by;
    size_t element = (size_t)r->memory.element;
    size_t bytes = (size_t)m->length * element;
    size_t longest = (size_t)r->share->longest * element;
    void *at = r->device.with != NULL
                   ? r->device.at(r->device.with, m->slot, TAG_PAYLOAD)
                   : r->memory.slots[m->slot].data;

    if (bytes == 0 && !r->share->mismatched)
        return true;
    return out ? c->send(c->with, m->peer, TAG_PAYLOAD, at, bytes, err)
               : c->receive(c->with, m->peer, TAG_PAYLOAD, at, bytes,
                            longest > bytes ? longest : bytes, err);
}

/* The row of the step's i-th send or receive. */
static bool
move_row(struct message_rank *r, int i, bool out, struct err *err)
{
    const struct message *m = out ? &r->at.send[i] : &r->at.receive[i];
    const struct carrier *c = &r->rows_by;
    size_t words = row_words(r);
    uint64_t *row = (out ? r->sent_rows : r->received_rows) + (size_t)i * words;

    if (!r->share->watched)
        return true;
    if (r->device.has_rows) {
        row = r->device.at(r->device.with, m->slot, TAG_ROW);
        words--;
    } else if (out) {
        ledger_copy(row, rank_memory_row(&r->memory, m->slot),
                    r->share->nranks);
        row[words - 1] = (uint64_t)r->posted_ns;
    }
    words *= sizeof *row;
    return out ? c->send(c->with, m->peer, TAG_ROW, row, words, err)
               : c->receive(c->with, m->peer, TAG_ROW, row, words, words, err);
}

/* Receives are posted first, so that what comes has a place to go. */
static bool
post_messages(struct message_rank *r, struct err *err)
{
    const struct share_step *step = message_rank_step(r);

    for (int i = 0; i < step->nreceives; i++)
        if (!move_payload(r, &r->at.receive[i], false, err) ||
            !move_row(r, i, false, err))
            return false;
    for (int i = 0; i < step->nsends; i++)
        if (!move_payload(r, &r->at.send[i], true, err) ||
            !move_row(r, i, true, err))
            return false;
    return true;
}

static bool
is_phase_over(struct message_rank *r, bool *over, struct err *err)
{
    const struct carrier *c = &r->payloads_by, *rows = &r->rows_by;
    enum carried how;
    int64_t delay;

    *over = true;
    if (r->phase == PHASE_WAIT) {
        delay = delay_ns(r);
        if (r->clock.sleep != NULL)
            r->clock.sleep(delay);
        *over = delay == 0 ||
                (delay != DELAY_FOREVER &&
                 (r->clock.sleep != NULL ||
                  time_since_start(r) >= r->ready_ns + delay));
        if (!*over || r->queued < QUEUED_MOST)
            return true;
        if (!r->device.is_over(r->device.with, over, err))
            return false;
        r->queued = *over ? 0 : r->queued;
        return true;
    }
    if (r->phase == PHASE_EXCHANGE) {
        if (!c->test(c->with, &how, err) ||
            (how == CARRIED_ALL && rows->with != c->with &&
             !rows->test(rows->with, &how, err)))
            return false;
        r->stopped = how == CARRIED_TOO_LONG;
        *over = how == CARRIED_ALL;
    }
    return !*over || r->device.with == NULL ||
           (r->device.in_order && !r->share->watched) ||
           r->device.is_over(r->device.with, over, err);
}

/* Begins the phase that follows one that is over. */
static bool
begin_next(struct message_rank *r, struct err *err)
{
    const struct device *d = &r->device;

    switch (r->phase) {
    case PHASE_WAIT:
        r->posted_ns = time_since_start(r);
        r->phase = PHASE_TAKE_OUT;
        r->unsettled = d->with != NULL && d->in_order && !r->share->watched;
        r->queued += r->unsettled;
        return d->with == NULL || d->take_out(d->with, err);
    case PHASE_TAKE_OUT:
        r->phase = PHASE_EXCHANGE;
        return post_messages(r, err);
    case PHASE_EXCHANGE:
        r->phase = PHASE_WORK;
        return d->with == NULL || d->work(d->with, err);
    case PHASE_WORK:
        execute_works(r);
        next_step(r);
    }
    return true;
}

static bool
settle_device(struct message_rank *r, struct err *err)
{
    bool over;

    if (!r->device.is_over(r->device.with, &over, err))
        return false;
    r->unsettled = !over;
    return true;
}

bool
message_rank_advance(struct message_rank *r, bool *moved, struct err *err)
{
    bool over;

    while (r->step <= r->granted && !r->stopped) {
        if (!is_phase_over(r, &over, err) || (over && !begin_next(r, err)))
            return err_prefix(err, "step %d", r->step);
        if (!over)
            return true;
        *moved = true;
        if (r->clock.sleep != NULL && r->phase == PHASE_WAIT)
            break;
    }
    return !r->unsettled || r->stopped || settle_device(r, err);
}

/* Looks without success before a rank lets others have its core, which they
 * need if there are more ranks than cores. */
enum { LOOKS = 200 };

bool
message_rank_call(void *rank, struct err *err)
{
    struct message_rank *r = rank;
    int looks = 0;

    message_rank_grant(r, r->share->nsteps, 0);
    while (r->step <= r->granted) {
        bool moved = false;

        if (!message_rank_advance(r, &moved, err))
            return false;
        looks = moved ? 0 : looks + 1;
        if (looks > LOOKS)
            sched_yield();
    }
    return true;
}

bool
message_rank_settle(void *rank, struct err *err)
{
    struct message_rank *r = rank;

    while (r->unsettled)
        if (!settle_device(r, err))
            return false;
    return true;
}
