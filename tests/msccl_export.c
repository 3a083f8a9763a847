/* SPDX-License-Identifier: MIT */
/* Schedules written as MSCCL's XML, and read back: every algorithm, random
 * schedules, and what does not fit into a file. */
#include <stdlib.h>

#include "schedules.h"
#include "made.h"
#include "msccl_text.h"
#include "random_schedule.h"

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
    OWNS(schedule) *s = coll_build(a, &o, &err), *back = NULL;
    bool ok;

    if (s == NULL)
        return true; /* this algorithm does not take so many ranks */
    back = written_and_read(s);
    ok = back != NULL && schedule_check(back, 2 * nranks + 1, NULL, &err) &&
         back->collective == s->collective && back->in_place == s->in_place &&
         back->root == s->root;
    if (!ok)
        diag("%s-%s of %d ranks, root %d: %s", a->name, a->collective,
             nranks, root, err.text);
    return ok;
}

/* A program takes as many steps as the schedule that was written, and messages
 * that wait get no more scratch than those that wait at the same time. */
static void
test_steps(void)
{
    static const char *const names[] = {"ring-allreduce", "chain-broadcast"};
    OWNS(schedule) *waits = read_blocks(
        ALLREDUCE(3), 2,
        "0 1 -1: s i0 i0 2; s i0 i0 2; s i0 i0 2 | "
        "1 -1 0: cpy i0 s0; r i0 i0 2; cpy i0 s0; r i0 i0 2; "
        "cpy i0 s0; r i0 i0 2");

    for (int i = 0; i < 2; i++) {
        OWNS(schedule) *s = build_in_place(names[i], 5);
        OWNS(schedule) *back = written_and_read(s);
        is_int(back != NULL ? back->nsteps : 0, s->nsteps, "%s: as many steps",
               names[i]);
    }
    is_int(waits != NULL ? waits->scratch : 0, 2 + 4,
           "scratch for the two messages that wait");
}

static void
test_ours(void)
{
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++) {
        bool rooted = collective_rooted(collective_find(a->collective));
        int wrong = 0;
        if (a->switches != NULL)
            continue; /* no file has one */
        for (int n = 1; n <= 9; n++)
            for (int root = 0; root < (rooted ? n : 1); root++)
                wrong += !comes_back(a, n, root, true) +
                         !comes_back(a, n, root, false);
        is_int(wrong, 0, "%s-%s: written, read back and proved", a->name,
               a->collective);
    }
}

/* Large files. With MSCCL_ALL set, larger ones, in place and out of place: half
 * a minute. */
static void
test_large(void)
{
    bool all = getenv("MSCCL_ALL") != NULL;
    int nranks = all ? 256 : 64;
    const struct algorithm *a;

    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++) {
        if (a->switches != NULL)
            continue;
        ok(comes_back(a, nranks, 0, true) &&
               (!all || comes_back(a, nranks, 0, false)),
           "%s-%s on %d ranks", a->name, a->collective, nranks);
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
    OWNS(schedule) *large = schedule_new(&shape);

    ok(coll_find("ring-allreduce", &ring, &err), "there is a ring");
    for (; o.nranks <= 34; o.nranks++) {
        OWNS(schedule) *s = coll_build(ring, &o, &err);
        schedule_free(written_and_read(s));
        is_str(warning.text, o.nranks == 33 ? "" :
               "this file has 66 steps in a thread block, and MSCCL's "
               "runtime, as built by default, takes at most 64",
               "%d ranks", o.nranks);
    }
    is_too_large(written_and_read(large), "more than 2097152 chunks",
                 "large buffers");
    is_str(warning.text, "this file has 2400000 chunks in buffers, and collviz "
           "reads back at most 2097152", "and the writer warned of it");
}

/* Whether a schedule leaves the same in all slots after it was written and
 * read. */
static bool
random_comes_back(uint32_t seed)
{
    OWNS(schedule) *s = random_schedule(seed);
    OWNS(schedule) *back = written_and_read(s);
    bool same = back != NULL && schedule_valid(back, &err);
    OWN(plain) expected = plain_run(s, s->nsteps);
    OWN(plain) found = plain_run(same ? back : s, same ? back->nsteps : 0);

    if (!same)
        diag("seed %u: %s", seed, err.text);
    for (int rank = 0; same && rank < s->nranks; rank++)
        for (int slot = 0; same && slot < s->nslots; slot++) {
            struct plain_cell cell = expected.now[plain_at(&expected, rank,
                                                           slot)];
            same = cell.chunk == PLAIN_NONE ||
                   cell.value == found.now[plain_at(&found, rank, slot)].value;
        }
    return same;
}

static void
test_random(void)
{
    int wrong = 0;

    for (uint32_t seed = 0; seed < 2000; seed++)
        wrong += !random_comes_back(seed);
    is_int(wrong, 0, "2000 random schedules leave the same when read back");
}

/* Two ranks swap a slot with each other in one step; then each swaps its own
 * two slots, twice. */
static void
test_swap(void)
{
    struct schedule *back;
    OWNS(schedule) *s = made(
        (struct schedule_spec){.collective = collective_find("alltoall"),
                               .nranks = 2, .pieces = 1, .in_place = true},
        "0.1>1.0 1.0>0.1; 0.0>0.1 0.1>0.0 1.0>1.1 1.1>1.0; "
        "0.0>0.1 0.1>0.0 1.0>1.1 1.1>1.0");

    strcpy(s->algorithm, "turn & <swap> \"1\"");
    ok(schedule_check(s, 4, NULL, &err), "a schedule of swaps is right");
    back = written_and_read(s);
    is_str(back != NULL ? back->algorithm : err.text, "turn & <swap> \"1\"",
           "a name keeps its markup");
    is_right(back, "the program that was read back");
}

int
main(void)
{
    test_ours();
    test_steps();
    test_large();
    test_warnings();
    test_random();
    test_swap();
    return done_testing();
}
