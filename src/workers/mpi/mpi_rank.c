/* SPDX-License-Identifier: MIT */
#include "workers/mpi/mpi_rank.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/kernels.h"
#include "workers/mpi/mpi_call.h"

enum { DATA_TAG = 1, ROW_TAG = 2 };

/* Where a step's parts begin in the share. */
struct place {
    const struct message *send, *receive;
    const struct work *work;
    const struct event *event;
};

struct mpi_rank {
    const struct mpi_world *w;
    struct share *share;
    struct rank_memory memory;
    struct kernels kernels;
    unsigned char *payloads; /* of all slots */
    int step;    /* being done, or to be done next; from 1 */
    int granted; /* may be done: nsteps + 1 includes the division */
    bool posted; /* the step's messages are under way */
    struct place at;
    int64_t start_ns;
    int64_t ready_ns;  /* when the step could begin */
    int64_t posted_ns;
    MPI_Request *requests;
    size_t nrequests, requests_capacity;
    size_t nover; /* requests before this one are over */
    uint64_t *sent_rows, *received_rows; /* a step's, each with its time */
    struct event *events; /* not yet reported */
    uint64_t *contents;
    size_t nevents, events_capacity, ncontents, contents_capacity;
};

/* Words of a message with a ledger row: the time at which it was sent
 * follows. */
static size_t
row_words(const struct mpi_rank *r)
{
    return (size_t)ledger_words(r->share->nranks) + 1;
}

static uint64_t *
row_of(const struct mpi_rank *r, int slot)
{
    return rank_memory_row(&r->memory, slot);
}

/* The time since the run's start.  On another host, whose clock is known only
 * so well, that may seem not to have come yet. */
static int64_t
now(const struct mpi_rank *r)
{
    int64_t ns = mpi_world_ns(r->w) - r->start_ns;

    return ns > 0 ? ns : 0;
}

static const struct share_step *
step_of(const struct mpi_rank *r)
{
    return &r->share->steps[r->step - 1];
}

/* Slots begin on boundaries that suit vectors. */
static size_t
padded(int64_t length, int element)
{
    return ((size_t)length * (size_t)element + 63) / 64 * 64;
}

static void
make_slots(struct mpi_rank *r)
{
    struct rank_memory *m = &r->memory;
    size_t bytes = 0;

    m->slots = mem_new((size_t)m->nslots, sizeof *m->slots);
    for (int slot = 0; slot < m->nslots; slot++)
        bytes += padded(r->share->rooms[slot], m->element);
    r->payloads = mem_new_aligned(bytes, 1);
    bytes = 0;
    for (int slot = 0; slot < m->nslots; slot++) {
        m->slots[slot].length = r->share->rooms[slot];
        m->slots[slot].data = r->payloads + bytes;
        bytes += padded(r->share->rooms[slot], m->element);
    }
}

/* Input that was given, in place of the pattern. */
static void
write_given(struct mpi_rank *r)
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
make_rows(struct mpi_rank *r)
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
}

static void
rewind_share(struct mpi_rank *r)
{
    r->step = 1;
    r->at = (struct place){r->share->sends, r->share->receives,
                           r->share->works, r->share->events};
}

struct mpi_rank *
mpi_rank_new(const struct mpi_world *w, struct share *share)
{
    struct mpi_rank *r = mem_new(1, sizeof *r);
    struct input input = {.type = (enum dtype)share->type,
                          .op = (enum redop)share->op,
                          .count = share->count};

    r->w = w;
    r->share = share;
    r->kernels = kernels_for(input.type, input.op);
    r->memory = (struct rank_memory){
        .rank = share->rank, .nranks = share->nranks,
        .nslots = share->nslots, .element = (int)dtype_size(input.type)};
    make_slots(r);
    if (share->watched)
        make_rows(r);
    rank_memory_input(&r->memory, share->input, share->lengths, &input);
    write_given(r);
    rewind_share(r);
    return r;
}

void
mpi_rank_free(struct mpi_rank *r)
{
    if (r == NULL)
        return;
    assert(mpi_rank_rests(r));
    free(r->requests);
    free(r->payloads);
    free(r->memory.slots);
    free(r->memory.rows);
    free(r->sent_rows);
    free(r->received_rows);
    free(r->events);
    free(r->contents);
    free(r->share);
    free(r);
}

bool
mpi_rank_rests(const struct mpi_rank *r)
{
    return r->nrequests == 0;
}

const struct share *
mpi_rank_share(const struct mpi_rank *r)
{
    return r->share;
}

const struct rank_memory *
mpi_rank_memory(const struct mpi_rank *r)
{
    return &r->memory;
}

bool
mpi_rank_idle(const struct mpi_rank *r)
{
    return r->step > r->granted;
}

void
mpi_rank_grant(struct mpi_rank *r, int to, int64_t start_ns)
{
    if (r->step > r->share->nsteps + 1) {
        assert(!r->share->watched);
        rewind_share(r);
    }
    r->granted = to == r->share->nsteps ? to + 1 : to;
    r->start_ns = start_ns;
    r->ready_ns = now(r);
}

/* The delay before this step in ns, or DELAY_FOREVER. */
static int64_t
delay_ns(const struct mpi_rank *r)
{
    return step_of(r)->takes_part ? r->share->delay_ns : 0;
}

int64_t
mpi_rank_delay_us(const struct mpi_rank *r)
{
    int64_t left_ns;

    if (mpi_rank_idle(r) || r->posted || delay_ns(r) == DELAY_FOREVER)
        return INT64_MAX;
    left_ns = r->ready_ns + delay_ns(r) - now(r);
    return left_ns > 0 ? (left_ns + 999) / 1000 : 0;
}

bool
mpi_rank_never_goes_on(const struct mpi_rank *r)
{
    return !mpi_rank_idle(r) && !r->posted && delay_ns(r) == DELAY_FOREVER;
}

static bool
delay_is_over(const struct mpi_rank *r)
{
    int64_t delay = delay_ns(r);

    mpi_world_sleep(delay);
    return delay == 0 ||
           (delay != DELAY_FOREVER &&
            (MPI_SIMULATED || now(r) >= r->ready_ns + delay));
}

/* Where the next request of the step goes. */
static MPI_Request *
new_request(struct mpi_rank *r)
{
    r->requests = mem_grow(r->requests, r->nrequests, &r->requests_capacity,
                           sizeof(MPI_Request));
    r->requests[r->nrequests] = MPI_REQUEST_NULL;
    return &r->requests[r->nrequests++];
}

static bool
send(struct mpi_rank *r, const void *from, size_t bytes, int peer, int tag,
     struct err *err)
{
    return mpi_ok(MPI_Isend(from, (int)bytes, MPI_BYTE, peer, tag, r->w->data,
                            new_request(r)),
                  "MPI_Isend", err);
}

static bool
receive(struct mpi_rank *r, void *to, size_t bytes, int peer, int tag,
        struct err *err)
{
    return mpi_ok(MPI_Irecv(to, (int)bytes, MPI_BYTE, peer, tag, r->w->data,
                            new_request(r)),
                  "MPI_Irecv", err);
}

/* Both sides cut a message at the same places: its length is in the plan. */
static bool
move_payload(struct mpi_rank *r, const struct message *m, bool out,
             struct err *err)
{
    unsigned char *at = r->memory.slots[m->slot].data;
    size_t left = (size_t)m->length * (size_t)r->memory.element;

    while (left > 0) {
        size_t n = left < MPI_PIECE_BYTES ? left : MPI_PIECE_BYTES;
        if (!(out ? send(r, at, n, m->peer, DATA_TAG, err)
                  : receive(r, at, n, m->peer, DATA_TAG, err)))
            return false;
        at += n;
        left -= n;
    }
    return true;
}

static bool
send_row(struct mpi_rank *r, const struct message *m, int i, struct err *err)
{
    uint64_t *row = r->sent_rows + (size_t)i * row_words(r);

    ledger_copy(row, row_of(r, m->slot), r->share->nranks);
    row[row_words(r) - 1] = (uint64_t)r->posted_ns;
    return send(r, row, row_words(r) * sizeof *row, m->peer, ROW_TAG, err);
}

static bool
receive_row(struct mpi_rank *r, const struct message *m, int i,
            struct err *err)
{
    uint64_t *row = r->received_rows + (size_t)i * row_words(r);

    return receive(r, row, row_words(r) * sizeof *row, m->peer, ROW_TAG, err);
}

/* Receives are posted first, so that what comes has a place to go. */
static bool
post_messages(struct mpi_rank *r, struct err *err)
{
    const struct share_step *step = step_of(r);
    bool watched = r->share->watched;

    r->posted = true;
    r->posted_ns = now(r);
    for (int i = 0; i < step->nreceives; i++)
        if (!move_payload(r, &r->at.receive[i], false, err) ||
            (watched && !receive_row(r, &r->at.receive[i], i, err)))
            return false;
    for (int i = 0; i < step->nsends; i++)
        if (!move_payload(r, &r->at.send[i], true, err) ||
            (watched && !send_row(r, &r->at.send[i], i, err)))
            return false;
    return true;
}

static bool
messages_are_over(struct mpi_rank *r, bool *over, struct err *err)
{
    int done = 1;

    while (r->nover < r->nrequests) {
        MPI_Request *request = &r->requests[r->nover];
        int code = MPI_SIMULATED
                       ? MPI_Wait(request, MPI_STATUS_IGNORE)
                       : MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!mpi_ok(code, "exchanging messages", err))
            return err_prefix(err, "step %d", r->step);
        if (!done)
            break;
        r->nover++;
    }
    *over = r->nover == r->nrequests;
    if (*over)
        r->nover = r->nrequests = 0;
    return true;
}

/* Appends a slot's content to what is to be reported. */
static void
add_content(struct mpi_rank *r, int slot, int64_t length)
{
    size_t words = (size_t)content_words(r->share->nranks);

    while (r->ncontents + words > r->contents_capacity) {
        r->contents_capacity = 2 * r->contents_capacity + 64 * words;
        r->contents = mem_resize(r->contents, r->contents_capacity,
                                 sizeof *r->contents);
    }
    rank_memory_content(&r->memory, slot, length, r->contents + r->ncontents);
    r->ncontents += words;
}

static void
do_row(struct mpi_rank *r, const struct work *w)
{
    if (w->op == WORK_COPY)
        ledger_copy(row_of(r, w->to), row_of(r, w->from), r->share->nranks);
    else if (w->op == WORK_COMBINE)
        ledger_add(row_of(r, w->to), row_of(r, w->add), row_of(r, w->from),
                   r->share->nranks);
    else if (w->op == WORK_REPORT)
        add_content(r, w->to, w->length);
}

static void
do_payload(const struct mpi_rank *r, const struct work *w)
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
add_event(struct mpi_rank *r, const struct event *known, int message,
          const uint64_t *content)
{
    size_t row = row_words(r) - 1, words = row + 1 + EVENT_VALUES;
    bool remote = known->src != known->dst;
    struct event *e;

    r->events = mem_grow(r->events, r->nevents, &r->events_capacity,
                         sizeof *r->events);
    e = &r->events[r->nevents++];
    *e = *known;
    e->begin_ns = r->posted_ns;
    e->end_ns = now(r);
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

/* Rows come where their slots are, then the works follow in order. */
static void
do_works(struct mpi_rank *r)
{
    const struct share_step *step = step_of(r);
    size_t contents = r->ncontents;
    int message = 0;

    for (int i = 0; r->share->watched && i < step->nreceives; i++)
        ledger_copy(row_of(r, r->at.receive[i].slot),
                    r->received_rows + (size_t)i * row_words(r),
                    r->share->nranks);
    for (int i = 0; i < step->nworks; i++) {
        do_payload(r, &r->at.work[i]);
        if (r->share->watched)
            do_row(r, &r->at.work[i]);
    }
    for (int i = 0; r->share->watched && i < step->nevents; i++) {
        const struct event *e = &r->at.event[i];
        add_event(r, e, message, r->contents + contents);
        contents += (size_t)e->nslots *
                    (size_t)content_words(r->share->nranks);
        message += e->src != e->dst ? e->nslots : 0;
    }
}

static void
next_step(struct mpi_rank *r)
{
    const struct share_step *step = step_of(r);

    r->at.send += step->nsends;
    r->at.receive += step->nreceives;
    r->at.work += step->nworks;
    r->at.event += step->nevents;
    r->posted = false;
    r->ready_ns = now(r);
    r->step++;
}

bool
mpi_rank_advance(struct mpi_rank *r, bool *moved, struct err *err)
{
    bool over = false;

    while (!mpi_rank_idle(r)) {
        if (!r->posted) {
            if (!delay_is_over(r))
                return true;
            if (!post_messages(r, err))
                return false;
            *moved = true;
        }
        if (!messages_are_over(r, &over, err))
            return false;
        if (!over)
            return true;
        do_works(r);
        next_step(r);
        *moved = true;
        if (MPI_SIMULATED)
            break;
    }
    return true;
}

bool
mpi_rank_has_news(const struct mpi_rank *r)
{
    return r->nevents > 0;
}

struct event *
mpi_rank_report(struct mpi_rank *r, size_t *nevents, size_t *length)
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
