/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "coll/coll.h"
#include "schedule/check.h"
#include "schedule/msccl.h"
#include "random_schedule.h"
#include "tap.h"

static struct err links, err;

static struct schedule *
read_text(const char *text, size_t length)
{
    FILE *file = fmemopen((void *)text, length, "r");
    struct schedule *s = msccl_read(file, "x.xml", false, &links, &err);

    fclose(file);
    return s;
}

/* Steps "TYPE SRC DST CNT DEPID DEPS", as in "rrc i0 o1 2 -1 -1". */
static void
add_steps(struct buf *out, const char *steps)
{
    char type[8], src, dst;
    int from, to, count, dep, deps, used;

    for (int s = 0; sscanf(steps, " %7s %c%d %c%d %d %d %d;%n", type, &src,
                           &from, &dst, &to, &count, &dep, &deps, &used) == 8;
         s++, steps += used)
        buf_addf(out, "<step s='%d' type='%s' srcbuf='%c' srcoff='%d' "
                 "dstbuf='%c' dstoff='%d' cnt='%d' depid='%d' deps='%d' "
                 "hasdep='0'/>\n", s, type, src, from, dst, to, count, dep,
                 deps);
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

    buf_addf(&text, "<algo name='t' ngpus='%d' %s>\n", nranks, algo);
    for (int rank = 0; rank < nranks; rank++) {
        buf_addf(&text, "<gpu id='%d' s_chunks='2'>\n", rank);
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
        {1, 0, 0, "s i0 i0 1 -1 -1; r i0 s1 1 -1 -1; nop i0 i0 0 0 0; "
                  "re s1 i0 1 0 1;"}, END}), "cpy, rrc, nop, re");
    is_right(read_blocks("coll='allgather' outofplace='1' "
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
    const char *gather = "coll='gather' outofplace='1' root='1' "
                         "nchunksperloop='4'";

    is_right(read_blocks(gather, 2, (struct thread_block[]){
        {0, 1, -1, "s i0 o0 1 -1 -1; cpy i1 s0 1 -1 -1; s s0 o0 1 -1 -1; "
                   "cpy i0 s0 1 -1 -1;"},
        {1, -1, 0, "cpy i0 o2 2 -1 -1; cpy i0 s0 1 -1 -1; cpy i0 s0 1 -1 -1; "
                   "cpy i0 s0 1 -1 -1; r o0 o0 1 -1 -1; r o1 o1 1 -1 -1;"},
        END}), "first in, first out, read at the send:");
    is_int(links.text[0] != '\0', 0, "and one place is enough");
    struct schedule *s = read_blocks(gather, 2, (struct thread_block[]){
        {0, 1, -1, "s i0 o0 1 -1 -1; s i1 o0 1 -1 -1;"},
        {1, -1, 0, "r o0 o1 1 -1 -1; r o1 o0 1 -1 -1; cpy i0 o2 2 -1 -1;"},
        END});
    ok(s != NULL && !schedule_check(s, 8, NULL, &err), "the other order is "
       "wrong: %s", err.text);
    schedule_free(s);
}

static void
test_wrong(void)
{
    is_refused(read_blocks(ALLREDUCE(1), 2, (struct thread_block[]){
        {0, 1, 1, "r i0 i0 1 -1 -1; s i0 i0 1 -1 -1;"},
        {1, 0, 0, "rrc i0 i0 1 -1 -1; s i0 i0 1 -1 -1;"}, END}),
        "thread block 0, step 0: waits for ever for a message of rank",
        "both receive first");
    is_refused(read_blocks(ALLREDUCE(1), 1, (struct thread_block[]){
        {0, -1, -1, "nop i0 i0 0 1 0;"}, {0, -1, -1, "nop i0 i0 0 0 0;"},
        END}), "waits for ever for step 0 of thread block", "a cycle");
    is_refused(read_blocks(ALLREDUCE(1), 2, (struct thread_block[]){
        {0, 1, -1, "s i0 i0 1 -1 -1;"}, END}),
        "rank 0, thread block 0, step 0: what it sends to rank 1",
        "a message too many");
    is_refused(read_blocks(ALLREDUCE(2), 2, (struct thread_block[]){
        {0, 1, -1, "s i0 i0 2 -1 -1;"}, {1, -1, 0, "r i0 i0 1 -1 -1;"},
        END}), "rank 1, thread block 0, step 0: receives 1 chunk,",
        "sizes that differ");
    is_refused(read_blocks(ALLREDUCE(1), 2, (struct thread_block[]){
        {0, 1, -1, "s i0 i0 1 -1 -1;"}, {0, -1, 1, "rrc i0 i0 1 -1 -1;"},
        {1, 0, -1, "s i0 i0 1 -1 -1;"}, {1, -1, 0, "rrc i0 i0 1 0 0;"},
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
    ok(strstr(links.text, "thread block 0, step 1: waits for ever for room"),
       "one place is too few: %s", links.text);
    is_right(s, "with more it");
}

static void
test_hostile(void)
{
    static const struct {
        const char *text, *why;
    } files[] = {
        {"hello", "x.xml:1: no XML"},
        {"<algo name='a' coll='allreduce' ngpus='1' nchunksperloop='1'>",
         "no XML: no element found"},
        {"<!DOCTYPE a [<!ENTITY b 'bb'><!ENTITY c '&b;&b;'>]><algo/>",
         "document type"},
        {"<algo ngpus='1'/>", "x.xml:1: the attribute name is missing"},
        {"<algo name='a' coll='custom' ngpus='1'/>", "coll=\"custom\""},
        {"<algo name='a' coll='allreduce' ngpus='99999999999999999999' "
         "nchunksperloop='1'/>", "from 1 to 1024"},
        {"<algo name='a' coll='allgather' ngpus='3' nchunksperloop='4'><gpu "
         "id='0'/><gpu id='1'/><gpu id='2'/></algo>", "can not be cut"},
        {"<algo name='a' coll='allreduce' ngpus='2' nchunksperloop='2000000'>"
         "<gpu id='0'/><gpu id='1'/></algo>", "more than collviz takes"},
        {"<algo name='a' coll='allreduce' ngpus='2' nchunksperloop='1'>"
         "<gpu id='0'/></algo>", "1 GPU, but ngpus=\"2\""},
        {"<algo name='a' coll='allreduce' ngpus='2' nchunksperloop='1'>\n"
         "<gpu id='7'/></algo>", "x.xml:2: id=\"7\", but 0 is next"},
        {"<algo name='a' coll='allreduce' ngpus='1' nchunksperloop='1'>"
         "<algo/>", "<algo> where <gpu> belongs"},
        {"<algo name='a' coll='allreduce' ngpus='1' nchunksperloop='1'>"
         "<gpu id='0'><tb id='0' send='5'/></gpu></algo>", "send=\"5\""},
        {"<algo name='a' coll='allreduce' ngpus='1' nchunksperloop='1'>"
         "<gpu id='0'><tb id='0'><step s='0' type='x'/></tb></gpu></algo>",
         "type=\"x\""},
        {"<algo name='a' coll='allreduce' ngpus='1' nchunksperloop='1'>"
         "<gpu id='0'><tb id='0'><step s='0' type='nop' depid='3' deps='0'/>"
         "</tb></gpu></algo>", "depid=\"3\""},
        {"<algo name='a' coll='allreduce' ngpus='1' nchunksperloop='1'>"
         "<gpu id='0'><tb id='0'><step s='0' type='cpy' cnt='1' srcbuf='i' "
         "srcoff='1' dstbuf='i' dstoff='0'/></tb></gpu></algo>",
         "chunks 1 to 1 of a buffer that has 1"},
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        is_refused(read_text(files[i].text, strlen(files[i].text)),
                   files[i].why, "hostile");
}

/* A program that is all readers of the same chunks. */
static void
test_readers(void)
{
    struct buf text = {0};

    buf_puts(&text, "<algo name='a' coll='allreduce' ngpus='1' "
             "nchunksperloop='1000'><gpu id='0' s_chunks='1000000'>");
    for (int i = 0; i < 1000; i++)
        buf_addf(&text, "<tb id='%d'><step s='0' type='cpy' srcbuf='i' "
                 "srcoff='0' dstbuf='s' dstoff='%d' cnt='1000'/></tb>", i,
                 1000 * i);
    buf_puts(&text, "</gpu></algo>");
    is_refused(read_text(buf_text(&text), text.length), "takes more to judge",
               "many readers");
    buf_done(&text);
}

/* A million of something. With the square of it, this would take hours. */
static void
test_many(const char *head, const char *each, const char *why)
{
    struct buf text = {0};

    buf_puts(&text, "<algo name='a' coll='allreduce' ngpus='1' "
             "nchunksperloop='1'><gpu id='0'>");
    buf_puts(&text, head);
    for (int i = 0; i < 1000000; i++)
        buf_addf(&text, each, i);
    is_refused(read_text(buf_text(&text), text.length), why, "a million");
    buf_done(&text);
}

static struct schedule *
written_and_read(const struct schedule *s)
{
    char *text;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    struct schedule *back;

    msccl_write(s, file);
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
    struct shape shape = {.collective = collective_find("alltoall"),
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
    const char *folder = getenv("MSCCL_SAMPLES");

    if (folder == NULL || access(folder, R_OK) != 0) {
        skip("others' algorithms are not here (MSCCL_SAMPLES)");
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[4096];
        FILE *file;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        file = fopen(path, "r");
        if (!ok(file != NULL, "%s is there", names[i]))
            continue;
        is_right(msccl_read(file, path, false, &links, &err), names[i]);
        is_str(links.text, "", "with links that hold one message, too");
        fclose(file);
    }
}

int
main(void)
{
    test_types();
    test_order();
    test_wrong();
    test_hostile();
    test_many("<tb id='0'>", "<step s='%d' type='nop'/>", "more than");
    test_many("", "<tb id='%d'/>", "more than");
    test_many("", "<tb id='%d'>", "<tb> where <step> belongs");
    test_readers();
    test_ours();
    test_random();
    test_swap();
    test_samples();
    return done_testing();
}
