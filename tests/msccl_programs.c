/* SPDX-License-Identifier: MIT */
/* MSCCL programs, as thread blocks and their steps: which are right, and what
 * is wrong with the others. */
#include "msccl_text.h"

/* What becomes of a program: right, refuted by the proof, refused; or it can be
 * read, which says that nothing in it races. */
enum verdict { RIGHT, REFUTED, REFUSED, READ };

/* Two GPUs with a thread block each: one steps and other ones, or the same. */
#define PAIR(one, other) "0 1 1: " one " | 1 0 0: " other
#define BOTH(steps) PAIR(steps, steps)
#define SIMPLE(n) ALLREDUCE(n) " proto='Simple'"
#define GATHER "coll='gather' inplace='0' root='1' nchunksperloop='4'"
#define GATHERED "coll='allgather' inplace='1' nchunksperloop='2'"
#define BROADCAST(n) "coll='broadcast' inplace='1' nchunksperloop='" #n "'"
#define EXCHANGE "s i0 s0; rrc i0 i0"
#define THREE \
    "s i0 i0; s i1 i1; s i2 i2; rrc i0 i0; rrc i1 i1; rrc i2 i2"
#define TWO_CHUNKS "s i0 i0 2; rrc i0 i0 2"
#define EIGHT_CHUNKS "s i0 i0 8; rrc i0 i0 8"
#define NINE_CHUNKS "s i0 i0 9; rrc i0 i0 9"
/* Chunks come back, one by one, while the next ones are still being sent. */
#define ECHO(back) \
    "0 1 -1: s i1 i1 2 | 0 -1 1: r " back " 2 | 1 0 0: rcs i1 i1 2"

static const struct row {
    const char *name, *algo;
    int nranks;
    const char *blocks;
    enum verdict verdict;
    const char *why; /* of a program that is right: with more data */
    int64_t bytes;   /* up to which one is right; 0: this is not looked at */
} rows[] = {
    /* Types of steps. */
    {"s, r, rrcs", ALLREDUCE(2), 2,
     PAIR("s i0 i0 2; r i0 i0 2", "rrcs i0 i0 2"), RIGHT, "", 0},
    {"rrs, rcs", ALLREDUCE(1), 3,
     "0 1 2: s i0 i0; rcs i0 i0 | 1 2 0: rrs i0 i0; r i0 i0 | "
     "2 0 1: rrcs i0 i0", RIGHT, "", 0},
    {"cpy, rrc, nop, re", ALLREDUCE(1), 2,
     PAIR("cpy i0 s0; s s0 i0; rrc i0 i0",
          "s! i0 i0; r! i0 s1; nop i0 i0 0 0 0; re s1 i0 1 0 1"),
     RIGHT, "", 0},
    {"an all-gather out of place",
     "coll='allgather' inplace='0' outofplace='1' nchunksperloop='2'", 2,
     PAIR("s i0 o0; r i0 o1; cpy i0 o0", "s i0 o1; r i0 o0; cpy i0 o1"),
     RIGHT, "", 0},
    {"a broadcast from rank 1", BROADCAST(1) " root='1'", 2,
     "0 -1 1: r i0 o0 | 1 0 -1: s i0 o0", RIGHT, "", 0},
    /* Two messages wait in the link.  The sender overwrites the second one's
     * source after sending it. */
    {"messages arrive in order, as they were when sent", GATHER, 2,
     "0 1 -1: s i0 o0; cpy i1 s0; s s0 o0; cpy i0 s0 | "
     "1 -1 0: cpy i0 o2 2; cpy i0 s0; cpy i0 s0; cpy i0 s0; r o0 o0; r o1 o1",
     RIGHT, "", INT64_MAX},
    {"in the other order", GATHER, 2,
     "0 1 -1: s i0 o0; s i1 o0 | 1 -1 0: r o0 o1; r o1 o0; cpy i0 o2 2",
     REFUTED, "", 0},
    /* Every kind of step that reads, on memory that nobody wrote.  Some of
     * these programs would be right if that memory were zero. */
    {"the exchange, before it is spoiled,", ALLREDUCE(1), 2, BOTH(EXCHANGE),
     RIGHT, "", 0},
    {"rrc for r", ALLREDUCE(1), 2,
     PAIR("s i0 s0; rrc s0 s0; re s0 i0", EXCHANGE), REFUTED,
     "step 1: rank 0 adds to slot 1, chunk 0 of its scratch, which was never "
     "written", 0},
    {"re for cpy", ALLREDUCE(1), 2,
     PAIR("re i0 s1; s s1 i0; rrc i0 i0", EXCHANGE), REFUTED,
     "step 1: rank 0 adds to slot 2, chunk 1 of its scratch", 0},
    {"re", ALLREDUCE(1), 2, PAIR("re s1 i0; s i0 i0; rrc i0 i0", EXCHANGE),
     REFUTED, "step 1: rank 0 moves slot 2, chunk 1 of its scratch", 0},
    {"cpy", ALLREDUCE(1), 2, PAIR("cpy s0 s1; s i0 i0; rrc i0 i0", EXCHANGE),
     REFUTED, "step 1: rank 0 moves slot 1, chunk 0 of its scratch", 0},
    {"s", ALLREDUCE(1), 2, PAIR("s s0 i0; rrc i0 i0", EXCHANGE), REFUTED,
     "step 1: rank 0 sends slot 1, chunk 0 of its scratch", 0},
    {"rrs", ALLREDUCE(1), 2,
     PAIR("rrs s0 i0; r i0 i0", "s i0 i0; rrcs i0 i0"), REFUTED,
     "step 1: rank 0 adds to slot 1, chunk 0 of its scratch", 0},
    {"rrcs", ALLREDUCE(1), 2, PAIR("rrcs s0 i0", "s i0 i0; rrc i0 i0"),
     REFUTED, "step 1: rank 0 adds to slot 1, chunk 0 of its scratch", 0},
    {"an all-gather that adds",
     "coll='allgather' inplace='1' nchunksperloop='2'", 2,
     PAIR("s o0 o0; rrc o1 o1", "s o1 o1; r o0 o0"), REFUTED,
     "step 1: rank 0 adds to slot 1, chunk 1 of its buffer", 0},
    /* Messages, links, races. */
    {"both receive first", ALLREDUCE(1), 2,
     PAIR("r i0 i0; s i0 i0", "rrc i0 i0; s i0 i0"), REFUSED,
     "thread block 0, step 0: waits for ever for a message from rank", 0},
    {"a cycle", ALLREDUCE(1), 1,
     "0 -1 -1: cpy! i0 s0 1 1 0 | 0 -1 -1: cpy! i0 s1 1 0 0", REFUSED,
     "waits for ever for step 0 of thread block", 0},
    {"one message too many", ALLREDUCE(1), 2, "0 1 -1: s i0 i0", REFUSED,
     "rank 0, thread block 0, step 0: its message to rank 1", 0},
    {"sizes that differ", ALLREDUCE(2), 2,
     "0 1 -1: s i0 i0 2 | 1 -1 0: r i0 i0", REFUSED,
     "rank 1, thread block 0, step 0: receives 1 chunk,", 0},
    {"a race", ALLREDUCE(1), 2,
     "0 1 -1: s i0 i0 | 0 -1 1: rrc i0 i0 | 1 0 -1: s! i0 i0 | "
     "1 -1 0: rrc i0 i0 1 0 0", REFUSED,
     "rank 0, thread block 1, step 0: races with thread block 0, step 0", 0},
    {"copies onto themselves beside sends of these chunks", GATHERED, 2,
     "0 1 1: s i0 o0; r i0 o1 | 0 -1 -1: cpy i0 o0 | "
     "1 0 0: s i0 o1; r i0 o0 | 1 -1 -1: cpy i0 o1", RIGHT, "", INT64_MAX},
    {"one beside what writes its chunk", GATHERED, 2,
     "0 1 1: s i0 o0; r i0 o1 | 0 -1 -1: cpy o1 o1 | 1 0 0: s i0 o1; r i0 o0",
     REFUSED, "races with thread block", 0},
    {"one that is no copy, but adds", ALLREDUCE(1), 2,
     "0 1 1: s i0 i0; rrc i0 i0 | 0 -1 -1: re i0 i0 | "
     "1 0 0: s i0 i0; rrc i0 i0",
     REFUSED, "races with thread block", 0},
    {"two blocks that send over one link", ALLREDUCE(1), 2,
     "0 1 -1: s i0 i0 | 0 1 -1: s i0 i0", REFUSED, "have the same peer", 0},
    {"two blocks at one end of a link, of which one has no steps",
     ALLREDUCE(1), 2, "0 1 1: s i0 i0; rrc i0 i0 | 0 -1 1: | "
     "1 0 0: s i0 i0; rrc i0 i0", REFUSED,
     "rank 0's thread blocks 0 and 1 have the same peer", 0},
    /* A link holds as many messages as the protocol says. */
    {"three messages on LL's links", ALLREDUCE(3), 2, BOTH(THREE), RIGHT, "",
     INT64_MAX},
    {"three messages on Simple's links", SIMPLE(3), 2, BOTH(THREE), REFUSED,
     "it deadlocks on links that hold 2 messages, as Simple's do: rank 0, "
     "thread block 0, step 2: waits for ever for room", 0},
    /* Large chunks go one by one, so that links are full sooner. */
    {"two chunks in a message of Simple's", SIMPLE(2), 2, BOTH(TWO_CHUNKS),
     RIGHT, "", INT64_MAX},
    {"eight chunks in a message of Simple's", SIMPLE(8), 2,
     BOTH(EIGHT_CHUNKS), RIGHT,
     "rank 0, thread block 0, step 0: waits for ever for room on the link to "
     "rank 1, channel 0 (piece 3 of 8)", 8 * (2 << 20) / 4},
    {"nine, in five and four,", SIMPLE(9), 2, BOTH(NINE_CHUNKS), RIGHT, "",
     9 * ((2 << 20) / 5)},
    {"eight in a message of LL's", ALLREDUCE(8), 2, BOTH(EIGHT_CHUNKS), RIGHT,
     "", INT64_MAX},
    {"nine in a message of LL's", ALLREDUCE(9), 2, BOTH(NINE_CHUNKS), RIGHT,
     "", 9 * (32 << 10) / 2},
    {"nine in a message of LL128's", ALLREDUCE(9) " proto='LL128'", 2,
     BOTH(NINE_CHUNKS), RIGHT, "", 9 * 576000 / 2},
    {"a broadcast, whose messages are shorter", BROADCAST(8) " proto='Simple'",
     2, PAIR("s i0 i0 8; s i0 i0 8; r i0 i0 8",
             "r i0 i0 8; s i0 i0 8; r i0 i0 8"), RIGHT, "",
     8 * (2 << 20) / 4 / 4},
    {"three chunks that come back one by one", SIMPLE(3), 2,
     PAIR("s i0 i0 3; r i0 i0 3", "rrcs i0 i0 3"), RIGHT, "", INT64_MAX},
    {"as much as maxBytes allows", SIMPLE(8) " maxBytes='4194304'", 2,
     BOTH(EIGHT_CHUNKS), RIGHT, "", 4 << 20},
    {"a byte more", SIMPLE(8) " maxBytes='4194305'", 2, BOTH(EIGHT_CHUNKS),
     REFUSED, "maxBytes=\"4194305\" allows more than 4194304 bytes, with "
     "which it deadlocks: rank 0, thread block 0", 0},
    {"any amount", SIMPLE(8) " maxBytes='0'", 2, BOTH(EIGHT_CHUNKS), REFUSED,
     "maxBytes=\"0\" allows more than 4194304 bytes", 0},
    {"any amount, where it ends,", SIMPLE(2) " maxBytes='0'", 2,
     BOTH(TWO_CHUNKS), RIGHT, "", 0},
    /* Other blocks can only wait for steps that are published (hasdep). */
    {"no hasdep", ALLREDUCE(1), 2,
     "0 1 -1: s! i0 i0 | 0 -1 1: rrc i0 i0 1 0 0 | 1 0 -1: s i0 i0 | "
     "1 -1 0: rrc i0 i0 1 0 0", REFUSED,
     "rank 1, thread block 1, step 0: waits for ever for step 0 of thread "
     "block 0, which is never published", 0},
    {"a later step of the block publishes: that", ALLREDUCE(1), 2,
     "0 1 -1: s i0 i0; cpy! s0 s0 | 0 -1 1: rrc i0 i0 1 0 0 | "
     "1 0 -1: s! i0 i0 | 1 -1 0: rrc i0 i0 1 0 0", RIGHT, "", 0},
    {"the step that publishes waits itself", ALLREDUCE(1), 1,
     "0 -1 -1: cpy i0 s0; cpy! i0 s1 1 1 0 | 0 -1 -1: cpy! s0 s0 1 0 0",
     REFUSED,
     "thread block 0, step 1: waits for ever for step 0 of thread block 1",
     0},
    {"a nop publishes nothing", ALLREDUCE(1), 1,
     "0 -1 -1: cpy i0 s0; nop! i0 i0 0 1 0; cpy i0 s1 1 1 0 | "
     "0 -1 -1: cpy! i0 i0; cpy s0 s0 1 0 0", REFUSED, "never published", 0},
    {"a step that waits for itself", ALLREDUCE(1), 1,
     "0 -1 -1: cpy i0 s0; cpy! i0 s1 1 0 0", REFUSED,
     "thread block 0, step 1: waits for ever for step 0 of thread block 0, "
     "which is published with step 1", 0},
    /* Races of pieces: where a chunk comes back to. */
    {"Simple, where it was sent from", BROADCAST(4) " proto='Simple'", 2,
     ECHO("i1 i1"), READ, "", 0},
    {"LL, where it was sent from", BROADCAST(4), 2, ECHO("i1 i1"), READ, "",
     0},
    {"LL128, where it was sent from", BROADCAST(4) " proto='LL128'", 2,
     ECHO("i1 i1"), READ, "", 0},
    {"Simple, the first where the second is sent from",
     BROADCAST(4) " proto='Simple'", 2, ECHO("i2 i2"), REFUSED,
     "races with thread block 0, step 0", 0},
    {"LL, the first where the second is sent from", BROADCAST(4), 2,
     ECHO("i2 i2"), REFUSED, "races with thread block 0, step 0", 0},
    {"LL128, the first where the second is sent from",
     BROADCAST(4) " proto='LL128'", 2, ECHO("i2 i2"), REFUSED,
     "races with thread block 0, step 0", 0},
    {"Simple, the second where the first was sent from",
     BROADCAST(4) " proto='Simple'", 2, ECHO("i0 i0"), READ, "", 0},
    {"LL, the second where the first was sent from", BROADCAST(4), 2,
     ECHO("i0 i0"), REFUSED, "", 0},
    {"LL128, the second where the first was sent from",
     BROADCAST(4) " proto='LL128'", 2, ECHO("i0 i0"), REFUSED, "", 0},
    {"chunks copied to where the next ones are", ALLREDUCE(3), 1,
     "0 -1 -1: cpy i0 i1 2", REFUSED,
     "the threads of a block have no order", 0},
    {"a step after the published one", ALLREDUCE(4), 1,
     "0 -1 -1: cpy! i0 s0; cpy i1 s1 | 0 -1 -1: cpy i2 i0 1 0 0; cpy i2 i1",
     REFUSED, "thread block 1, step 1: races with thread block 0, step 1", 0},
    /* Two steps of a rank that have an order only because another rank sends
     * in between. */
    {"a chunk overwritten by the answer", BROADCAST(1), 2,
     "0 1 -1: s i0 i0 | 0 -1 1: r i0 i0 | 1 0 -1: s i0 i0 1 1 0 | "
     "1 -1 0: r! i0 i0", RIGHT, "", 0},
    {"a chunk overwritten by a message that is no answer", BROADCAST(1), 2,
     "0 1 -1: s i0 i0 | 0 -1 1: r i0 i0 | 1 0 -1: s i0 i0 | 1 -1 0: r i0 s0",
     REFUSED, "thread block 1, step 0: races with thread block 0, step 0", 0},
    /* Programs that the runtime would read differently from what they say. */
    {"a useless nop before a step", ALLREDUCE(1), 1,
     "0 -1 -1: nop i0 i0 0; nop i0 i0 0 1 0; cpy i0 s0 1 1 0 | "
     "0 -1 -1: cpy! i0 s1", REFUSED,
     "x.xml:6: a nop before it waits for nothing", 0},
    {"nops after the last step, which nothing waits for,", ALLREDUCE(1), 1,
     "0 -1 -1: nop i0 i0 0 | 0 -1 -1: cpy i0 s0; nop i0 i0 0 1 0; "
     "nop i0 i0 0 7 7; nop i0 i0 0", RIGHT, "", 0},
    {"a step that waits for the last nop", ALLREDUCE(1), 1,
     "0 -1 -1: cpy! i0 s0; nop! i0 i0 0 | 0 -1 -1: cpy i0 s1 1 0 1", REFUSED,
     "step 1 of thread block 0, which is never published", 0},
    {"a nop before a step that waits for nothing", ALLREDUCE(1), 1,
     "0 -1 -1: nop i0 i0 0 1 0; cpy i0 s0 | 0 -1 -1: cpy! i0 s1", REFUSED,
     "the step after a nop", 0},
    {"two additions that the runtime merges", ALLREDUCE(2), 1,
     "0 -1 -1: re i0 s0 2; re i0 s0", REFUSED, "cnt=\"1\" after cnt=\"2\"",
     0},
};

int
main(void)
{
    for (const struct row *r = rows; r < rows + sizeof rows / sizeof *r; r++) {
        struct schedule *s = read_blocks(r->algo, r->nranks, r->blocks);
        switch (r->verdict) {
        case RIGHT:
            is_right(s, r->name);
            if (r->bytes == 0)
                break;
            is_int(notes.most_bytes, r->bytes, "up to so many bytes");
            ok(strstr(notes.beyond.text, r->why) != NULL, "with more: %s",
               notes.beyond.text);
            ok(notes.is_bounded == (strstr(r->algo, "maxBytes") != NULL),
               "whether maxBytes is a bound");
            break;
        case REFUTED:
            is_refuted(s, r->why, r->name);
            break;
        case REFUSED:
            is_refused(s, r->why, r->name);
            break;
        case READ:
            ok(s != NULL, "%s: %s", r->name, s == NULL ? err.text : "");
            schedule_free(s);
        }
    }
    return done_testing();
}
