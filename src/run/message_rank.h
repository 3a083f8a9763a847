/* SPDX-License-Identifier: MIT */
/* A rank that passes messages: its memory, and its way through its share, step
 * by step, without ever waiting.
 *
 *     struct message_rank r;
 *     message_rank_init(&r, share);
 *     r.clock = ..., r.payloads_by = r.rows_by = ...;
 *     message_rank_grant(&r, to, start_ns);
 *     while (!message_rank_idle(&r))
 *         message_rank_advance(&r, &moved, &err);
 *     message_rank_done(&r);
 *
 * A step is a group of messages, which a carrier brings from rank to rank, then
 * the step's works.  In a watched run each message is followed by one with the
 * slot's ledger row and the time at which it was sent, so that the receiver
 * knows how long it waited for the sender.  In a mismatched run a rank stops
 * for good at a message that is longer than what it receives. */
#ifndef RUN_MESSAGE_RANK_H
#define RUN_MESSAGE_RANK_H

#include "run/kernels.h"
#include "run/rank_call.h"
#include "run/share.h"

enum message_tag { TAG_PAYLOAD, TAG_ROW, TAGS };

enum carried { CARRIED_LATER, CARRIED_ALL, CARRIED_TOO_LONG };

/* Brings what a rank sends to its peers.  Messages of one tag between two ranks
 * come in order.  Nothing here waits, except for simulated time. */
struct carrier {
    void *with; /* the argument of all of these */
    bool (*send)(void *with, int peer, enum message_tag tag, const void *from,
                 size_t bytes, struct err *err);

    /* `to` has room for `room` bytes; `bytes` are expected. */
    bool (*receive)(void *with, int peer, enum message_tag tag, void *to,
                    size_t bytes, size_t room, struct err *err);

    /* Sets *how: whether all that was begun is over (or, for a device in order,
     * has been handed to it), or what came is longer than what was expected. */
    bool (*test)(void *with, enum carried *how, struct err *err);

    /* Frees `with`, whatever is under way. NULL: nothing to do. */
    void (*give_up)(void *with);
};

/* Holds the payloads of a rank's slots in memory of its own, and does the works
 * on them.  The slots in host memory then have the input before step 1, the
 * messages that go through host memory, and the output once that was fetched.
 *
 * take_out() and work() start something each, and is_over() says whether all
 * that was started is over. */
struct device {
    void *with; /* the argument of all of these */
    bool has_rows; /* it has the ledger's rows, too; else the host has them */
    bool in_order; /* a plain run needs no is_over() between its steps: what the
                    * carrier brings is in order with the works */
    bool polled;   /* messages come without waking anybody */

    /* The memory in which a carrier finds a slot, or its row. */
    void *(*at)(void *with, int slot, enum message_tag tag);

    /* Payloads to send, to where they are found. */
    bool (*take_out)(void *with, struct err *err);

    /* What was received, to the device; then the works. */
    bool (*work)(void *with, struct err *err);
    bool (*is_over)(void *with, bool *over, struct err *err);

    /* A content of content_words() words for each WORK_REPORT of the step, in
     * order; without its row if the host has that. */
    const uint64_t *(*reports)(void *with);

    /* Copies the slots of a region to host memory, and waits for that. */
    bool (*fetch)(void *with, struct region region, struct err *err);
    void (*free)(void *with);
};

struct message_clock {
    void *with;
    int64_t (*now_ns)(const void *with); /* NULL: base/clock.h's */
    void (*sleep)(int64_t ns); /* lets simulated time pass; NULL: it is real */
};

/* A step's phases.  TAKE_OUT and WORK wait for a device, if there is one. */
enum message_phase {
    PHASE_WAIT,     /* for the step to be granted, and for its delay */
    PHASE_TAKE_OUT, /* messages to send are copied to where they are carried */
    PHASE_EXCHANGE, /* messages are under way */
    PHASE_WORK,     /* works are being done */
};

/* Where a step's parts begin in the share. */
struct place {
    const struct message *send, *receive;
    const struct work *work;
    const struct event *event;
};

struct message_rank {
    struct share *share; /* its own */
    struct carrier payloads_by, rows_by; /* often the same */
    struct device device; /* .with is NULL: slots are in host memory */
    struct message_clock clock;
    struct rank_memory memory;
    struct kernels kernels;
    unsigned char *payloads; /* of all slots, in one piece */
    size_t payload_bytes;
    enum message_phase phase;
    int step;    /* being done, or to be done next; from 1; the last one is
                  * the division */
    int granted; /* steps that may be done: nsteps + 1 includes the division */
    bool stopped;  /* at a message that is too long */
    bool unsettled; /* the device may still be at work */
    int queued;     /* steps that it was given since it was last over */
    struct place at;
    int64_t start_ns;  /* of the run */
    int64_t ready_ns;  /* when the step could begin, since then */
    int64_t posted_ns; /* when its messages were sent */
    uint64_t *sent_rows, *received_rows; /* a step's, each with its time */
    struct rank_log log; /* what has happened; it may be emptied at any time */
};

/* Bytes of a message with a ledger row, and the time. */
static inline size_t
message_rank_row_bytes(int nranks)
{
    return ((size_t)ledger_words(nranks) + 1) * sizeof(uint64_t);
}

/* The most that it can report. */
struct log_room message_rank_room(const struct share *share);

/* Takes over the share.  The caller sets the clock, the carriers and the device
 * before the first grant. */
void message_rank_init(struct message_rank *r, struct share *share);

/* Gives up what is under way. */
void message_rank_done(struct message_rank *r);

/* Lets it do steps up to and including `to`, and the division with the last
 * one.  Times of events count from start_ns.  A plain run that has ended begins
 * again, with whatever its slots hold. */
void message_rank_grant(struct message_rank *r, int to, int64_t start_ns);

/* Whether everything granted is done. */
bool message_rank_idle(const struct message_rank *r);

/* Does what can be done now; sets *moved if that was anything.  With simulated
 * time it does wait, for one step. */
bool message_rank_advance(struct message_rank *r, bool *moved,
                          struct err *err);

/* Does all steps of a plain run once more, and lets others have the core while
 * it waits.  A device may then still be at work; message_rank_settle() waits
 * for it. */
bool message_rank_call(void *rank, struct err *err);
bool message_rank_settle(void *rank, struct err *err);

/* Whether it has done all steps, and the division. */
bool message_rank_is_through(const struct message_rank *r);

/* Whether none of its messages are under way. */
bool message_rank_rests(const struct message_rank *r);

const struct share_step *message_rank_step(const struct message_rank *r);

/* Microseconds until the delay before its next step is over; DELAY_FOREVER if
 * it never is, INT64_MAX if the rank does not wait for that. */
int64_t message_rank_delay_us(const struct message_rank *r);

/* Whether it waits for a device, which wakes nobody. */
bool message_rank_waits_for_device(const struct message_rank *r);

/* Brings the output into r->memory, if it is on a device. */
bool message_rank_fetch(struct message_rank *r, struct err *err);

#endif
