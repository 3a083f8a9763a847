/* SPDX-License-Identifier: MIT */
/* Algorithms that are scripts: those in lessons/algorithms/ are equal to ours
 * in C, transfer by transfer; errors and the proof's sentences name the line;
 * the step of each transfer, where a script follows chunks. */
#include "play/author.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "bring_worker.h"
#include "coll/coll.h"
#include "schedule/check.h"
#include "tap.h"

enum { RANKS_MOST = 17 };

static void
const_schedule_end(const struct schedule **s)
{
    schedule_free(*s);
}
#define OWN_SCHEDULE \
    __attribute__((cleanup(const_schedule_end))) const struct schedule

static const struct coll_options four = {.nranks = 4, .in_place = true};

/* One transfer a line, step by step. */
static void
list(const struct schedule *s, struct buf *out)
{
    for (int step = 1; step <= s->nsteps; step++) {
        size_t count;
        const struct transfer *t = schedule_transfers(s, step, &count);
        buf_addf(out, "%s\n", s->steps[step - 1].phase);
        for (size_t i = 0; i < count; i++)
            buf_addf(out, "  %s %d:%d > %d:%d x%d\n",
                     t[i].op == TRANSFER_REDUCE ? "add" : "copy", t[i].src,
                     t[i].src_slot, t[i].dst, t[i].dst_slot, t[i].nslots);
    }
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the transfers of each step, whose order a script that follows chunks
 * does not choose. */
static void
sort_steps(struct buf *text)
{
    OWN(buf) sorted = {0};
    char *lines[4096], *line, *rest = (char *)buf_text(text);
    size_t count = 0;

    while ((line = strsep(&rest, "\n")) != NULL) {
        if (line[0] == ' ') {
            lines[count++] = line;
            continue;
        }
        qsort(lines, count, sizeof *lines, by_text);
        for (size_t i = 0; i < count; i++)
            buf_addf(&sorted, "%s\n", lines[i]);
        buf_addf(&sorted, "%s\n", line);
        count = 0;
    }
    buf_clear(text);
    buf_puts(text, buf_text(&sorted));
}

static void
test_equal(const char *script, const char *name, bool in_place)
{
    const char *srcdir = getenv("srcdir");
    const struct algorithm *a;
    OWN(buf) path = {0};
    struct err err = {.text = ""};

    buf_addf(&path, "%s/lessons/algorithms/%s.lua",
             srcdir != NULL ? srcdir : ".", script);
    coll_find(name, &a, &err);
    for (int n = 1; n <= RANKS_MOST; n++)
        for (int root = 0; root < n; root++) {
            struct coll_options o = {.nranks = n, .root = root,
                                     .in_place = in_place};
            OWN(buf) want = {0}, got = {0};
            if (root > 0 && !collective_rooted(collective_find(a->collective)))
                break;
            OWN_SCHEDULE *ours = coll_build(a, &o, &err);
            OWN_SCHEDULE *its = author_build(buf_text(&path), NULL, &o, &err);
            if (!ok(its != NULL, "%s on %d ranks is a schedule", script, n)) {
                diag("%s", err.text);
                return;
            }
            list(ours, &want);
            list(its, &got);
            sort_steps(&want);
            sort_steps(&got);
            is_str(buf_text(&got), buf_text(&want),
                   "%s equals %s on %d ranks, root %d", script, name, n, root);
            is_int(its->topology.kind, ours->topology.kind, "its topology");
            is_str(its->algorithm, ours->algorithm, "its name");
            if (!ok(schedule_check(its, 2 * n, NULL, &err), "it is proved"))
                diag("%s", err.text);
        }
}

static bool placed = true; /* in place */

/* What is wrong with a script on four ranks, and where. */
static void
test_wrong(const char *source, const char *want, const char *what)
{
    struct err err = {.text = "nothing"};
    struct coll_options o = four;
    o.in_place = placed;
    OWN_SCHEDULE *s = author_build("some/where/my.lua", source, &o, &err);

    if (s != NULL)
        schedule_check(s, 8, NULL, &err);
    is_str(err.text, want, "%s", what);
}

#define SUM "algorithm { collective = 'allreduce' }\n"

static void
test_errors(void)
{
    test_wrong("x = 1\n",
               "my.lua: it does not say what it promises: algorithm { "
               "collective = \"all-reduce\" }", "no promise");
    test_wrong("step 'a'\nadd { from = 0, to = 1, chunk = 0 }\n",
               "my.lua: say what it promises first: algorithm { collective = "
               "\"all-reduce\" }", "a transfer before the promise");
    test_wrong("\nsay 'hello'\n",
               "my.lua:2: 'say' is a verb of lessons, and this is an "
               "algorithm", "a lesson's verb");
    test_wrong("algorithm { collective = 'allredcue' }\n",
               "my.lua:1: no collective is called 'allredcue'; did you mean "
               "allreduce? (collviz list)", "an unknown collective");
    test_wrong("algorithm { collective = 'allreduce', chunk = 4 }\n",
               "my.lua:1: algorithm does not know 'chunk'",
               "a misspelt member");
    test_wrong("algorithm { collective = 'allreduce', topology = 'rign' }\n",
               "my.lua:1: no topology is called 'rign'; there are any, ring, "
               "star, binomial, tree, trees, torus, mesh, cube, nodes",
               "an unknown topology");
    test_wrong(SUM "add { from = 0, to = 1, chunk = 0 }\n",
               "my.lua:2: add: begin a step before it", "no step");
    test_wrong(SUM "step 'a'\nadd { from = 0, to = 4, chunk = 0 }\n",
               "my.lua:3: there is no rank 4; the ranks are 0 to 3",
               "a rank that is not there");
    test_wrong(SUM "step 'a'\nadd { from = 0, to = 1, chunk = 1 }\n",
               "my.lua:3: there is no chunk 1; the chunks are 0 to 0",
               "a chunk that is not there");
    test_wrong(SUM "step 'a'\nadd { from = 0, to = 1, chunk = 0, count = 2 }\n",
               "my.lua:3: 2 chunks from 0 on: they would end after 0",
               "more chunks than there are");
    test_wrong(SUM "step 'a'\nadd { from = 0, to = 1 }\n",
               "my.lua:3: add: 'chunk' must be a whole number",
               "a member that is missing");
    test_wrong(SUM "step 'a'\nadd { from = 0, to = n / 3, chunk = 0 }\n",
               "my.lua:3: add: 'to' must be a whole number",
               "a number that is not whole");
    test_wrong(SUM "step 'a'\nadd { from = 0, to = 1, chunk = 0 }\n"
               "chunk(0, 0)\n",
               "my.lua:4: chunk: this script goes by steps; it must do so in "
               "all its lines", "both ways");
    test_wrong("local function send(r)\n"
               "  copy { from = r, to = 3, chunk = 0 }\n"
               "end\n" SUM "step 'a'\nsend(0)\nsend(1)\n",
               "my.lua:2: step 1: slot 0 of rank 3 is written twice in a step; "
               "only reductions onto the same slot go together, and a copy "
               "before them", "a slot that is written twice");
}

static void
test_proof(void)
{
    test_wrong("algorithm { collective = 'allreduce', topology = 'ring' }\n"
               "step 'a'\nadd { from = 0, to = 2, chunk = 0 }\n",
               "my.lua:3: step 1: rank 0 sends to rank 2; there is no such "
               "link (ring)", "a link that is missing");
    test_wrong("algorithm { collective = 'allreduce', scratch = 1 }\n"
               "step 'a'\n\ncopy { from = 0, to = 2, chunk = 1 }\n",
               "my.lua:4: step 1: rank 0 sends slot 1, chunk 0 of its scratch, "
               "which was never written", "memory that was never written");
    test_wrong(SUM "step 'a'\nadd { from = 0, to = 1, chunk = 0 }\n"
               "step 'b'\nadd { from = 0, to = 1, chunk = 0 }\n",
               "my.lua:5: chunk 0 of rank 1's output ends as A0+B0, with a "
               "contribution that is in it more than once: step 2 adds it "
               "again", "a contribution twice");
    test_wrong(SUM "step 'a'\nadd { from = 0, to = 1, chunk = 0 }\n"
               "step 'b'\nadd { from = 0, to = 1, chunk = 0 }\n"
               "step 'c'\ncopy { from = 1, to = 0, chunk = 0 }\n",
               "my.lua:5: chunk 0 of rank 0's output ends as A0+B0, with a "
               "contribution that is in it more than once: step 2 adds it "
               "again", "and passed on");
    test_wrong("algorithm { collective = 'broadcast' }\nstep 'a'\n"
               "for r = 1, 2 do\n  copy { from = 0, to = r, chunk = 0 }\nend\n",
               "my.lua: chunk 0 of rank 3's output ends as nothing: it should "
               "hold chunk 0 of A", "an output that is never written");
    test_wrong(SUM "step 'a'\nfor r = 1, 3 do\n"
               "  add { from = r, to = 0, chunk = 0 }\nend\nstep 'b'\n"
               "for r = 1, 3 do\n"
               "  copy { from = (r + 1) % n, to = r, chunk = 0 }\nend\n",
               "my.lua:8: chunk 0 of rank 1's output ends as C0: A0 is missing",
               "a contribution that is missing");
}

/* Copies into the work buffer have no line. */
static void
test_out_of_place(void)
{
    placed = false;
    test_wrong(SUM "step 'a'\ncopy { from = 0, to = 2, chunk = 0 }\n"
               "step 'b'\nadd { from = 1, to = 0, chunk = 0 }\n"
               "step 'c'\nadd { from = 2, to = 0, chunk = 0 }\n",
               "my.lua:7: chunk 0 of rank 0's output ends as A0+B0, with a "
               "contribution that is in it more than once: step 4 adds it "
               "again", "out of place");
    test_wrong(SUM "step 'a'\nadd { from = 1, to = 0, chunk = 0 }\n"
               "step 'b'\nadd { from = 2, to = 0, chunk = 0 }\n",
               "my.lua:5: chunk 0 of rank 0's output ends as A0+B0+C0: D0 is "
               "missing", "a slot that is written twice, in two steps");
    placed = true;
}

static void
test_steps(const char *moves, const char *want, const char *what)
{
    OWN(buf) source = {0}, got = {0};
    struct err err = {.text = ""};

    buf_addf(&source, "%s%s", SUM, moves);
    OWN_SCHEDULE *s = author_build("my.lua", buf_text(&source), &four, &err);
    if (s != NULL)
        list(s, &got);
    if (!is_str(buf_text(&got), want, "%s", what))
        diag("%s", err.text);
}

/* The earliest step that the data allows: after what it sends was written, not
 * before what it replaces was read for the last time. */
static void
test_following(void)
{
    test_steps("chunk(0, 0):add(1)\nchunk(2, 0):add(1)\n"
               "chunk(1, 0):copy(2)\nchunk(3, 0):copy(0)\n"
               "chunk(2, 0):copy(3)\nphase 'last'\nchunk(0, 0):copy(1)\n"
               "chunk(1, 0):copy(0)\nchunk(1, 0):add(0)\n",
               "step\n  add 0:0 > 1:0 x1\n  add 2:0 > 1:0 x1\n"
               "  copy 3:0 > 0:0 x1\n"
               "step\n  copy 1:0 > 2:0 x1\n  copy 0:0 > 1:0 x1\n"
               "step\n  copy 2:0 > 3:0 x1\n  copy 1:0 > 0:0 x1\n"
               "  add 1:0 > 0:0 x1\n", "each in its step");
    test_steps("chunk(0, 0):add(1):copy(2)\nchunk(3, 0):add(1)\n",
               "step\n  add 0:0 > 1:0 x1\n"
               "step\n  copy 1:0 > 2:0 x1\n  add 3:0 > 1:0 x1\n",
               "added to not before it is read");
    test_steps("phase 'one'\nchunk(0, 0):copy(1)\nphase 'two'\n"
               "chunk(3, 0):copy(1)\n",
               "one\n  copy 0:0 > 1:0 x1\ntwo\n  copy 3:0 > 1:0 x1\n",
               "a slot is replaced once in a step");
}

/* Scratch comes after the chunks, in place and out of place. */
static void
test_scratch(const char *collective, const char *chunk)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        struct coll_options two = {.nranks = 2, .in_place = in_place};
        struct err err = {.text = ""};
        OWN(buf) source = {0};
        buf_addf(&source, "algorithm { collective = '%s', scratch = 1 }\n"
                 "local last = %s and 1 or 2\nstep 'a'\n"
                 "for r = 0, 1 do copy { from = r, to = 1 - r, into = last, "
                 "chunk = %s and 0 or 1 - r } end\nstep 'b'\n"
                 "for r = 0, 1 do add { from = r, to = r, chunk = last, "
                 "into = %s and 0 or r } end\n", collective, chunk, chunk,
                 chunk);
        OWN_SCHEDULE *s = author_build("my.lua", buf_text(&source), &two, &err);
        if (!ok(s != NULL && schedule_check(s, 4, NULL, &err),
                "%s with scratch, %s", collective,
                in_place ? "in place" : "out of place"))
            diag("%s", err.text);
    }
}

int
main(void)
{
    bring_worker();
    test_equal("ring", "ring-allreduce", true);
    test_equal("ring-reduce-scatter", "ring-reduce-scatter", true);
    for (int in_place = 0; in_place < 2; in_place++) {
        test_equal("binomial", "binomial-broadcast", in_place);
        test_equal("recursive-doubling", "butterfly-allreduce", in_place);
        test_equal("bruck", "bruck-allgather", in_place);
    }
    test_errors();
    test_proof();
    test_out_of_place();
    test_following();
    test_scratch("allreduce", "true");
    test_scratch("reduce-scatter", "false");
    return done_testing();
}
