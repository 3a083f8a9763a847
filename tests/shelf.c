/* SPDX-License-Identifier: MIT */
/* Every script of the table of algorithms: proved, with the steps and bytes
 * that its head says, and what else the head says is what its promise says. */
#include "bring_worker.h"
#include "formula.h"
#include "play/author.h"
#include "play/build.h"
#include "schedule/check.h"
#include "schedule/sums.h"
#include "schedules.h"

enum { RANKS_MOST = 33 };

static bool
keeps(const struct algorithm *a, const struct schedule *s,
      const struct coll_options *o, const struct check_counts *counts)
{
    struct formulas f = coll_formulas(a, o->nranks, o->dims);

    if (o->nranks == 1)
        return counts->steps == 0 && counts->most_sent == 0;
    return f.steps != NULL && evaluate(f.steps, o, 0) == counts->steps &&
           (f.bytes == NULL ||
            fabs(evaluate(f.bytes, o, s->nchunks) -
                 (double)counts->most_sent) < 1e-9);
}

static bool
is_as_stated(const struct algorithm *a, const struct coll_options *options)
{
    struct coll_options o = *options;
    struct check_counts counts = {0};
    struct err err = {.text = ""};
    OWNS(schedule) *s = build_row(a, options, &err);
    /* chunks that differ, then one element a chunk: elements are chunks */
    bool right = s != NULL && coll_complete(a, &o, &err) &&
                 schedule_check(s, 2 * s->nchunks - 1, &counts, &err) &&
                 schedule_check(s, s->nchunks, &counts, &err);

    if (right && strcmp(s->algorithm, a->name) != 0)
        right = err_set(&err, "it is called %s", s->algorithm);
    if (right && !keeps(a, s, &o, &counts))
        right = err_set(&err, "%d steps, %d chunks sent", counts.steps,
                        (int)counts.most_sent);
    if (!right)
        diag("%s: %d ranks, root %d, %d chunks, %s: %s", a->script, o.nranks,
             o.root, o.chunks, o.in_place ? "in place" : "out of place",
             err.text);
    return right;
}

/* Three roots and, if it is pipelined, three numbers of chunks. */
static int
count_wrong(const struct algorithm *a, int n)
{
    bool rooted = collective_rooted(collective_find(a->collective));
    const int roots[] = {0, n / 2, n - 1}, depths[] = {0, 1, 7};
    int wrong = 0;

    for (int i = 0; i < (rooted ? 3 : 1); i++)
        for (int d = 0; d < (a->chunks > 0 ? 3 : 1); d++)
            for (int in_place = 0; in_place < 2; in_place++)
                wrong += !is_as_stated(a, &(struct coll_options){
                                              .nranks = n, .root = roots[i],
                                              .chunks = depths[d],
                                              .in_place = in_place});
    return wrong;
}

/* What is in the head, and in the promise. */
static void
test_head(const struct algorithm *a)
{
    const char *srcdir = getenv("srcdir");
    OWN(buf) path = {0};
    struct algorithm row;
    struct err err;
    bool differ = false;

    buf_addf(&path, "%s/lessons/algorithms/%s", srcdir != NULL ? srcdir : ".",
             a->script);
    ok(author_find(buf_text(&path), &(struct coll_options){.nranks = 4}, &row,
                   &err) &&
           strcmp(row.collective, a->collective) == 0 &&
           row.topology == a->topology && row.chunks == a->chunks &&
           row.dims == a->dims, "%s: its row is what it promises", a->script);
    ok(a->idea != NULL && a->when != NULL && a->source != NULL &&
           a->formulas.steps != NULL, "%s: its head is complete", a->script);
    buf_clear(&path);
    buf_addf(&path, "%s-%s.lua", a->name, a->collective);
    is_str(a->script, buf_text(&path), "%s: it is called as its file",
           a->script);
    for (int n = 2; n <= 9 && !differ; n++) {
        OWNS(schedule) *s = build_row(a, &(struct coll_options){.nranks = n},
                                      &err);
        differ = !sums_agree(s);
    }
    ok(differ == a->differ, "%s: ranks add in %s order", a->script,
       a->differ ? "different" : "one");
}

int
main(void)
{
    const struct algorithm *a;

    bring_worker();
    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        if (a->script == NULL)
            continue;
        test_head(a);
        for (int n = 1; n <= RANKS_MOST; n++)
            is_int(count_wrong(a, n), 0,
                   "%s on %d ranks: proved, costs as stated", a->script, n);
    }
    return done_testing();
}
