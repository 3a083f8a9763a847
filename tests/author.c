/* SPDX-License-Identifier: MIT */
/* Algorithms that are scripts: those in lessons/algorithms/ are equal to ours
 * in C, transfer by transfer; the step of each transfer, where a script follows
 * chunks.  tests/golden/scripts.cmds has what is wrong with others. */
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

#define SUM "algorithm { collective = 'allreduce' }\n"

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
    test_following();
    test_scratch("allreduce", "true");
    test_scratch("reduce-scatter", "false");
    return done_testing();
}
