/* SPDX-License-Identifier: MIT */
/* The rank machine, one call at a time and with a clock of the test's: what a
 * rank waits for, what it says of that, and what the blocks and slices of a
 * large message do.  In random orders, with all types: tests/stress.c. */
#include <stdlib.h>
#include <string.h>

#include "made.h"
#include "play.h"
#include "random_schedule.h"
#include "run/prepare.h"
#include "run/verify.h"
#include "tap.h"

static int64_t now_ns;

#define RANK_FN static inline
#define RANK_RARE RANK_FN
#define RANK_COUNTERS(c, rank) (&(c)->counters[(rank) * (c)->nblocks])
#define RANK_REACHED(c, p, target) (*(p) >= (target))
#define RANK_RELEASE(c, host) ((void)0)
#define RANK_STORE(p, value) (*(p) = (value))
#define RANK_UNIFORM(one, condition) ((void)(one), (condition))
#define RANK_SYNC() ((void)0)
#define RANK_LEADER true
#define RANK_SCOUT true
#define RANK_NOW() now_ns
#define RANK_MOVE(c, to, from, n) move(to, from, n)
#define RANK_COMBINE(c, to, add, from, n) combine(to, add, from, n)
#define RANK_DIVIDE(c, to, n) ((void)0)
#define RANK_CORRUPT(c, to) (*(int64_t *)(void *)(to) ^= -1)

static void
move(unsigned char *to, const unsigned char *from, int64_t n)
{
    memcpy(to, from, (size_t)n * sizeof(int64_t));
}

static void
combine(void *to, const void *add, const void *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        ((int64_t *)to)[i] =
            ((const int64_t *)add)[i] + ((const int64_t *)from)[i];
}

#include "run/rank.h"
#include "why.h"

/* Ranks that stand still until they are advanced. */
struct kit {
    struct schedule *s;
    struct program *p;
    struct input in;
    struct rank_call call;
    struct rank *ranks; /* [rank * nblocks + block] */
    struct rank_log *logs;
    struct rank_slot *slots;
    uint64_t *published;
    int64_t *lengths;
};

/* What differs between tests; zeros: one block and one slice. */
struct plan {
    int blocks;
    int64_t slice; /* bytes */
    int64_t count;
    struct fault fault;
    const int64_t *delays;
};

static void
make_memory(struct kit *k)
{
    struct rank_call *c = &k->call;

    for (int rank = 0; rank < k->s->nranks; rank++) {
        struct rank_slot *slots = k->slots + rank * c->nslots;
        prepare_slots(k->s, k->lengths, rank, c->nslots, slots);
        for (int slot = 0; slot < c->nslots; slot++)
            slots[slot].data = mem_new_aligned(
                (size_t)slots[slot].length * sizeof(int64_t) + 1, 1);
    }
    prepare_inputs(c, k->s, k->lengths, &k->in);
}

static void
make_ranks(struct kit *k)
{
    struct rank_call *c = &k->call;
    size_t words = (size_t)content_words(k->s->nranks);

    for (int rank = 0; rank < k->s->nranks; rank++) {
        struct log_room room;
        for (int block = 0; block < c->nblocks; block++) {
            struct rank *r = &k->ranks[rank * c->nblocks + block];
            r->index = rank;
            r->block = block;
            r->log = &k->logs[rank];
            prepare_range(k->p, 1, k->s->nsteps, r);
            c->counters[rank * c->nblocks + block].length =
                program_length(k->p, rank);
        }
        room = prepare_room(c, k->p, &k->ranks[rank * c->nblocks]);
        k->logs[rank] = (struct rank_log){
            .events = mem_new(room.events, sizeof(struct event)),
            .contents = mem_new(room.contents * words, sizeof(uint64_t)),
            .published = &k->published[rank]};
    }
}

/* Takes the schedule. */
static struct kit
kit_new(struct schedule *s, const struct plan *plan)
{
    struct kit k = {.s = s, .p = program_lower(s),
                    .in = {DTYPE_INT64, REDOP_SUM, plan->count, NULL}};
    struct rank_call *c = &k.call;
    size_t n = (size_t)s->nranks;
    int blocks = plan->blocks > 0 ? plan->blocks : 1;
    struct rank_move *moves = mem_new(k.p->ntouched, sizeof *moves);

    now_ns = 0;
    program_set_fault(k.p, &plan->fault);
    k.lengths = schedule_chunk_lengths(s, plan->count);
    k.slots = mem_new(n * (size_t)k.p->nslots, sizeof *k.slots);
    k.ranks = mem_new_aligned(n * (size_t)blocks, sizeof *k.ranks);
    k.logs = mem_new(n, sizeof *k.logs);
    k.published = mem_new(n, sizeof *k.published);
    *c = (struct rank_call){
        .instrs = k.p->instrs, .first = k.p->first, .waits = k.p->waits,
        .counters = mem_new_aligned(n * (size_t)blocks, sizeof *c->counters),
        .slots = k.slots, .moves = moves, .outputs = prepare_outputs(s),
        .ledger = mem_new(n * (size_t)k.p->nslots *
                              (size_t)ledger_words(s->nranks),
                          sizeof *c->ledger),
        .delays = plan->delays, .nranks = s->nranks, .nslots = k.p->nslots,
        .nblocks = blocks, .element = sizeof(int64_t)};
    make_memory(&k);
    prepare_moves(c, k.p, k.lengths, moves);
    prepare_slices(c, k.lengths[0], plan->slice > 0 ? plan->slice : 1 << 20);
    prepare_stripes(c, k.lengths[0]);
    make_ranks(&k);
    return k;
}

static void
kit_done(struct kit *k)
{
    for (int i = 0; i < k->s->nranks * k->call.nslots; i++)
        free(k->slots[i].data);
    for (int rank = 0; rank < k->s->nranks; rank++) {
        free(k->logs[rank].events);
        free(k->logs[rank].contents);
    }
    free(k->slots);
    free(k->ranks);
    free(k->logs);
    free(k->published);
    free(k->lengths);
    free(k->call.counters);
    free((void *)k->call.moves);
    free((void *)k->call.outputs);
    free(k->call.ledger);
    program_free(k->p);
    schedule_free(k->s);
}

static enum rank_state
advance(struct kit *k, int rank)
{
    return rank_advance(&k->call, &k->ranks[rank], true);
}

/* Advances ranks and blocks in a random order until all are done, and
 * judges. */
static bool
finish(struct kit *k, uint32_t *seed, struct run_result *result)
{
    int all = k->s->nranks * k->call.nblocks;
    int left = all;

    for (int turns = 0; left > 0 && turns < 100000; turns++) {
        int first = random_below(seed, all);
        left = 0;
        for (int i = 0; i < 1 + random_below(seed, all); i++)
            rank_advance(&k->call, &k->ranks[(first + i) % all], true);
        for (int i = 0; i < all; i++)
            left += k->ranks[i].at < k->ranks[i].end ||
                    k->ranks[i].slice + 1 < k->call.nslices;
    }
    *result = (struct run_result){0};
    verify(k->s, &k->in,
           &(struct rank_slots){k->slots, k->call.nslots, k->call.ledger},
           result);
    return left == 0 && result->correct;
}

/* Event `index` of a rank. */
static const struct event *
event(const struct kit *k, int rank, int index)
{
    return &k->logs[rank].events[index];
}

static void
test_end_waits(void)
{
    OWN(kit) k = kit_new(ring(2), &(struct plan){.count = 8});
    OWN(kit) two = kit_new(ring(2), &(struct plan){.count = 8, .slice = 16});

    advance(&k, 0);
    is_int(advance(&k, 1), RANK_WAITS, "rank 1 has received everything, but "
           "rank 0 has still to pull from it");
    is_int(advance(&k, 0), RANK_DONE, "rank 0 pulls, and is done");
    is_int(advance(&k, 1), RANK_DONE, "then so is rank 1");
    is_int(two.call.nslices, 2, "in two slices");
    advance(&two, 0);
    is_int(advance(&two, 1), RANK_WAITS, "it goes on");
    is_int(two.ranks[1].slice, 1, "to the next slice, without waiting");
}

/* Rank 0 of a ring on 3 ranks waits for rank 2 before step 2, and for nobody
 * before step 3 if it comes late. */
static void
test_waiting_is_over(void)
{
    OWN(kit) k = kit_new(ring(3), &(struct plan){.count = 6});

    advance(&k, 0);
    now_ns = 10;
    advance(&k, 2);
    now_ns = 20;
    advance(&k, 1);
    now_ns = 30;
    advance(&k, 2);
    now_ns = 50;
    advance(&k, 0);
    is_int(event(&k, 0, 0)->waited_for, -1, "step 1: it waits for nobody");
    is_int(event(&k, 0, 1)->waited_for, 2, "step 2: for rank 2");
    is_int(event(&k, 0, 1)->wait_ns, 50, "all the time until it goes on");
    is_int(event(&k, 0, 1)->begin_ns, 50, "which is when it begins");
    is_int(event(&k, 0, 2)->waited_for, -1, "step 3: for nobody again");
    is_int(event(&k, 0, 2)->wait_ns, 0, "not at all");
}

/* Rank 0 may overwrite its slot once all others have pulled it; whichever is
 * late is the one that it waits for. */
static void
test_blockers(void)
{
    for (int late = 1; late < 4; late++) {
        struct coll_options o = {.nranks = 4, .in_place = true};
        OWN(kit) k = kit_new(build("naive-allreduce", &o),
                             &(struct plan){.count = 8});
        for (int rank = 1; rank < 4; rank++)
            if (rank != late)
                advance(&k, rank);
        is_int(advance(&k, 0), RANK_WAITS, "of three, one has not pulled");
        is_int(k.ranks[0].waiting_for, late, "rank 0 waits for rank %d", late);
        }
}

/* Its own delay is no waiting for somebody; a late peer's is.  Both count from
 * when the rank comes to the step, in each step anew. */
static void
test_delays(void)
{
    const int64_t delays[] = {0, 100};
    OWN(kit) k = kit_new(ring(2), &(struct plan){.count = 4,
                                                 .delays = delays});

    for (now_ns = 0; now_ns < 500; now_ns += 10)
        for (int rank = 0; rank < 2; rank++)
            advance(&k, rank);
    is_int(event(&k, 1, 0)->begin_ns, 100, "a slow rank begins late");
    is_int(event(&k, 1, 0)->waited_for, -1, "and has waited for nobody");
    is_int(event(&k, 0, 0)->begin_ns, 100, "as does the one that it sends to");
    is_int(event(&k, 0, 0)->waited_for, 1, "which has waited for it");
    is_int(event(&k, 0, 0)->wait_ns, 100, "so long");
    is_int(event(&k, 0, 1)->begin_ns, 200, "and so in the next step");
    is_int(event(&k, 0, 1)->wait_ns, 100, "as long again");
}

static void
test_bytes(void)
{
    OWN(kit) k = kit_new(made_in_place(2, 2, 1, "0.1+1.1 1.0+0.0; "
                                       "1.1>0.1 0.0>1.0; 0.1>0.2"),
                         &(struct plan){.count = 10});
    uint32_t seed = 3;
    struct run_result result;

    ok(finish(&k, &seed, &result), "a ring, and a copy within a rank%s",
       why_of(&result.first_wrong));
    is_int(event(&k, 0, 1)->bytes, 5 * 8, "bytes that came from a peer count");
    is_int(event(&k, 0, 2)->src, 0, "those of the rank itself");
    is_int(event(&k, 0, 2)->bytes, 0, "do not");
}

/* 7 boundaries' worth for 4 blocks: block 0 keeps the ledger besides. */
static void
test_stripes(void)
{
    const int64_t grain = RANK_STRIPE / (int64_t)sizeof(int64_t);
    OWN(kit) k = kit_new(ring(2), &(struct plan){.count = 2 * 7 * grain,
                                                 .blocks = 4});

    is_int(k.call.first_stripe, grain, "block 0 has half as much");
    is_int(k.call.stripe, 2 * grain, "as each of the others");
    is_int(k.call.longer_stripes, 0, "which have the same");
    free(k.call.ledger);
    k.call.ledger = NULL;
    prepare_stripes(&k.call, 7 * grain);
    is_int(k.call.first_stripe, 2 * grain, "without a ledger it has its share");
}

/* Elements that a fault in step 1 makes wrong, on all ranks. */
static int64_t
wrong_elements(enum instr_fault fault, int blocks, int64_t slice)
{
    OWN(kit) k = kit_new(ring(2), &(struct plan){
                                      .count = 200, .blocks = blocks,
                                      .slice = slice,
                                      .fault = {fault, 1, 0}});
    struct run_result result;
    uint32_t seed = 5;

    finish(&k, &seed, &result);
    return result.wrong;
}

/* 100 elements a chunk, in blocks of at least 16 and slices of 30. */
static void
test_faults(void)
{
    for (int blocks = 1; blocks <= 4; blocks++)
        for (int64_t slice = 0; slice <= 240; slice += 240) {
            const char *cut = slice > 0 ? ", in slices" : "";
            is_int(wrong_elements(FAULT_CORRUPT, blocks, slice), 2,
                   "%d blocks%s: one element is corrupt, on both ranks",
                   blocks, cut);
            is_int(wrong_elements(FAULT_DROP, blocks, slice), 200,
                   "a lost chunk is lost as a whole");
            is_int(wrong_elements(FAULT_REPEAT, blocks, slice), 200,
                   "so is one that is added twice");
        }
}

/* Both ranks add the other's chunk to theirs, in a slot of its own, from which
 * it is put into place. */
static void
test_dropped_sum(void)
{
    struct schedule *s = made_in_place(2, 1, 0, "0.0+1.0 1.0+0.0");
    OWN(kit) k = kit_new(s, &(struct plan){.count = 3,
                                           .fault = {FAULT_DROP, 1, 0}});
    struct run_result result;
    int64_t own[3], both[3];
    uint32_t seed = 5;

    memcpy(own, k.slots[k.call.nslots].data, sizeof own);
    memcpy(both, k.slots[0].data, sizeof both);
    for (int i = 0; i < 3; i++)
        both[i] += own[i];
    finish(&k, &seed, &result);
    ok(memcmp(k.slots[k.call.nslots].data, own, sizeof own) == 0,
       "where a message is dropped, what it was to be added to stays");
    ok(memcmp(k.slots[0].data, both, sizeof both) == 0,
       "the other rank has the sum");
}

int
main(void)
{
    test_end_waits();
    test_waiting_is_over();
    test_blockers();
    test_delays();
    test_bytes();
    test_stripes();
    test_faults();
    test_dropped_sum();
    return done_testing();
}
