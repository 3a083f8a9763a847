/* SPDX-License-Identifier: MIT */
/* Algorithms that are scripts: those in lessons/algorithms/ are equal to ours
 * in C, transfer by transfer.  tests/golden/scripts.cmds has others, and what
 * is wrong with some. */
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
    return done_testing();
}
