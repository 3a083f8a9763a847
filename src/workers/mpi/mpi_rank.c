/* SPDX-License-Identifier: MIT */
#include "workers/mpi/mpi_rank.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "workers/mpi/mpi_call.h"
#include "workers/mpi/mpi_device.h"

enum { DATA_TAG = 1, ROW_TAG = 2 };

/* A step's phases.  Without a device there is nothing to wait for in TAKE_OUT
 * and WORK. */
enum phase {
    WAIT,     /* for the step to be granted, and for its delay */
    TAKE_OUT, /* messages to send are copied to host memory */
    EXCHANGE, /* messages are under way */
    WORK,     /* works are being done */
};

struct request {
    MPI_Request mpi;
    size_t expected; /* bytes; of a send: SIZE_MAX */
};

struct mpi_rank {
    const struct mpi_world *w;
    struct message_rank r;
    enum mpi_carrier carrier;
    void *device; /* mpi_device's; NULL: slots are in host memory */
    enum phase phase;
    int granted; /* steps that may be done: nsteps + 1 includes the division */
    bool stopped; /* at a message longer than what it was to receive */
    int reported_step; /* the step that was reported last */
    int64_t start_ns;
    int64_t ready_ns;  /* when the step could begin */
    struct request *requests;
    size_t nrequests, requests_capacity;
    size_t nover; /* requests before this one are over */
};

/* The time since the run's start.  On another host, whose clock is known only
 * so well, that may seem not to have come yet. */
static int64_t
now(const struct mpi_rank *r)
{
    int64_t ns = mpi_world_ns(r->w) - r->start_ns;

    return ns > 0 ? ns : 0;
}

struct mpi_rank *
mpi_rank_new(const struct mpi_world *w, struct share *share, struct err *err)
{
    struct mpi_rank *r = mem_new(1, sizeof *r);

    r->w = w;
    message_rank_init(&r->r, share);
    r->carrier = mpi_carrier_of(w, share->mismatched);
    if (w->seats[w->rank].gpu.name[0] == '\0')
        return r;
    r->device = mpi_device->new(w, &r->r, r->carrier, err);
    if (r->device != NULL)
        return r;
    mpi_rank_free(r);
    return NULL;
}

void
mpi_rank_free(struct mpi_rank *r)
{
    if (r == NULL)
        return;
    assert(mpi_rank_rests(r));
    if (r->device != NULL)
        mpi_device->free(r->device);
    free(r->requests);
    message_rank_done(&r->r);
    free(r);
}

bool
mpi_rank_rests(const struct mpi_rank *r)
{
    return r->nrequests == 0 && r->phase == WAIT;
}

const struct mpi_world *
mpi_rank_world(const struct mpi_rank *r)
{
    return r->w;
}

const struct share *
mpi_rank_share(const struct mpi_rank *r)
{
    return r->r.share;
}

const struct rank_memory *
mpi_rank_memory(const struct mpi_rank *r)
{
    return &r->r.memory;
}

bool
mpi_rank_fetch(struct mpi_rank *r, struct err *err)
{
    return r->device == NULL ||
           mpi_device->fetch(r->device, r->r.share->output, err);
}

bool
mpi_rank_waits_for_device(const struct mpi_rank *r)
{
    return r->device != NULL &&
           (r->phase == TAKE_OUT || r->phase == WORK ||
            (r->phase == EXCHANGE && r->carrier != CARRIER_HOST));
}

void
mpi_rank_contents(const struct mpi_rank *r, uint64_t *contents)
{
    message_rank_contents(&r->r, contents);
}

int
mpi_rank_step(const struct mpi_rank *r)
{
    return r->r.step;
}

bool
mpi_rank_idle(const struct mpi_rank *r)
{
    return r->r.step > r->granted;
}

void
mpi_rank_grant(struct mpi_rank *r, int to, int64_t start_ns)
{
    int nsteps = r->r.share->nsteps;

    if (message_rank_is_through(&r->r)) {
        assert(!r->r.share->watched);
        message_rank_rewind(&r->r);
    }
    r->granted = to >= nsteps ? nsteps + 1 : to;
    r->start_ns = start_ns;
    r->ready_ns = now(r);
}

/* The delay before this step in ns, or DELAY_FOREVER. */
static int64_t
delay_ns(const struct mpi_rank *r)
{
    return message_rank_step(&r->r)->takes_part ? r->r.share->delay_ns : 0;
}

int64_t
mpi_rank_delay_us(const struct mpi_rank *r)
{
    int64_t left_ns;

    if (mpi_rank_idle(r) || r->r.posted || delay_ns(r) == DELAY_FOREVER)
        return INT64_MAX;
    left_ns = r->ready_ns + delay_ns(r) - now(r);
    return left_ns > 0 ? (left_ns + 999) / 1000 : 0;
}

bool
mpi_rank_never_goes_on(const struct mpi_rank *r)
{
    return !mpi_rank_idle(r) && !r->r.posted && delay_ns(r) == DELAY_FOREVER;
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
new_request(struct mpi_rank *r, size_t expected)
{
    r->requests = mem_grow(r->requests, r->nrequests, &r->requests_capacity,
                           sizeof *r->requests);
    r->requests[r->nrequests] = (struct request){MPI_REQUEST_NULL, expected};
    return &r->requests[r->nrequests++].mpi;
}

static bool
send(struct mpi_rank *r, const void *from, size_t bytes, int peer, int tag,
     struct err *err)
{
    return mpi_ok(MPI_Isend(from, (int)bytes, MPI_BYTE, peer, tag, r->w->data,
                            new_request(r, SIZE_MAX)),
                  "MPI_Isend", err);
}

static bool
receive(struct mpi_rank *r, void *to, size_t bytes, size_t room, int peer,
        int tag, struct err *err)
{
    return mpi_ok(MPI_Irecv(to, (int)room, MPI_BYTE, peer, tag, r->w->data,
                            new_request(r, bytes)),
                  "MPI_Irecv", err);
}

static unsigned char *
payload(const struct mpi_rank *r, int slot)
{
    return r->device != NULL ? mpi_device->slot(r->device, slot)
                             : r->r.memory.slots[slot].data;
}

/* Both sides cut a message at the same places: its length is in the plan.  In a
 * mismatched run a message of no elements is sent as well, since the other side
 * may expect some, and there is room for the longest message: where one was too
 * long, Open MPI 4.1.4 wrote beyond the memory that was to receive it. */
static bool
move_payload(struct mpi_rank *r, const struct message *m, bool out,
             struct err *err)
{
    unsigned char *at = payload(r, m->slot);
    size_t left = (size_t)m->length * (size_t)r->r.memory.element;
    size_t longest = (size_t)r->r.share->longest * (size_t)r->r.memory.element;
    size_t room = longest > left ? longest : left;
    bool empty = r->r.share->mismatched && left == 0;

    while (left > 0 || empty) {
        size_t n = left < MPI_PIECE_BYTES ? left : MPI_PIECE_BYTES;
        size_t most = room < MPI_PIECE_BYTES ? room : MPI_PIECE_BYTES;
        if (!(out ? send(r, at, n, m->peer, DATA_TAG, err)
                  : receive(r, at, n, most, m->peer, DATA_TAG, err)))
            return false;
        at += n;
        room -= n;
        left -= n;
        empty = false;
    }
    return true;
}

static bool
send_row(struct mpi_rank *r, int i, struct err *err)
{
    return send(r, message_rank_sent_row(&r->r, i),
                message_rank_row_words(&r->r) * sizeof(uint64_t),
                r->r.at.send[i].peer, ROW_TAG, err);
}

static bool
receive_row(struct mpi_rank *r, int i, struct err *err)
{
    size_t bytes = message_rank_row_words(&r->r) * sizeof(uint64_t);

    return receive(r, message_rank_received_row(&r->r, i), bytes, bytes,
                   r->r.at.receive[i].peer, ROW_TAG, err);
}

/* Receives are posted first, so that what comes has a place to go.  NCCL has
 * the payloads if it is the carrier; MPI has the rows in any case. */
static bool
post_messages(struct mpi_rank *r, struct err *err)
{
    const struct share_step *step = message_rank_step(&r->r);
    bool payloads = r->carrier != CARRIER_NCCL;
    bool rows = r->r.share->watched;

    for (int i = 0; i < step->nreceives; i++)
        if ((payloads && !move_payload(r, &r->r.at.receive[i], false, err)) ||
            (rows && !receive_row(r, i, err)))
            return false;
    for (int i = 0; i < step->nsends; i++)
        if ((payloads && !move_payload(r, &r->r.at.send[i], true, err)) ||
            (rows && !send_row(r, i, err)))
            return false;
    return payloads || mpi_device->exchange(r->device, err);
}

/* Whether what has come is longer than what was expected. */
static bool
is_too_long(const struct request *request, const MPI_Status *status)
{
    int bytes = 0;

    if (request->expected < SIZE_MAX)
        MPI_Get_count(status, MPI_BYTE, &bytes);
    return bytes > 0 && (size_t)bytes > request->expected;
}

static bool
messages_are_over(struct mpi_rank *r, bool *over, struct err *err)
{
    int done = 1;

    while (r->nover < r->nrequests) {
        struct request *request = &r->requests[r->nover];
        MPI_Status status;
        int code = MPI_SIMULATED ? MPI_Wait(&request->mpi, &status)
                                 : MPI_Test(&request->mpi, &done, &status);
        if (!mpi_ok(code, "exchanging messages", err))
            return err_prefix(err, "step %d", r->r.step);
        r->stopped = done && is_too_long(request, &status);
        if (!done || r->stopped)
            break;
        r->nover++;
    }
    *over = r->nover == r->nrequests;
    if (*over)
        r->nover = r->nrequests = 0;
    return true;
}

/* Whether nothing that the device was asked for is left to do. */
static bool
device_is_done(struct mpi_rank *r, bool *done, struct err *err)
{
    *done = true;
    return r->device == NULL ||
           mpi_device->is_over(r->device, done, err) ||
           err_prefix(err, "step %d", r->r.step);
}

static bool
is_over(struct mpi_rank *r, bool *over, struct err *err)
{
    *over = true;
    if (r->phase == WAIT)
        *over = delay_is_over(r);
    else if (r->phase == EXCHANGE && !messages_are_over(r, over, err))
        return false;
    return !*over || device_is_done(r, over, err);
}

/* Begins the phase that follows one that is over. */
static bool
begin_next(struct mpi_rank *r, struct err *err)
{
    switch (r->phase) {
    case WAIT:
        message_rank_post(&r->r, now(r));
        r->phase = TAKE_OUT;
        return r->device == NULL || mpi_device->take_out(r->device, err);
    case TAKE_OUT:
        r->phase = EXCHANGE;
        return post_messages(r, err);
    case EXCHANGE:
        r->phase = WORK;
        if (r->device != NULL)
            return mpi_device->work(r->device, err);
        message_rank_work(&r->r);
        return true;
    case WORK:
        if (r->device != NULL)
            message_rank_work_rows(&r->r, mpi_device->reports(r->device));
        message_rank_next(&r->r, now(r));
        r->ready_ns = now(r);
        r->phase = WAIT;
    }
    return true;
}

bool
mpi_rank_advance(struct mpi_rank *r, bool *moved, struct err *err)
{
    bool over;

    while (!mpi_rank_idle(r) && !r->stopped) {
        if (!is_over(r, &over, err))
            return false;
        if (!over)
            return true;
        if (!begin_next(r, err))
            return err_prefix(err, "step %d", r->r.step);
        *moved = true;
        if (MPI_SIMULATED && r->phase == WAIT)
            break;
    }
    return true;
}

bool
mpi_rank_has_news(const struct mpi_rank *r)
{
    return r->r.nevents > 0 ||
           (r->r.share->mismatched && r->r.step != r->reported_step);
}

struct event *
mpi_rank_report(struct mpi_rank *r, size_t *nevents, size_t *length)
{
    r->reported_step = r->r.step;
    return message_rank_report(&r->r, nevents, length);
}
