/* SPDX-License-Identifier: MIT */
/* What ranks that pass messages are dealt out (run/share.h), and what they
 * report of it (run/message_rank.h), with a carrier of this test's. */
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

/* A carrier: what is sent waits in a queue for each pair of ranks and tag until
 * its receiver asks whether it is there. */
struct message_at {
    const unsigned char *at;
    size_t bytes;
};

struct queue {
    struct message_at sent[8];
    unsigned char *to[8];
    int nsent, nreceived;
};

static struct queue queues[RANKS][RANKS][TAGS];
static int64_t now_ns;

static bool
send(void *with, int peer, enum message_tag tag, const void *from, size_t bytes,
     struct err *err)
{
    struct queue *q = &queues[*(int *)with][peer][tag];

    (void)err;
    q->sent[q->nsent++] = (struct message_at){from, bytes};
    return true;
}

static bool
receive(void *with, int peer, enum message_tag tag, void *to, size_t bytes,
        size_t room, struct err *err)
{
    struct queue *q = &queues[peer][*(int *)with][tag];

    (void)bytes, (void)room, (void)err;
    q->to[q->nreceived++] = to;
    return true;
}

static bool
test(void *with, enum carried *how, struct err *err)
{
    (void)err;
    *how = CARRIED_ALL;
    for (int i = 0; i < RANKS * TAGS; i++) {
        struct queue *q = &queues[i / TAGS][*(int *)with][i % TAGS];
        if (q->nsent < q->nreceived)
            *how = CARRIED_LATER;
        for (int k = 0; k < q->nsent && k < q->nreceived; k++)
            memcpy(q->to[k], q->sent[k].at, q->sent[k].bytes);
    }
    return true;
}

static int64_t
clock_of_test(const void *with)
{
    (void)with;
    return now_ns;
}

static void
deal_out(const struct schedule *s, struct message_rank ranks[RANKS])
{
    struct share *shares[RANKS];
    struct waits *waits;

    share_out(s, &options, shares, &waits);
    memset(queues, 0, sizeof queues);
    for (int rank = 0; rank < RANKS; rank++) {
        struct message_rank *r = &ranks[rank];
        message_rank_init(r, shares[rank]);
        r->clock.now_ns = clock_of_test;
        r->payloads_by = r->rows_by =
            (struct carrier){&r->share->rank, send, receive, test, NULL};
    }
}

/* Lets a rank go on as far as it can. */
static void
advance(struct message_rank *r, int64_t at_ns)
{
    bool moved;
    struct err err;

    now_ns = at_ns;
    ok(message_rank_advance(r, &moved, &err), "rank %d goes on",
       r->share->rank);
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
    size_t length;

    schedule_add(s, (struct transfer){1, 1, 5, 0, 0, 1, TRANSFER_COPY});
    schedule_add(s, (struct transfer){0, 1, 1, 1, 1, 2, TRANSFER_COPY});
    copy_chunk(s, 2, 1, 4);
    deal_out(s, ranks);
    for (int rank = 0; rank < RANKS; rank++) {
        message_rank_grant(&ranks[rank], 1, 0);
        advance(&ranks[rank], posted_ns[rank]);
        ok(message_rank_is_through(&ranks[rank]) == (rank != 1),
           rank == 1 ? "it waits for rank 2" : "it receives nothing");
    }
    advance(&ranks[1], 900);
    is_int((int)ranks[1].nevents, 3, "a rank reports all its transfers");
    e = message_rank_report(&ranks[1], 0, &length);
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
