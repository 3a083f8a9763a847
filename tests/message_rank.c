/* SPDX-License-Identifier: MIT */
/* What ranks that pass messages are dealt out (run/share.h), and what they
 * report of it (run/message_rank.h), with messages that are copied here. */
#include <stdlib.h>

#include "chunks.h"
#include "run/message_rank.h"
#include "tap.h"

enum { RANKS = 3 };

static const struct run_options options = {
    .input = {DTYPE_INT32, REDOP_SUM, 6, NULL}, .watched = true};

static struct schedule *
begin_schedule(int pieces)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "made",
        .nranks = RANKS, .pieces = pieces, .in_place = true});

    schedule_step(s, "only");
    return s;
}

static void
deal_out(const struct schedule *s, struct message_rank ranks[RANKS])
{
    struct share *shares[RANKS];
    struct waits *waits;

    share_out(s, &options, shares, &waits);
    for (int rank = 0; rank < RANKS; rank++)
        message_rank_init(&ranks[rank], shares[rank]);
}

/* Brings a rank the messages of its step, each with its row. */
static void
carry(struct message_rank ranks[RANKS], struct message_rank *to)
{
    size_t row = message_rank_row_words(to) * sizeof(uint64_t);
    int next[RANKS] = {0};

    for (int i = 0; i < message_rank_step(to)->nreceives; i++) {
        const struct message *in = &to->at.receive[i], *out;
        struct message_rank *from = &ranks[in->peer];
        int *at = &next[in->peer];

        while ((out = &from->at.send[*at])->peer != to->memory.rank)
            ++*at;
        memcpy(to->memory.slots[in->slot].data,
               from->memory.slots[out->slot].data,
               (size_t)in->length * (size_t)to->memory.element);
        memcpy(message_rank_received_row(to, i),
               message_rank_sent_row(from, (*at)++), row);
    }
}

/* Rank 1 moves a chunk of its own, and receives two from rank 0, which was
 * there, and one from rank 2, which comes late. */
static void
test_times(void)
{
    static const int64_t posted_ns[RANKS] = {100, 200, 700};
    struct schedule *s = begin_schedule(6);
    struct message_rank ranks[RANKS];
    struct event *e;
    size_t nevents, length;

    schedule_add(s, (struct transfer){1, 1, 5, 0, 0, 1, TRANSFER_COPY});
    schedule_add(s, (struct transfer){0, 1, 1, 1, 1, 2, TRANSFER_COPY});
    copy_chunk(s, 2, 1, 4);
    deal_out(s, ranks);
    for (int rank = 0; rank < RANKS; rank++)
        message_rank_post(&ranks[rank], posted_ns[rank]);
    carry(ranks, &ranks[1]);
    message_rank_work(&ranks[1]);
    message_rank_next(&ranks[1], 900);
    e = message_rank_report(&ranks[1], &nevents, &length);
    is_int(nevents, 3, "a rank reports all its transfers");
    ok(e[0].begin_ns == 200 && e[0].waited_for < 0,
       "its own begins when it comes to the step");
    ok(e[1].nslots == 2 && e[1].begin_ns == 200 && e[1].wait_ns == 0 &&
           e[1].waited_for < 0,
       "messages that have been sent before are not waited for");
    ok(e[2].begin_ns == 700 && e[2].wait_ns == 500 && e[2].waited_for == 2,
       "one begins when it is sent: its receiver waits for the sender");
    ok(e[0].end_ns == 900 && e[1].end_ns == 900 && e[2].end_ns == 900,
       "all end with the step");
    free(e);
    for (int rank = 0; rank < RANKS; rank++)
        message_rank_done(&ranks[rank]);
    schedule_free(s);
}

/* A delayed rank is late for steps in which it sends or receives. */
static void
test_parts(void)
{
    struct schedule *s = begin_schedule(1);
    struct message_rank ranks[RANKS];

    copy_chunk(s, 0, 1, 0);
    deal_out(s, ranks);
    ok(message_rank_step(&ranks[0])->takes_part,
       "a rank that only sends takes part in a step");
    ok(message_rank_step(&ranks[1])->takes_part, "so does the receiver");
    ok(!message_rank_step(&ranks[2])->takes_part, "others do not");
    for (int rank = 0; rank < RANKS; rank++)
        message_rank_done(&ranks[rank]);
    schedule_free(s);
}

int
main(void)
{
    test_times();
    test_parts();
    return done_testing();
}
