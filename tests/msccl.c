/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "coll/coll.h"
#include "msccl/msccl.h"
#include "random_schedule.h"
#include "schedule/check.h"
#include "tap.h"

static struct msccl_notes notes;
static struct err err;

static struct schedule *
read_text(const char *text, size_t length)
{
    FILE *file = fmemopen((void *)text, length, "r");
    struct schedule *s = msccl_read(file, "x.xml", false, &notes, &err);

    fclose(file);
    return s;
}

/* Steps "TYPE SRC DST CNT DEPID DEPS", as in "rrc i0 o1 2 -1 -1"; "TYPE!" is
 * one with hasdep="1". */
static void
add_steps(struct buf *out, const char *steps)
{
    char type[8], src, dst;
    int from, to, count, dep, deps, used;

    for (int s = 0; sscanf(steps, " %7s %c%d %c%d %d %d %d;%n", type, &src,
                           &from, &dst, &to, &count, &dep, &deps, &used) == 8;
         s++, steps += used)
        buf_addf(out, "<step s='%d' type='%.*s' srcbuf='%c' srcoff='%d' "
                 "dstbuf='%c' dstoff='%d' cnt='%d' depid='%d' deps='%d' "
                 "hasdep='%d'/>\n", s, (int)strcspn(type, "!"), type, src,
                 from, dst, to, count, dep, deps, strchr(type, '!') != NULL);
}

struct thread_block {
    int rank, send, recv;
    const char *steps;
};

/* A program of blocks in rank order, ended by one of rank -1. */
static struct schedule *
read_blocks(const char *algo, int nranks, const struct thread_block *b)
{
    struct buf text = {0};
    struct schedule *s;

    buf_addf(&text, "<algo name='t' proto='LL' nchannels='1' ngpus='%d' %s>\n",
             nranks, algo);
    for (int rank = 0; rank < nranks; rank++) {
        buf_addf(&text, "<gpu id='%d' i_chunks='9' o_chunks='9' "
                 "s_chunks='2'>\n", rank);
        for (int id = 0; b->rank == rank; id++, b++) {
            buf_addf(&text, "<tb id='%d' send='%d' recv='%d' chan='0'>\n", id,
                     b->send, b->recv);
            add_steps(&text, b->steps);
            buf_puts(&text, "</tb>\n");
        }
        buf_puts(&text, "</gpu>\n");
    }
    buf_puts(&text, "</algo>\n");
    s = read_text(buf_text(&text), text.length);
    buf_done(&text);
    return s;
}

static void
is_right(struct schedule *s, const char *what)
{
    if (!ok(s != NULL && schedule_check(s, 8, NULL, &err), "%s is right",
            what))
        diag("%s", err.text);
    schedule_free(s);
}

/* Read, and refuted by the proof. */
static void
is_refuted(struct schedule *s, const char *why, const char *what)
{
    if (!ok(s != NULL && !schedule_check(s, 8, NULL, &err) &&
                strstr(err.text, why) != NULL, "%s: %s", what, why))
        diag("%s", err.text);
    schedule_free(s);
}

static void
is_refused(struct schedule *s, const char *why, const char *what)
{
    if (!ok(s == NULL && strstr(err.text, why) != NULL, "%s: refused, %s",
            what, why))
        diag("%s", s == NULL ? err.text : "it is not");
    schedule_free(s);
}

#define ALLREDUCE(n) "coll='allreduce' inplace='1' nchunksperloop='" #n "'"
#define END {-1, 0, 0, ""}

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

/* Two messages that wait, the second as overwritten after it was sent. */
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
        END}), "first in, first out, read at the send:");
    is_int(notes.links.text[0] != '\0', 0, "and one place is enough");
    struct schedule *s = read_blocks(gather, 2, (struct thread_block[]){
        {0, 1, -1, "s i0 o0 1 -1 -1; s i1 o0 1 -1 -1;"},
        {1, -1, 0, "r o0 o1 1 -1 -1; r o1 o0 1 -1 -1; cpy i0 o2 2 -1 -1;"},
        END});
    ok(s != NULL && !schedule_check(s, 8, NULL, &err), "the other order is "
       "wrong: %s", err.text);
    schedule_free(s);
}

/* Two GPUs with a block each; GPU 0's does this, GPU 1's what goes with it. */
static struct schedule *
read_pair(const char *steps, const char *others)
{
    return read_blocks(ALLREDUCE(1), 2, (struct thread_block[]){
        {0, 1, 1, steps}, {1, 0, 0, others}, END});
}

/* Every instruction that reads, on memory that nobody wrote; some of it would
 * be right if there were zeros. */
static void
test_unwritten(void)
{
    const char *exchange = "s i0 s0 1 -1 -1; rrc i0 i0 1 -1 -1;";

    is_right(read_pair(exchange, exchange), "the exchange below, as it is,");
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
        "a message too many");
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
        END}), "have the same peer", "two that send over one link");
    struct schedule *s = read_blocks(ALLREDUCE(2), 2, (struct thread_block[]){
        {0, 1, 1, "s i0 i0 1 -1 -1; s i1 i1 1 -1 -1; rrc i0 i0 1 -1 -1; "
                  "rrc i1 i1 1 -1 -1;"},
        {1, 0, 0, "s i0 i0 1 -1 -1; s i1 i1 1 -1 -1; rrc i0 i0 1 -1 -1; "
                  "rrc i1 i1 1 -1 -1;"}, END});
    ok(strstr(notes.links.text,
              "thread block 0, step 1: waits for ever for room"),
       "one place is too few: %s", notes.links.text);
    is_right(s, "with more it");
}

/* A step whose thread block has not published it is not over. */
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
        "a later step of the block that publishes");
    is_refused(read_blocks(ALLREDUCE(1), 1, (struct thread_block[]){
        {0, -1, -1, "cpy i0 s0 1 -1 -1; cpy! i0 s1 1 1 0;"},
        {0, -1, -1, "cpy! s0 s0 1 0 0;"}, END}),
        "thread block 0, step 1: waits for ever for step 0 of thread block 1",
        "a later one that waits in turn");
    is_refused(read_blocks(ALLREDUCE(1), 1, (struct thread_block[]){
        {0, -1, -1, "cpy i0 s0 1 -1 -1; nop! i0 i0 0 1 0; cpy i0 s1 1 1 0;"},
        {0, -1, -1, "cpy! i0 i0 1 -1 -1; cpy s0 s0 1 0 0;"}, END}),
        "never published", "a nop publishes nothing");
    is_refused(read_blocks(ALLREDUCE(1), 1, (struct thread_block[]){
        {0, -1, -1, "cpy i0 s0 1 -1 -1; cpy! i0 s1 1 0 0;"}, END}),
        "thread block 0, step 1: waits for ever for step 0 of thread block 0, "
        "which is published with step 1", "a step that waits for itself");
}

/* Data that comes back while it is still being sent: chunk by chunk. */
static struct schedule *
read_echo(const char *back)
{
    return read_blocks("coll='broadcast' inplace='1' nchunksperloop='3'", 2,
                       (struct thread_block[]){
        {0, 1, -1, "s i0 i0 2 -1 -1;"}, {0, -1, 1, back},
        {1, 0, 0, "rcs i0 i0 2 -1 -1;"}, END});
}

static void
test_finer_races(void)
{
    struct schedule *s = read_echo("r i0 i0 2 -1 -1;");

    ok(s != NULL, "each chunk comes back after it was sent");
    schedule_free(s);
    is_refused(read_echo("r i0 i1 2 -1 -1;"), "races with thread block 0, "
               "step 0", "the first comes back to where the second is sent "
               "from");
    is_refused(read_blocks(ALLREDUCE(3), 1, (struct thread_block[]){
        {0, -1, -1, "cpy i0 i1 2 -1 -1;"}, END}),
        "the threads of a block have no order", "a copy of chunks to the next "
        "ones");
    is_refused(read_blocks(ALLREDUCE(4), 1, (struct thread_block[]){
        {0, -1, -1, "cpy! i0 s0 1 -1 -1; cpy i1 s1 1 -1 -1;"},
        {0, -1, -1, "cpy i2 i0 1 0 0; cpy i2 i1 1 -1 -1;"}, END}),
        "thread block 1, step 1: races with thread block 0, step 1",
        "what comes after the published step");
}

/* Steps of a rank that have an order only because another rank answers. */
static void
test_answers(void)
{
    const char *const late = "r i0 i0 1 -1 -1;";

    is_right(read_blocks("coll='broadcast' inplace='1' nchunksperloop='1'", 2,
                         (struct thread_block[]){
        {0, 1, -1, "s i0 i0 1 -1 -1;"}, {0, -1, 1, late},
        {1, 0, -1, "s i0 i0 1 1 0;"}, {1, -1, 0, "r! i0 i0 1 -1 -1;"}, END}),
        "written after the answer");
    is_refused(read_blocks("coll='broadcast' inplace='1' nchunksperloop='1'",
                           2, (struct thread_block[]){
        {0, 1, -1, "s i0 i0 1 -1 -1;"}, {0, -1, 1, late},
        {1, 0, -1, "s i0 i0 1 -1 -1;"}, {1, -1, 0, "r i0 s0 1 -1 -1;"}, END}),
        "thread block 1, step 0: races with thread block 0, step 0",
        "written whatever the other does");
}

/* What the runtime would read otherwise than it is written. */
static void
test_runtime(void)
{
    is_refused(read_blocks(ALLREDUCE(1), 1, (struct thread_block[]){
        {0, -1, -1, "nop i0 i0 0 -1 -1;"}, END}), "a nop that waits for "
        "nothing", "an empty nop");
    is_refused(read_blocks(ALLREDUCE(1), 1, (struct thread_block[]){
        {0, -1, -1, "nop i0 i0 0 1 0; cpy i0 s0 1 -1 -1;"},
        {0, -1, -1, "cpy! i0 s1 1 -1 -1;"}, END}), "the step after a nop",
        "a nop before a step that waits for nothing");
    is_refused(read_blocks(ALLREDUCE(2), 1, (struct thread_block[]){
        {0, -1, -1, "re i0 s0 2 -1 -1; re i0 s0 1 -1 -1;"}, END}),
        "cnt=\"1\" after cnt=\"2\"", "additions that would be one");
}

/* Everything that a step must have, and a right program around it. */
static const char *const elements[] = {
    "<algo name='a' proto='LL' nchannels='1' nchunksperloop='1' ngpus='1' "
    "coll='allreduce' inplace='1'>\n",
    "<gpu id='0' i_chunks='1' o_chunks='0' s_chunks='0'>\n",
    "<tb id='0' send='-1' recv='-1' chan='0'>\n",
    "<step s='0' type='cpy' srcbuf='i' srcoff='0' dstbuf='i' dstoff='0' "
    "cnt='1' depid='-1' deps='-1' hasdep='0'/>\n",
};
#define CLOSING "</tb></gpu></algo>"

/* All of the elements, without what is at `from` in one of them, and with
 * `other` in its place. */
static struct schedule *
read_but(int element, size_t from, size_t length, const char *other)
{
    struct buf text = {0};
    struct schedule *s;

    for (int i = 0; i < 4; i++)
        if (i == element)
            buf_addf(&text, "%.*s%s%s", (int)from, elements[i], other,
                     elements[i] + from + length);
        else
            buf_puts(&text, elements[i]);
    buf_puts(&text, CLOSING);
    s = read_text(buf_text(&text), text.length);
    buf_done(&text);
    return s;
}

/* Each attribute, in the line of its element. */
static void
test_required(void)
{
    int lacking = 0;

    is_right(read_but(-1, 0, 0, ""), "a program with what is required");
    for (int e = 0; e < 4; e++)
        for (const char *at = strchr(elements[e], ' '), *end; at != NULL;
             at = *end == ' ' ? end : NULL) {
            int length = (int)strcspn(at + 1, "=");
            char want[80];
            end = strchr(strchr(at, '\'') + 1, '\'') + 1;
            snprintf(want, sizeof want, "x.xml:%d: this <%.*s> lacks the "
                     "attribute %.*s", e + 1,
                     (int)strcspn(elements[e] + 1, " "), elements[e] + 1,
                     length, at + 1);
            is_refused(read_but(e, (size_t)(at - elements[e]),
                                (size_t)(end - at), ""), want, "lacking");
            lacking++;
        }
    is_int(lacking, 7 + 4 + 4 + 10, "all attributes");
}

static void
test_hostile(void)
{
    static const struct {
        const char *text, *why;
    } files[] = {
        {"hello", "x.xml:1: not valid XML"},
        {"<algo name='a' proto='LL' nchannels='1' coll='allreduce' ngpus='1' "
         "inplace='1' nchunksperloop='1'>", "not valid XML: no element found"},
        {"<!DOCTYPE a [<!ENTITY b 'bb'><!ENTITY c '&b;&b;'>]><algo/>",
         "document type"},
        {"<algo><algo/>", "this <algo> lacks"},
    };
    static const struct {
        int element;
        const char *attribute, *other, *why;
    } values[] = {
        {0, "proto", "x", "proto=\"x\": it must be Simple, LL or LL128"},
        {0, "coll", "custom", "coll=\"custom\""},
        {0, "ngpus", "99999999999999999999", "from 1 to 2147483647"},
        {0, "ngpus", "2", "1 GPU, but ngpus=\"2\""},
        {0, "coll", "alltoall' ngpus='2", "not valid XML: duplicate attribute"},
        {0, "nchunksperloop", "0", "from 1 to"},
        {0, "inplace", "2", "inplace=\"2\""},
        {0, "inplace", "0' outofplace='0", "neither in place nor out"},
        {0, "inplace", "1' root='1", "root=\"1\""},
        {1, "id", "7", "x.xml:2: id=\"7\", but 0 is next"},
        {1, "s_chunks", "-1", "s_chunks=\"-1\""},
        {1, "i_chunks", "0", "x.xml:4: it uses 1 chunks from chunk 0 on, "
                             "but the buffer has 0"},
        {2, "send", "5", "send=\"5\""},
        {2, "recv", "0", "GPU 0 is its own peer"},
        {2, "chan", "1", "chan=\"1\""},
        {3, "type", "x", "type=\"x\""},
        {3, "type", "s", "its thread block has send=\"-1\""},
        {3, "type", "rrc", "its thread block has recv=\"-1\""},
        {3, "srcbuf", "x", "srcbuf=\"x\": it must be i, o or s"},
        {3, "srcoff", "1", "1 chunks from chunk 1 on, but the buffer has 1"},
        {3, "srcoff", "2147483647", "but the buffer has 1"},
        {3, "srcoff", "-1", "srcoff=\"-1\""},
        {3, "dstbuf", "s", "but the buffer has 0"},
        {3, "dstbuf", "o", "but the buffer has 0"},
        {3, "cnt", "0", "cnt=\"0\""},
        {3, "depid", "3", "depid=\"3\", but GPU 0 has 1 thread blocks"},
        {3, "depid", "0", "deps=\"-1\", but thread block 0 has 1 steps"},
        {3, "hasdep", "2", "hasdep=\"2\""},
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        is_refused(read_text(files[i].text, strlen(files[i].text)),
                   files[i].why, "hostile");
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const char *element = elements[values[i].element];
        char name[40];
        const char *at;
        snprintf(name, sizeof name, " %s='", values[i].attribute);
        at = strstr(element, name) + strlen(name);
        is_refused(read_but(values[i].element, (size_t)(at - element),
                            strcspn(at, "'"), values[i].other),
                   values[i].why, "hostile");
    }
    is_refused(read_but(1, 0, 0, "<algo/>"), "<algo> where <gpu> belongs",
               "hostile");
}

/* Neither right nor wrong. */
static void
is_too_large(struct schedule *s, const char *why, const char *what)
{
    is_refused(s, why, what);
    ok(notes.too_large && strstr(err.text, "wrong") == NULL &&
           strstr(err.text, "x.xml is too large to judge: ") == err.text,
       "and so not judged");
}

/* A million of something. With the square of it, this would take hours. */
static void
test_many(const char *head, const char *each, const char *why)
{
    struct buf text = {0};

    buf_puts(&text, elements[0]);
    buf_puts(&text, elements[1]);
    buf_puts(&text, head);
    for (int i = 0; i <= 1 << 20; i++)
        buf_addf(&text, each, i);
    is_too_large(read_text(buf_text(&text), text.length), why, "a million");
    buf_done(&text);
}

/* Each of many steps comes after each of many others, along all of a third
 * thread block. */
static void
test_long_searches(void)
{
    enum { MANY = 9000 };
    struct buf text = {0};

    buf_addf(&text, "<algo name='a' proto='LL' nchannels='1' ngpus='1' "
             "nchunksperloop='%d' coll='allreduce' inplace='1'>\n", MANY);
    buf_addf(&text, "<gpu id='0' i_chunks='%d' o_chunks='0' s_chunks='%d'>\n",
             MANY, MANY + 2);
    for (int b = 0; b < 4; b++) {
        buf_addf(&text, "<tb id='%d' send='-1' recv='-1' chan='0'>\n", b);
        for (int i = 0; i < (b == 3 ? 1 : MANY); i++)
            buf_addf(&text, "<step s='%d' type='cpy' srcbuf='%c' srcoff='%d' "
                     "dstbuf='%c' dstoff='%d' cnt='1' depid='%d' deps='%d' "
                     "hasdep='1'/>\n", i, b == 0 ? 'i' : 's',
                     b == 0 ? i : MANY, b == 1 ? 'i' : 's',
                     b == 2 ? MANY + 1 : b == 3 ? MANY : i,
                     b == 3 ? -1 : b == 1 ? 2 : b == 2 && i == 0 ? 0 : 3,
                     b == 3 ? -1 : b == 1 || (b == 2 && i == 0) ? MANY - 1
                                                                : 0);
        buf_puts(&text, "</tb>\n");
    }
    buf_puts(&text, "</gpu></algo>\n");
    is_too_large(read_text(buf_text(&text), text.length), "whether steps race",
                 "a maze");
    buf_done(&text);
}

static void
test_too_large(void)
{
    static const char step[] =
        "<step s='%d' type='nop' srcbuf='i' srcoff='0' dstbuf='i' dstoff='0' "
        "cnt='0' depid='0' deps='0' hasdep='0'/>";
    size_t bytes = MSCCL_BYTES_MAX + 1;
    char *spaces = mem_new(bytes, 1);

    memset(spaces, ' ', bytes);
    is_too_large(read_text(spaces, bytes), "more than 128 MiB", "a long file");
    free(spaces);
    test_many("<tb id='0' send='-1' recv='-1' chan='0'>", step,
              "more than 1048576 steps");
    test_many("", "<tb id='%d' send='-1' recv='-1' chan='0'/>",
              "more than 262144 thread blocks");
    is_too_large(read_but(0, 0, strlen(elements[0]),
        "<algo name='a' proto='LL' nchannels='1' nchunksperloop='1' "
        "ngpus='1025' coll='allreduce' inplace='1'>\n"), "more than 1024 GPUs",
        "many GPUs");
    is_too_large(read_but(0, 0, strlen(elements[0]),
        "<algo name='a' proto='LL' nchannels='1' nchunksperloop='2000000' "
        "ngpus='1' coll='allreduce' inplace='1'>\n"), "are more than 2097152 "
        "chunks", "many chunks");
    is_too_large(read_but(0, 0, strlen(elements[0]),
        "<algo name='a' proto='LL' nchannels='1' nchunksperloop='70000' "
        "ngpus='1' coll='allreduce' inplace='1'>\n"), "more than collviz takes",
        "more of them than a ledger takes");
    test_long_searches();
}

static struct err warning;

static struct schedule *
written_and_read(const struct schedule *s)
{
    char *text;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    struct schedule *back;

    msccl_write(s, file, &warning);
    fclose(file);
    back = read_text(text, length);
    free(text);
    return back;
}

static bool
comes_back(const struct algorithm *a, int nranks, int root, bool in_place)
{
    struct coll_options o = {.nranks = nranks, .root = root,
                             .in_place = in_place};
    struct schedule *s = coll_build(a, &o, &err), *back;
    bool ok;

    if (s == NULL)
        return true; /* not for so many */
    back = written_and_read(s);
    ok = back != NULL && schedule_check(back, 2 * nranks + 1, NULL, &err) &&
         back->collective == s->collective && back->in_place == s->in_place &&
         back->root == s->root;
    if (!ok)
        diag("%s-%s of %d ranks, root %d: %s", a->name, a->collective,
             nranks, root, err.text);
    schedule_free(s);
    schedule_free(back);
    return ok;
}

/* A program goes no slower than the schedule that it was, and what waits takes
 * no more room than at one time. */
static void
test_steps(void)
{
    static const char *const names[] = {"ring-allreduce", "chain-broadcast"};
    struct coll_options o = {.nranks = 5, .in_place = true};
    struct schedule *s, *back;

    for (int i = 0; i < 2; i++) {
        const struct algorithm *a;
        s = coll_find(names[i], &a, &err) ? coll_build(a, &o, &err) : NULL;
        back = written_and_read(s);
        is_int(back != NULL ? back->nsteps : 0, s->nsteps, "%s: as many steps",
               names[i]);
        schedule_free(s);
        schedule_free(back);
    }
    s = read_blocks(ALLREDUCE(3), 2, (struct thread_block[]){
        {0, 1, -1, "s i0 i0 2 -1 -1; s i0 i0 2 -1 -1; s i0 i0 2 -1 -1;"},
        {1, -1, 0, "cpy i0 s0 1 -1 -1; r i0 i0 2 -1 -1; cpy i0 s0 1 -1 -1; "
                   "r i0 i0 2 -1 -1; cpy i0 s0 1 -1 -1; r i0 i0 2 -1 -1;"},
        END});
    is_int(s != NULL ? s->scratch : 0, 2 + 4, "room for the two that wait");
    schedule_free(s);
}

static void
test_ours(void)
{
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        bool rooted = collective_rooted(collective_find(a->collective));
        int wrong = 0;
        for (int n = 1; n <= 9; n++)
            for (int root = 0; root < (rooted ? n : 1); root++)
                wrong += !comes_back(a, n, root, true) +
                         !comes_back(a, n, root, false);
        is_int(wrong, 0, "%s-%s: written, read and proved", a->name,
               a->collective);
    }
}

/* What becomes a large file comes back as well.  All of it, with MSCCL_ALL set,
 * takes half a minute. */
static void
test_large(void)
{
    bool all = getenv("MSCCL_ALL") != NULL;
    int nranks = all ? 256 : 64;
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        ok(comes_back(a, nranks, 0, true) &&
               (!all || comes_back(a, nranks, 0, false)),
           "%s-%s on %d ranks, too", a->name, a->collective, nranks);
    }
    ok(coll_find("naive-allreduce", &a, &err) && comes_back(a, 256, 0, true),
       "130816 thread blocks");
    ok(coll_find("bruck-alltoall", &a, &err) && comes_back(a, 256, 0, true),
       "453632 steps");
}

static void
test_warnings(void)
{
    struct coll_options o = {.nranks = 33, .in_place = true};
    struct schedule_spec shape = {.collective = collective_find("allreduce"),
                          .algorithm = "large", .nranks = 20,
                          .pieces = 60000, .in_place = true};
    const struct algorithm *ring;
    struct schedule *s, *back;

    ok(coll_find("ring-allreduce", &ring, &err), "a ring");
    for (; o.nranks <= 34; o.nranks++) {
        s = coll_build(ring, &o, &err);
        schedule_free(written_and_read(s));
        schedule_free(s);
        is_str(warning.text, o.nranks == 33 ? "" :
               "this file has 66 steps in a thread block, and MSCCL's "
               "runtime, as built by default, takes at most 64",
               "%d ranks", o.nranks);
    }
    s = schedule_new(&shape);
    back = written_and_read(s);
    is_too_large(back, "more than 2097152 chunks", "large buffers");
    is_str(warning.text, "this file has 2400000 chunks in buffers, and collviz "
           "reads back at most 2097152", "and the writer knew");
    schedule_free(s);
}

/* Whether what a schedule leaves is the same after it was written and read. */
static bool
random_comes_back(uint32_t seed)
{
    struct state want, got;
    struct schedule *s = random_schedule(seed, &want);
    struct schedule *back = written_and_read(s);
    bool same = back != NULL && schedule_valid(back, &err);

    if (!same)
        diag("seed %u: %s", seed, err.text);
    got = state_new(same ? back : s);
    for (int step = 1; same && step <= back->nsteps; step++)
        state_apply(&got, back, step);
    for (int at = 0; same && at < s->nranks * s->nslots; at++)
        same = !want.defined[at] ||
               want.value[at] == got.value[at / s->nslots * got.nslots +
                                           at % s->nslots];
    state_free(&want);
    state_free(&got);
    schedule_free(s);
    schedule_free(back);
    return same;
}

static void
test_random(void)
{
    int wrong = 0;

    for (uint32_t seed = 0; seed < 2000; seed++)
        wrong += !random_comes_back(seed);
    is_int(wrong, 0, "2000 random schedules: the same, written and read");
}

/* All ranks turn, and each swaps two slots, in one step. */
static void
test_swap(void)
{
    struct schedule_spec shape = {.collective = collective_find("alltoall"),
                          .algorithm = "turn & <swap> \"1\"", .nranks = 2,
                          .pieces = 1, .in_place = true};
    struct schedule *s = schedule_new(&shape), *back;

    schedule_step(s, "swap");
    schedule_add(s, (struct transfer){0, 1, 1, 0, 0, 1, TRANSFER_COPY});
    schedule_add(s, (struct transfer){1, 0, 0, 1, 1, 1, TRANSFER_COPY});
    schedule_step(s, "swap");
    for (int r = 0; r < 2; r++) {
        schedule_add(s, (struct transfer){r, r, 0, 1, 1, 1, TRANSFER_COPY});
        schedule_add(s, (struct transfer){r, r, 1, 0, 0, 1, TRANSFER_COPY});
    }
    schedule_step(s, "swap");
    for (int r = 0; r < 2; r++) {
        schedule_add(s, (struct transfer){r, r, 0, 1, 1, 1, TRANSFER_COPY});
        schedule_add(s, (struct transfer){r, r, 1, 0, 0, 1, TRANSFER_COPY});
    }
    ok(schedule_check(s, 4, NULL, &err), "swaps are right");
    back = written_and_read(s);
    is_str(back != NULL ? back->algorithm : err.text, "turn & <swap> \"1\"",
           "a name keeps its markup");
    is_right(back, "written and read, swaps are, and that");
    schedule_free(s);
}

static struct schedule *
read_sample(const char *folder, const char *name)
{
    struct schedule *s = NULL;
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "r");
    if (ok(file != NULL, "%s is there", name)) {
        s = msccl_read(file, path, false, &notes, &err);
        fclose(file);
    }
    return s;
}

static void
test_samples(void)
{
    static const char *const names[] = {
        "azure-scheduler__ncv4__ag_hier_4_Simple.xml",
        "azure-scheduler__ncv4__ar_hier_12_Simple.xml",
        "azure-scheduler__ndv4__a2a2ll.xml",
        "dailiuyao__allreduce_binary_tree_Simple_gpu4_ins1.xml",
        "rccl__allreduce-1step-4n-ll-1pass.xml",
    };
    static const char *const faulty[] = {"faulty/empty-allgather.xml",
                                         "faulty/empty-scratch.xml",
                                         "faulty/pairs-rrc.xml"};
    const char *folder = getenv("MSCCL_SAMPLES");

    if (folder == NULL || access(folder, R_OK) != 0) {
        skip("others' algorithms are not here (MSCCL_SAMPLES)");
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        is_right(read_sample(folder, names[i]), names[i]);
        is_str(notes.links.text, "", "with links that hold one message, too");
    }
    for (size_t i = 0; i < sizeof faulty / sizeof faulty[0]; i++)
        is_refuted(read_sample(folder, faulty[i]), "step 1: rank 0 adds to",
                   faulty[i]);
}

int
main(void)
{
    test_types();
    test_order();
    test_unwritten();
    test_wrong();
    test_hasdep();
    test_finer_races();
    test_answers();
    test_runtime();
    test_required();
    test_hostile();
    test_too_large();
    test_ours();
    test_steps();
    test_large();
    test_warnings();
    test_random();
    test_swap();
    test_samples();
    return done_testing();
}
