/* SPDX-License-Identifier: MIT */
/* MSCCL programs, as thread blocks and their steps: which are right, and what
 * is wrong with the others. */
#include "msccl_text.h"

static void
test_types(void)
{
    is_right(read_blocks(ALLREDUCE(2), 2, (struct thread_block[]){
        {0, 1, 1, "s i0 i0 2 -1 -1; r i0 i0 2 -1 -1;"},
        {1, 0, 0, "rrcs i0 i0 2 -1 -1;"}, END}), "s, r, rrcs");
    is_right(read_blocks(ALLREDUCE(1), 3, (struct thread_block[]){
        {0, 1, 2, "s i0 i0 1 -1 -1; rcs i0 i0 1 -1 -1;"},
        {1, 2, 0, "rrs i0 i0 1 -1 -1; r i0 i0 1 -1 -1;"},
        {2, 0, 1, "rrcs i0 i0 1 -1 -1;"}, END}), "rrs, rcs");
    is_right(read_blocks(ALLREDUCE(1), 2, (struct thread_block[]){
        {0, 1, 1, "cpy i0 s0 1 -1 -1; s s0 i0 1 -1 -1; rrc i0 i0 1 -1 -1;"},
        {1, 0, 0, "s! i0 i0 1 -1 -1; r! i0 s1 1 -1 -1; nop i0 i0 0 0 0; "
                  "re s1 i0 1 0 1;"}, END}), "cpy, rrc, nop, re");
    is_right(read_blocks("coll='allgather' inplace='0' outofplace='1' "
                         "nchunksperloop='2'", 2, (struct thread_block[]){
        {0, 1, 1, "s i0 o0 1 -1 -1; r i0 o1 1 -1 -1; cpy i0 o0 1 -1 -1;"},
        {1, 0, 0, "s i0 o1 1 -1 -1; r i0 o0 1 -1 -1; cpy i0 o1 1 -1 -1;"},
        END}), "an all-gather out of place");
    is_right(read_blocks("coll='broadcast' root='1' inplace='1' "
                         "nchunksperloop='1'", 2, (struct thread_block[]){
        {0, -1, 1, "r i0 o0 1 -1 -1;"}, {1, 0, -1, "s i0 o0 1 -1 -1;"}, END}),
        "a broadcast from rank 1");
}

/* Two messages wait in the link. The sender overwrites the second one's source
 * after sending it. */
static void
test_order(void)
{
    const char *gather = "coll='gather' inplace='0' root='1' "
                         "nchunksperloop='4'";

    is_right(read_blocks(gather, 2, (struct thread_block[]){
        {0, 1, -1, "s i0 o0 1 -1 -1; cpy i1 s0 1 -1 -1; s s0 o0 1 -1 -1; "
                   "cpy i0 s0 1 -1 -1;"},
        {1, -1, 0, "cpy i0 o2 2 -1 -1; cpy i0 s0 1 -1 -1; cpy i0 s0 1 -1 -1; "
                   "cpy i0 s0 1 -1 -1; r o0 o0 1 -1 -1; r o1 o1 1 -1 -1;"},
        END}), "messages arrive in order, as they were when sent: that");
    ok(notes.most_bytes == INT64_MAX, "any amount of data ends");
    struct schedule *s = read_blocks(gather, 2, (struct thread_block[]){
        {0, 1, -1, "s i0 o0 1 -1 -1; s i1 o0 1 -1 -1;"},
        {1, -1, 0, "r o0 o1 1 -1 -1; r o1 o0 1 -1 -1; cpy i0 o2 2 -1 -1;"},
        END});
    ok(s != NULL && !schedule_check(s, 8, NULL, &err), "in the other order "
       "the result is wrong: %s", err.text);
    schedule_free(s);
}

/* Reads a program of two GPUs with one thread block each: GPU 0's steps, then
 * GPU 1's. */
static struct schedule *
read_pair(const char *steps, const char *others)
{
    return read_blocks(ALLREDUCE(1), 2, (struct thread_block[]){
        {0, 1, 1, steps}, {1, 0, 0, others}, END});
}

/* Every kind of step that reads, on memory that nobody wrote. Some of these
 * programs would be right if that memory were zero. */
static void
test_unwritten(void)
{
    const char *exchange = "s i0 s0 1 -1 -1; rrc i0 i0 1 -1 -1;";

    is_right(read_pair(exchange, exchange),
             "the exchange, before it is spoiled,");
    is_refuted(read_pair("s i0 s0 1 -1 -1; rrc s0 s0 1 -1 -1; "
                         "re s0 i0 1 -1 -1;", exchange),
               "step 1: rank 0 adds to slot 1, chunk 0 of its scratch, which "
               "was never written", "rrc for r");
    is_refuted(read_pair("re i0 s1 1 -1 -1; s s1 i0 1 -1 -1; "
                         "rrc i0 i0 1 -1 -1;", exchange),
               "step 1: rank 0 adds to slot 2, chunk 1 of its scratch",
               "re for cpy");
    is_refuted(read_pair("re s1 i0 1 -1 -1; s i0 i0 1 -1 -1; "
                         "rrc i0 i0 1 -1 -1;", exchange),
               "step 1: rank 0 moves slot 2, chunk 1 of its scratch", "re");
    is_refuted(read_pair("cpy s0 s1 1 -1 -1; s i0 i0 1 -1 -1; "
                         "rrc i0 i0 1 -1 -1;", exchange),
               "step 1: rank 0 moves slot 1, chunk 0 of its scratch", "cpy");
    is_refuted(read_pair("s s0 i0 1 -1 -1; rrc i0 i0 1 -1 -1;", exchange),
               "step 1: rank 0 sends slot 1, chunk 0 of its scratch", "s");
    is_refuted(read_pair("rrs s0 i0 1 -1 -1; r i0 i0 1 -1 -1;",
                         "s i0 i0 1 -1 -1; rrcs i0 i0 1 -1 -1;"),
               "step 1: rank 0 adds to slot 1, chunk 0 of its scratch", "rrs");
    is_refuted(read_pair("rrcs s0 i0 1 -1 -1;",
                         "s i0 i0 1 -1 -1; rrc i0 i0 1 -1 -1;"),
               "step 1: rank 0 adds to slot 1, chunk 0 of its scratch", "rrcs");
    is_refuted(read_blocks("coll='allgather' inplace='1' nchunksperloop='2'",
                           2, (struct thread_block[]){
        {0, 1, 1, "s o0 o0 1 -1 -1; rrc o1 o1 1 -1 -1;"},
        {1, 0, 0, "s o1 o1 1 -1 -1; r o0 o0 1 -1 -1;"}, END}),
        "step 1: rank 0 adds to slot 1, chunk 1 of its buffer",
        "an all-gather that adds");
}

static void
test_wrong(void)
{
    is_refused(read_blocks(ALLREDUCE(1), 2, (struct thread_block[]){
        {0, 1, 1, "r i0 i0 1 -1 -1; s i0 i0 1 -1 -1;"},
        {1, 0, 0, "rrc i0 i0 1 -1 -1; s i0 i0 1 -1 -1;"}, END}),
        "thread block 0, step 0: waits for ever for a message from rank",
        "both receive first");
    is_refused(read_blocks(ALLREDUCE(1), 1, (struct thread_block[]){
        {0, -1, -1, "cpy! i0 s0 1 1 0;"}, {0, -1, -1, "cpy! i0 s1 1 0 0;"},
        END}), "waits for ever for step 0 of thread block", "a cycle");
    is_refused(read_blocks(ALLREDUCE(1), 2, (struct thread_block[]){
        {0, 1, -1, "s i0 i0 1 -1 -1;"}, END}),
        "rank 0, thread block 0, step 0: its message to rank 1",
        "one message too many");
    is_refused(read_blocks(ALLREDUCE(2), 2, (struct thread_block[]){
        {0, 1, -1, "s i0 i0 2 -1 -1;"}, {1, -1, 0, "r i0 i0 1 -1 -1;"},
        END}), "rank 1, thread block 0, step 0: receives 1 chunk,",
        "sizes that differ");
    is_refused(read_blocks(ALLREDUCE(1), 2, (struct thread_block[]){
        {0, 1, -1, "s i0 i0 1 -1 -1;"}, {0, -1, 1, "rrc i0 i0 1 -1 -1;"},
        {1, 0, -1, "s! i0 i0 1 -1 -1;"}, {1, -1, 0, "rrc i0 i0 1 0 0;"},
        END}), "rank 0, thread block 1, step 0: races with thread block 0, "
        "step 0", "a race");
    is_refused(read_blocks(ALLREDUCE(1), 2, (struct thread_block[]){
        {0, 1, -1, "s i0 i0 1 -1 -1;"}, {0, 1, -1, "s i0 i0 1 -1 -1;"},
        END}), "have the same peer", "two blocks that send over one link");
    is_refused(read_blocks(ALLREDUCE(1), 2, (struct thread_block[]){
        {0, 1, 1, "s i0 i0 1 -1 -1; rrc i0 i0 1 -1 -1;"}, {0, -1, 1, ""},
        {1, 0, 0, "s i0 i0 1 -1 -1; rrc i0 i0 1 -1 -1;"}, END}),
        "rank 0's thread blocks 0 and 1 have the same peer",
        "two blocks at one end of a link, of which one has no steps");
}

/* Two GPUs that both send `steps`, and then receive as much. */
static struct schedule *
read_exchange(const char *algo, const char *steps)
{
    return read_blocks(algo, 2, (struct thread_block[]){
        {0, 1, 1, steps}, {1, 0, 0, steps}, END});
}

static void
is_right_up_to(struct schedule *s, int64_t bytes, const char *what)
{
    is_right(s, what);
    is_int(notes.most_bytes, bytes, "up to %lld bytes", (long long)bytes);
}

/* A link holds as many messages as the protocol says. */
static void
test_depth(void)
{
    static const char *const steps =
        "s i0 i0 1 -1 -1; s i1 i1 1 -1 -1; s i2 i2 1 -1 -1; "
        "rrc i0 i0 1 -1 -1; rrc i1 i1 1 -1 -1; rrc i2 i2 1 -1 -1;";

    is_right_up_to(read_exchange(ALLREDUCE(3), steps), INT64_MAX,
                   "three messages on LL's links");
    is_refused(read_exchange(ALLREDUCE(3) " proto='Simple'", steps),
               "it deadlocks on links that hold 2 messages, as Simple's do: "
               "rank 0, thread block 0, step 2: waits for ever for room",
               "three messages on Simple's links");
}

/* Large chunks go one by one, so that links are full sooner. */
static void
test_large_data(void)
{
#define SIMPLE(n) ALLREDUCE(n) " proto='Simple'"
    const char *eight = "s i0 i0 8 -1 -1; rrc i0 i0 8 -1 -1;";
    const char *nine = "s i0 i0 9 -1 -1; rrc i0 i0 9 -1 -1;";

    is_right_up_to(read_exchange(SIMPLE(2), "s i0 i0 2 -1 -1; "
                                 "rrc i0 i0 2 -1 -1;"), INT64_MAX,
                   "two chunks in a message of Simple's");
    is_right_up_to(read_exchange(SIMPLE(8), eight), 8 * (2 << 20) / 4,
                   "eight chunks in a message of Simple's");
    ok(strstr(notes.beyond.text, "rank 0, thread block 0, step 0: waits for "
              "ever for room on the link to rank 1, channel 0 (piece 3 of 8)"),
       "and with more: %s", notes.beyond.text);
    is_right_up_to(read_exchange(SIMPLE(9), nine), 9 * ((2 << 20) / 5),
                   "nine, in five and four,");
    is_right_up_to(read_exchange(ALLREDUCE(8), eight), INT64_MAX,
                   "eight in a message of LL's");
    is_right_up_to(read_exchange(ALLREDUCE(9), nine), 9 * (32 << 10) / 2,
                   "nine in a message of LL's");
    is_right_up_to(read_exchange(ALLREDUCE(9) " proto='LL128'", nine),
                   9 * 576000 / 2, "nine in a message of LL128's");
    is_right_up_to(read_blocks("coll='broadcast' inplace='1' proto='Simple' "
                               "nchunksperloop='8'", 2,
                               (struct thread_block[]){
        {0, 1, 1, "s i0 i0 8 -1 -1; s i0 i0 8 -1 -1; r i0 i0 8 -1 -1;"},
        {1, 0, 0, "r i0 i0 8 -1 -1; s i0 i0 8 -1 -1; r i0 i0 8 -1 -1;"}, END}),
        8 * (2 << 20) / 4 / 4, "a broadcast, whose messages are shorter");
    is_right_up_to(read_blocks(SIMPLE(3), 2, (struct thread_block[]){
        {0, 1, 1, "s i0 i0 3 -1 -1; r i0 i0 3 -1 -1;"},
        {1, 0, 0, "rrcs i0 i0 3 -1 -1;"}, END}), INT64_MAX,
        "three chunks that come back one by one");
    is_right_up_to(read_exchange(SIMPLE(8) " maxBytes='4194304'", eight),
                   4 << 20, "as much as maxBytes allows");
    ok(notes.is_bounded, "maxBytes is a bound");
    is_refused(read_exchange(SIMPLE(8) " maxBytes='4194305'", eight),
               "maxBytes=\"4194305\" allows more than 4194304 bytes, with "
               "which it deadlocks: rank 0, thread block 0", "a byte more");
    is_refused(read_exchange(SIMPLE(8) " maxBytes='0'", eight),
               "maxBytes=\"0\" allows more than 4194304 bytes", "any amount");
    is_right(read_exchange(SIMPLE(2) " maxBytes='0'",
                           "s i0 i0 2 -1 -1; rrc i0 i0 2 -1 -1;"),
             "any amount, where it ends,");
}

/* Other blocks can only wait for steps that are published (hasdep="1"). */
static void
test_hasdep(void)
{
    const char *const sends = "s! i0 i0 1 -1 -1;";

    is_refused(read_blocks(ALLREDUCE(1), 2, (struct thread_block[]){
        {0, 1, -1, sends}, {0, -1, 1, "rrc i0 i0 1 0 0;"},
        {1, 0, -1, "s i0 i0 1 -1 -1;"}, {1, -1, 0, "rrc i0 i0 1 0 0;"}, END}),
        "rank 1, thread block 1, step 0: waits for ever for step 0 of thread "
        "block 0, which is never published", "no hasdep");
    is_right(read_blocks(ALLREDUCE(1), 2, (struct thread_block[]){
        {0, 1, -1, "s i0 i0 1 -1 -1; cpy! s0 s0 1 -1 -1;"},
        {0, -1, 1, "rrc i0 i0 1 0 0;"},
        {1, 0, -1, sends}, {1, -1, 0, "rrc i0 i0 1 0 0;"}, END}),
        "a later step of the block publishes: that");
    is_refused(read_blocks(ALLREDUCE(1), 1, (struct thread_block[]){
        {0, -1, -1, "cpy i0 s0 1 -1 -1; cpy! i0 s1 1 1 0;"},
        {0, -1, -1, "cpy! s0 s0 1 0 0;"}, END}),
        "thread block 0, step 1: waits for ever for step 0 of thread block 1",
        "the step that publishes waits itself");
    is_refused(read_blocks(ALLREDUCE(1), 1, (struct thread_block[]){
        {0, -1, -1, "cpy i0 s0 1 -1 -1; nop! i0 i0 0 1 0; cpy i0 s1 1 1 0;"},
        {0, -1, -1, "cpy! i0 i0 1 -1 -1; cpy s0 s0 1 0 0;"}, END}),
        "never published", "a nop publishes nothing");
    is_refused(read_blocks(ALLREDUCE(1), 1, (struct thread_block[]){
        {0, -1, -1, "cpy i0 s0 1 -1 -1; cpy! i0 s1 1 0 0;"}, END}),
        "thread block 0, step 1: waits for ever for step 0 of thread block 0, "
        "which is published with step 1", "a step that waits for itself");
}

/* Reads a program in which chunks come back, one by one, while the next ones
 * are still being sent. */
static struct schedule *
read_echo(const char *proto, const char *back)
{
    char algo[80];

    snprintf(algo, sizeof algo, "coll='broadcast' inplace='1' "
             "nchunksperloop='4' proto='%s'", proto);
    return read_blocks(algo, 2, (struct thread_block[]){
        {0, 1, -1, "s i1 i1 2 -1 -1;"}, {0, -1, 1, back},
        {1, 0, 0, "rcs i1 i1 2 -1 -1;"}, END});
}

static void
test_finer_races(void)
{
    static const char *const protocols[] = {"Simple", "LL", "LL128"};

    for (int i = 0; i < 3; i++) {
        struct schedule *s = read_echo(protocols[i], "r i1 i1 2 -1 -1;");
        ok(s != NULL, "%s: each chunk comes back to where it was sent from",
           protocols[i]);
        schedule_free(s);
        is_refused(read_echo(protocols[i], "r i2 i2 2 -1 -1;"),
                   "races with thread block 0, step 0", "the first chunk comes "
                   "back to where the second is sent from");
        s = read_echo(protocols[i], "r i0 i0 2 -1 -1;");
        ok((s != NULL) == (i == 0), "%s: the second chunk comes back to where "
           "the first was sent from", protocols[i]);
        schedule_free(s);
    }
    is_refused(read_blocks(ALLREDUCE(3), 1, (struct thread_block[]){
        {0, -1, -1, "cpy i0 i1 2 -1 -1;"}, END}),
        "the threads of a block have no order", "chunks copied to where the "
        "next ones are");
    is_refused(read_blocks(ALLREDUCE(4), 1, (struct thread_block[]){
        {0, -1, -1, "cpy! i0 s0 1 -1 -1; cpy i1 s1 1 -1 -1;"},
        {0, -1, -1, "cpy i2 i0 1 0 0; cpy i2 i1 1 -1 -1;"}, END}),
        "thread block 1, step 1: races with thread block 0, step 1",
        "a step after the published one");
}

/* Two steps of a rank that have an order only because another rank sends in
 * between. */
static void
test_answers(void)
{
    const char *const late = "r i0 i0 1 -1 -1;";

    is_right(read_blocks("coll='broadcast' inplace='1' nchunksperloop='1'", 2,
                         (struct thread_block[]){
        {0, 1, -1, "s i0 i0 1 -1 -1;"}, {0, -1, 1, late},
        {1, 0, -1, "s i0 i0 1 1 0;"}, {1, -1, 0, "r! i0 i0 1 -1 -1;"}, END}),
        "a chunk overwritten by the answer");
    is_refused(read_blocks("coll='broadcast' inplace='1' nchunksperloop='1'",
                           2, (struct thread_block[]){
        {0, 1, -1, "s i0 i0 1 -1 -1;"}, {0, -1, 1, late},
        {1, 0, -1, "s i0 i0 1 -1 -1;"}, {1, -1, 0, "r i0 s0 1 -1 -1;"}, END}),
        "thread block 1, step 0: races with thread block 0, step 0",
        "a chunk overwritten by a message that is no answer");
}

/* Programs that the runtime would read differently from what they say. */
static void
test_runtime(void)
{
    is_refused(read_blocks(ALLREDUCE(1), 1, (struct thread_block[]){
        {0, -1, -1, "nop i0 i0 0 -1 -1; nop i0 i0 0 1 0; cpy i0 s0 1 1 0;"},
        {0, -1, -1, "cpy! i0 s1 1 -1 -1;"}, END}), "x.xml:6: a nop before it "
        "waits for nothing", "a useless nop before a step");
    is_right(read_blocks(ALLREDUCE(1), 1, (struct thread_block[]){
        {0, -1, -1, "nop i0 i0 0 -1 -1;"},
        {0, -1, -1, "cpy i0 s0 1 -1 -1; nop i0 i0 0 1 0; nop i0 i0 0 7 7; "
                    "nop i0 i0 0 -1 -1;"}, END}),
        "nops after the last step, which nothing waits for,");
    is_refused(read_blocks(ALLREDUCE(1), 1, (struct thread_block[]){
        {0, -1, -1, "cpy! i0 s0 1 -1 -1; nop! i0 i0 0 -1 -1;"},
        {0, -1, -1, "cpy i0 s1 1 0 1;"}, END}),
        "step 1 of thread block 0, which is never published",
        "a step that waits for the last nop");
    is_refused(read_blocks(ALLREDUCE(1), 1, (struct thread_block[]){
        {0, -1, -1, "nop i0 i0 0 1 0; cpy i0 s0 1 -1 -1;"},
        {0, -1, -1, "cpy! i0 s1 1 -1 -1;"}, END}), "the step after a nop",
        "a nop before a step that waits for nothing");
    is_refused(read_blocks(ALLREDUCE(2), 1, (struct thread_block[]){
        {0, -1, -1, "re i0 s0 2 -1 -1; re i0 s0 1 -1 -1;"}, END}),
        "cnt=\"1\" after cnt=\"2\"", "two additions that the runtime merges");
}

int
main(void)
{
    test_types();
    test_order();
    test_unwritten();
    test_wrong();
    test_depth();
    test_large_data();
    test_hasdep();
    test_finer_races();
    test_answers();
    test_runtime();
    return done_testing();
}
