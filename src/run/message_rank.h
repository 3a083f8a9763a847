/* SPDX-License-Identifier: MIT */
/* A rank that passes messages: its memory, and its way through its share, step
 * by step.  The caller carries the messages:
 *
 *     struct message_rank r;
 *     message_rank_init(&r, share);
 *     while (!message_rank_is_through(&r)) {
 *         message_rank_post(&r, now);
 *         ... send r.at.send[i], receive r.at.receive[i], with their rows
 *         message_rank_work(&r);
 *         message_rank_next(&r, now);
 *     }
 *     message_rank_done(&r);
 *
 * In a watched run each message is followed by one with the slot's ledger row
 * and the time at which it was sent, so that the receiver knows how long it
 * waited for the sender. */
#ifndef RUN_MESSAGE_RANK_H
#define RUN_MESSAGE_RANK_H

#include "run/kernels.h"
#include "run/rank_memory.h"
#include "run/share.h"

/* Where a step's parts begin in the share. */
struct place {
    const struct message *send, *receive;
    const struct work *work;
    const struct event *event;
};

struct message_rank {
    struct share *share; /* its own */
    struct rank_memory memory;
    struct kernels kernels;
    unsigned char *payloads; /* of all slots, in one piece */
    size_t payload_bytes;
    int step;    /* being done, or to be done next; from 1; the last one is
                  * the division */
    bool posted; /* the step's messages are under way */
    struct place at;
    int64_t posted_ns;
    uint64_t *sent_rows, *received_rows; /* a step's, each with its time */
    struct event *events; /* not yet reported */
    uint64_t *contents;
    size_t nevents, events_capacity, ncontents, contents_capacity;
};

/* Takes over the share. */
void message_rank_init(struct message_rank *r, struct share *share);
void message_rank_done(struct message_rank *r);

/* The contents of the schedule's slots before step 1, content_words() words
 * each (event/ledger.h). */
void message_rank_contents(const struct message_rank *r, uint64_t *contents);

/* Begins again with step 1, with whatever the slots hold. */
void message_rank_rewind(struct message_rank *r);

/* Whether it has done all steps, and the division. */
bool message_rank_is_through(const struct message_rank *r);

const struct share_step *message_rank_step(const struct message_rank *r);

/* Marks the step's messages as under way from now on. */
void message_rank_post(struct message_rank *r, int64_t now_ns);

/* Words of a message with a ledger row. */
size_t message_rank_row_words(const struct message_rank *r);

/* The row that follows the step's i-th send, and room for the one that follows
 * its i-th receive. */
uint64_t *message_rank_sent_row(struct message_rank *r, int i);
uint64_t *message_rank_received_row(struct message_rank *r, int i);

/* Does the step's works, once its messages are over; then goes on to the next
 * step, and makes the events of this one. */
void message_rank_work(struct message_rank *r);

/* The same, if a device has done the works on payloads: their part on ledger
 * rows.  `reports` has a content of content_words() words for each WORK_REPORT
 * of the step, in order, as the device has seen it: all but its row. */
void message_rank_work_rows(struct message_rank *r, const uint64_t *reports);

void message_rank_next(struct message_rank *r, int64_t now_ns);

/* What has happened since the last call, as events with their contents, in the
 * order in which it happened: *nevents of them, then their contents,
 * content_words() words for each slot of an event.  The caller frees it, and
 * sets events' content pointers; they are NULL.  Returns NULL for none. */
struct event *message_rank_report(struct message_rank *r, size_t *nevents,
                                  size_t *length);

#endif
