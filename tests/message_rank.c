/* SPDX-License-Identifier: MIT */
/* Schedules as messages: what ranks are dealt out (run/share.h), and that such
 * ranks end with the bits and the ledger of the threads backend, whatever
 * carries their messages.  The carrier is this
 * test's own: it lets ranks wait for each other as NCCL does. */
#include <stdlib.h>

#include "made.h"
#include "play.h"
#include "random_schedule.h"
#include "run/message_rank.h"

enum {
    RANKS_MOST = 9,
    WITH_SWITCHES = 2 * RANKS_MOST,
    MESSAGES_MOST = 256
};

/* The messages of one tag from a rank to another.  One that was sent is there
 * once its receiver has asked for it, and only then is its sender through with
 * it: until then its memory may change, as that of the receiver. */
struct queue {
    struct half {
        unsigned char *at;
        size_t bytes;
        int step;
    } sent[MESSAGES_MOST], received[MESSAGES_MOST];
    int nsent, nreceived, nmet;
};

/* The ranks of a run. */
static struct {
    struct queue queues[WITH_SWITCHES][WITH_SWITCHES][TAGS];
    struct message_rank ranks[WITH_SWITCHES];
    int n;
    int mismatched; /* messages that met with other lengths, or of two steps */
    int64_t now_ns;
} all;

static void
post(struct half *halves, int *n, const void *at, size_t bytes, int step)
{
    if (*n == MESSAGES_MOST)
        die("more than %d messages in a step", *n);
    halves[(*n)++] = (struct half){(unsigned char *)at, bytes, step};
}

static bool
send(void *with, int peer, enum message_tag tag, const void *from, size_t bytes,
     struct err *err)
{
    const struct message_rank *r = with;
    struct queue *q = &all.queues[r->share->rank][peer][tag];

    (void)err;
    post(q->sent, &q->nsent, from, bytes, r->step);
    return true;
}

static bool
receive(void *with, int peer, enum message_tag tag, void *to, size_t bytes,
        size_t room, struct err *err)
{
    const struct message_rank *r = with;
    struct queue *q = &all.queues[peer][r->share->rank][tag];

    (void)room, (void)err;
    post(q->received, &q->nreceived, to, bytes, r->step);
    return true;
}

static void
meet(struct queue *q)
{
    for (; q->nmet < q->nsent && q->nmet < q->nreceived; q->nmet++) {
        const struct half *from = &q->sent[q->nmet];
        const struct half *to = &q->received[q->nmet];
        if (from->bytes == to->bytes && from->step == to->step)
            memcpy(to->at, from->at, to->bytes);
        else
            all.mismatched++;
    }
    if (q->nsent == q->nreceived)
        q->nsent = q->nreceived = q->nmet = 0;
}

static bool
test(void *with, enum carried *how, struct err *err)
{
    int rank = ((const struct message_rank *)with)->share->rank;

    (void)err;
    *how = CARRIED_ALL;
    for (int i = 0; i < all.n * TAGS; i++) {
        struct queue *out = &all.queues[rank][i / TAGS][i % TAGS];
        struct queue *in = &all.queues[i / TAGS][rank][i % TAGS];
        meet(out);
        meet(in);
        if (out->nsent > out->nmet || in->nreceived > in->nmet)
            *how = CARRIED_LATER;
    }
    return true;
}

static int64_t
clock_of_test(const void *with)
{
    (void)with;
    return all.now_ns;
}

static void
deal_out(const struct schedule *s, const struct run_options *o)
{
    struct share *shares[WITH_SWITCHES];
    struct waits *waits;

    share_out(s, o, shares, &waits);
    memset(&all, 0, sizeof all);
    all.n = s->nranks;
    for (int rank = 0; rank < all.n; rank++) {
        struct message_rank *r = &all.ranks[rank];
        message_rank_init(r, shares[rank]);
        r->clock.now_ns = clock_of_test;
        r->payloads_by = r->rows_by =
            (struct carrier){r, send, receive, test, NULL};
    }
}

static void
done(void)
{
    for (int rank = 0; rank < all.n; rank++)
        message_rank_done(&all.ranks[rank]);
}

/* Lets all ranks go on, the next one at random, until none can.  In lockstep
 * steps are granted one by one.  Returns whether all are through. */
static bool
run_all(int nsteps, bool lockstep, uint32_t seed)
{
    int through = 0;

    for (int to = lockstep && nsteps > 0 ? 1 : nsteps; to <= nsteps; to++) {
        bool moved = true;
        for (int rank = 0; rank < all.n; rank++)
            message_rank_grant(&all.ranks[rank], to, 0);
        while (moved) {
            int first = random_below(&seed, all.n), tries = 0;
            struct err err;
            for (moved = false; tries < all.n && !moved; tries++)
                message_rank_advance(&all.ranks[(first + tries) % all.n],
                                     &moved, &err);
        }
    }
    for (int rank = 0; rank < all.n; rank++)
        through += message_rank_is_through(&all.ranks[rank]);
    return through == all.n;
}

/* Counts slots and rows that differ from the engine's. */
static int
count_differing(const struct schedule *s, const struct engine *e)
{
    struct rank_slots found = engine_slots(e);
    const struct rank_slot *want = found.slots;
    int differing = 0;
    size_t words = (size_t)ledger_words(s->nranks);

    for (int rank = 0; rank < s->nranks; rank++)
        for (int slot = 0; slot < s->nslots; slot++) {
            const struct rank_memory *m = &all.ranks[rank].memory;
            size_t at = (size_t)(rank * found.nslots + slot);
            differing += want[at].length != m->slots[slot].length ||
                         memcmp(want[at].data, m->slots[slot].data,
                                (size_t)want[at].length *
                                    (size_t)m->element) != 0;
            differing += memcmp(found.ledger + at * words,
                                rank_memory_row(m, slot),
                                words * sizeof(uint64_t)) != 0;
        }
    return differing;
}

static bool
ends_as_threads(const struct schedule *s, const struct run_options *o,
                bool lockstep, uint32_t seed)
{
    struct engine_options plain = {.run = *o, .threads = 1};
    struct err err;
    OWNS(engine) *e = engine_new(s, &plain, &err);
    bool ended;
    int differing;

    engine_run(e);
    deal_out(s, o);
    ended = run_all(s->nsteps, lockstep, seed);
    differing = count_differing(s, e);
    if (!ended || all.mismatched > 0 || differing > 0)
        diag("%s-%s, %d ranks, root %d, %d elements, %s: %s, %d mismatched, "
             "%d differ", s->algorithm, s->collective->name, s->nranks,
             s->root, (int)o->input.count,
             s->in_place ? "in place" : "out of place",
             ended ? "ended" : "stuck", all.mismatched, differing);
    done();
    return ended && all.mismatched == 0 && differing == 0;
}

/* A fault that suits the schedule, in a step that sends. */
static struct fault
any_fault(const struct schedule *s, uint32_t *seed)
{
    return (struct fault){
        .kind = (enum instr_fault)(1 + random_below(seed, 3)),
        .step = s->nsteps > 0 ? 1 + random_below(seed, s->nsteps) : 1,
        .src = random_below(seed, s->nranks)};
}

static int
count_wrong(const struct algorithm *a, int n, uint32_t *seed)
{
    bool rooted = collective_rooted(collective_find(a->collective));
    const int64_t counts[] = {0, 1, n - 1, n + 1, 100};
    int wrong = 0;

    for (int root = 0; root < (rooted ? n : 1); root++)
        for (int kind = 0; kind < 8; kind++) {
            struct coll_options c = {.nranks = n, .root = root,
                                     .chunks = a->chunks > 0 ? 1 + kind : 0,
                                     .in_place = kind % 2};
            struct run_options o = {.watched = true};
            struct err err;
            OWNS(schedule) *s = coll_build(a, &c, &err);
            o.input.type = (enum dtype)random_below(seed, DTYPES);
            o.input.op = (enum redop)random_below(
                seed, redop_count(o.input.type));
            o.input.count = counts[random_below(seed, 5)];
            if (kind > 5)
                o.fault = any_fault(s, seed);
            wrong += !ends_as_threads(s, &o, kind < 2, random_next(seed));
        }
    return wrong;
}

static void
test_algorithms(void)
{
    const struct algorithm *a;
    uint32_t seed = 7;

    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++)
        for (int n = 2; n <= RANKS_MOST; n++)
            is_int(count_wrong(a, n, &seed), 0,
                   "%s-%s on %d ranks, as messages: none waits for ever, both "
                   "ends are of one step and length, and the same bits and "
                   "ledger as on threads", a->name, a->collective, n);
}

/* Schedules of any kind: swaps, several reductions into a slot, local
 * transfers. All chunks have one length, because these schedules mix them. */
static void
test_random(void)
{
    enum { SCHEDULES = 1500 };
    int wrong = 0, staged = 0;

    for (uint32_t seed = 1; seed <= SCHEDULES; seed++) {
        OWNS(schedule) *s = random_schedule(seed);
        struct run_options o = {
            .input = {DTYPE_INT32, REDOP_SUM, s->nchunks * INT64_C(3), NULL},
            .watched = true};
        OWNS(program) *p = program_lower(s);
        uint32_t chance = seed;
        staged += p->nslots > s->nslots;
        if (seed % 3 == 0)
            o.fault = any_fault(s, &chance);
        wrong += !ends_as_threads(s, &o, seed % 2, seed);
    }
    is_int(wrong, 0, "random schedules, a third of them with a fault");
    ok(staged > SCHEDULES / 4, "enough of them stage: %d", staged);
}

/* Deals out a run of 5 elements on two ranks; returns a rank's share. */
static const struct share *
share_of_five(const struct schedule *s, int rank)
{
    deal_out(s, &(struct run_options){
                    .input = {DTYPE_INT32, REDOP_SUM, 5, NULL},
                    .watched = true});
    return all.ranks[rank].share;
}

/* The example in run/share.h. */
static void
test_example(void)
{
    static const struct work works[] = {{WORK_COMBINE, 1, 0, 2, 5},
                                        {WORK_REPORT, 1, 1, 1, 5},
                                        {WORK_COPY, 0, 0, 1, 5}};
    OWNS(schedule) *s = made_in_place(2, 1, 0, "0.0+1.0 1.0+0.0");
    const struct share *share = share_of_five(s, 0);

    ok(share->nsends == 1 && share->sends[0].peer == 1 &&
           share->sends[0].slot == 0 && share->sends[0].length == 5,
       "an exchange: slot 0 is sent");
    ok(share->nreceives == 1 && share->receives[0].peer == 1 &&
           share->receives[0].slot == 2 && share->receives[0].length == 5,
       "slot 2 is received");
    for (size_t i = 0; i < 3; i++)
        ok(i < share->nworks && share->works[i].op == works[i].op &&
               share->works[i].to == works[i].to &&
               (i > 0 || share->works[i].add == works[i].add) &&
               share->works[i].from == works[i].from,
           "work %zu of 1 = 0 + 2, a report, 0 = 1", i + 1);
    is_int(share->nslots, 3, "in three slots");
    done();
}

/* A wrong schedule: a longer chunk is copied over a shorter one. */
static void
test_room(void)
{
    OWNS(schedule) *s = made_in_place(2, 2, 0, "0.0>1.1");
    const struct share *share = share_of_five(s, 1);

    is_int(share->receives[0].length, 3, "a message as long as what was sent");
    ok(share->rooms[share->receives[0].slot] >= 3,
       "lands where there is room for it");
    is_int(share->works[0].length, 2, "and is copied as far as it fits");
    done();
}

/* Another one: to a longer chunk a shorter one is added, into a slot that has
 * room for all. */
static void
test_room_of_sum(void)
{
    OWNS(schedule) *s = made_in_place(2, 2, 0, "0.0+1.1=0");

    is_int(share_of_five(s, 1)->works[0].length, 2,
           "a sum is as long as the shorter of what it is made of");
    done();
}

/* What was cut goes on as short as it is, and both sides know. */
static void
test_cut_is_sent_on(void)
{
    OWNS(schedule) *s = made_in_place(2, 2, 0, "0.0>1.1; 1.1>0.0");

    is_int(share_of_five(s, 1)->sends[0].length, 2,
           "no more is sent than the slot holds");
    done();
    is_int(share_of_five(s, 0)->receives[0].length, 2, "nor expected");
    done();
}

/* A block of another length, as another build's, is no share. */
static void
test_block(void)
{
    OWNS(schedule) *s = made_in_place(2, 2, 0, "0.0>1.1");
    const struct share *share = share_of_five(s, 1);
    size_t length = share_length(share);
    OWN_MEMORY unsigned char *block = mem_new(length + 16, 1);

    memcpy(block, share, length);
    ok(share_of(block, length - 16) == NULL, "a share of which a part lacks");
    ok(share_of(block, length + 16) == NULL, "one with more than its own");
    ok(share_of(block, sizeof *share - 1) == NULL, "not even its numbers");
    ok(share_of(block, length) != NULL, "the whole one");
    done();
}

static const struct run_options options = {
    .input = {DTYPE_INT32, REDOP_SUM, 6, NULL}, .watched = true};

/* Lets a rank go on as far as it can. */
static void
advance(int rank, int64_t at_ns)
{
    bool moved;
    struct err err;

    all.now_ns = at_ns;
    ok(message_rank_advance(&all.ranks[rank], &moved, &err), "rank %d goes on",
       rank);
}

/* Rank 1 moves a chunk of its own, and receives two from rank 0, which was
 * there, and one from rank 2, which comes late. */
static void
test_times(void)
{
    static const int64_t posted_ns[] = {100, 200, 700};
    OWNS(schedule) *s = made_in_place(3, 6, 0, "1.5>1.0 0.1>1.1*2 2.4>1.4");
    const struct event *e;

    deal_out(s, &options);
    for (int rank = 0; rank < 3; rank++) {
        message_rank_grant(&all.ranks[rank], 1, 0);
        advance(rank, posted_ns[rank]);
    }
    ok(!message_rank_is_through(&all.ranks[1]), "it waits for rank 2");
    advance(0, 900);
    advance(1, 900);
    is_int((int)all.ranks[1].log.nevents, 3,
           "a rank reports all its transfers");
    e = all.ranks[1].log.events;
    ok(e[0].begin_ns == 200 && e[0].waited_for < 0,
       "its own begins when it comes to the step");
    ok(e[1].nslots == 2 && e[1].begin_ns == 200 && e[1].wait_ns == 0 &&
           e[1].waited_for < 0,
       "messages that have been sent before are not waited for");
    ok(e[2].begin_ns == 700 && e[2].wait_ns == 500 && e[2].waited_for == 2,
       "one begins when it is sent: its receiver waits for the sender");
    ok(e[0].end_ns == 900 && e[1].end_ns == 900 && e[2].end_ns == 900,
       "all end with the step");
    ok(message_rank_is_through(&all.ranks[0]), "nothing is left to do");
    done();
}

/* The sender's host has a clock that is ahead: it sent after what it sent was
 * received. */
static void
test_clocks_apart(void)
{
    OWNS(schedule) *s = made_in_place(2, 1, 0, "0.0>1.0");
    const struct event *e;

    deal_out(s, &options);
    for (int rank = 0; rank < 2; rank++) {
        message_rank_grant(&all.ranks[rank], 1, 0);
        advance(rank, rank == 0 ? 5000 : 900);
    }
    e = all.ranks[1].log.events;
    is_int((int)all.ranks[1].log.nevents, 1, "a transfer");
    ok(e->begin_ns == 900 && e->end_ns == 900 && e->wait_ns == 0,
       "does not begin after its end");
    done();
}

/* What was dropped has brought no bytes. */
static void
test_bytes(void)
{
    OWNS(schedule) *s = made_in_place(2, 1, 0, "0.0>1.0");
    struct run_options o = options;

    for (int drops = 0; drops < 2; drops++) {
        o.fault = (struct fault){drops ? FAULT_DROP : FAULT_NONE, 1, 0};
        deal_out(s, &o);
        ok(run_all(s->nsteps, false, 1), "a transfer%s",
           drops ? ", dropped" : "");
        is_int(all.ranks[1].log.events[0].bytes,
               drops ? 0 : o.input.count *
                               (int64_t)dtype_size(o.input.type), "its bytes");
        done();
    }
}

/* A delayed rank is late for steps in which it sends or receives. */
static void
test_parts(void)
{
    OWNS(schedule) *s = made_in_place(3, 1, 0, "0.0>1.0");

    deal_out(s, &options);
    ok(message_rank_step(&all.ranks[0])->takes_part,
       "a rank that only sends takes part in a step");
    ok(message_rank_step(&all.ranks[1])->takes_part, "so does the receiver");
    ok(!message_rank_step(&all.ranks[2])->takes_part, "others do not");
    done();
}

int
main(void)
{
    test_example();
    test_room();
    test_room_of_sum();
    test_cut_is_sent_on();
    test_block();
    test_clocks_apart();
    test_times();
    test_parts();
    test_bytes();
    test_random();
    test_algorithms();
    return done_testing();
}
