/* SPDX-License-Identifier: MIT */
/* The view table: where it is chosen, and that every block is shown, once. */
#include <ctype.h>

#include "algorithm_world.h"
#include "picture.h"
#include "tap.h"
#include "view/places.h"
#include "view/view.h"

/* Counts the blocks that a later step needs and that are nowhere, and those
 * that share their place with another one. */
static int
misplaced(const struct places *p, int step)
{
    const struct outlook *o = p->scene->world->outlook;
    int count = 0;

    for (int rank = 0; rank < p->schedule->nranks; rank++)
        for (int slot = 0; slot < p->schedule->nslots; slot++) {
            const struct outlook_slot *data =
                outlook_slot(o, step, rank, slot);
            bool needed = data->ranks != 0 && data->needed;
            count += (places_find_spot(p, step, rank, slot) != NULL) != needed;
        }
    for (int i = 0; i < p->nspots; i++)
        for (int k = 0; k < i; k++)
            count += !p->spots[i].ghost && !p->spots[k].ghost &&
                     p->spots[i].x == p->spots[k].x &&
                     p->spots[i].y == p->spots[k].y;
    return count;
}

/* The slots that stand farther to the right than all inputs. */
static int
right_of_inputs(const struct places *p)
{
    int right = 0, count = 0;

    for (int i = 0; i < p->nspots; i++)
        if (p->spots[i].ghost && p->spots[i].x > right)
            right = p->spots[i].x;
    for (int i = 0; i < p->nspots; i++)
        count += !p->spots[i].ghost && p->spots[i].x > right;
    return count;
}

/* At any step, every block that is needed has a place of its own, and in the
 * end all of the output is beside the input. */
static void
test_places(void)
{
    static const char *const names[] = {
        "pairwise-alltoall", "ring-alltoall",    "bruck-alltoall",
        "flat-gather",       "binomial-gather",  "flat-scatter",
        "binomial-scatter",  "ring-allgather",   "bruck-allgather",
        "pat-allgather",     "pat-reduce-scatter",
        "ring-reduce-scatter"};
    static const int ranks[] = {2, 4, 8, 16};
    int wrong = 0, missing = 0, refused = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (size_t r = 0; r < sizeof ranks / sizeof ranks[0]; r++) {
            OWNS(world) *w = algorithm_world(names[i], ranks[r]);
            struct scene scene = {.world = w};
            int outputs = 0;

            for (int rank = 0; rank < ranks[r]; rank++)
                outputs += schedule_output(w->schedule, rank).count;
            for (int step = 0; step <= w->nsteps; step++) {
                OWN(places) p;
                world_seek(w, step);
                refused +=
                    !places_find(&p, &scene, (struct rect){0, 2, 116, 31},
                                 &view_table, GLYPHS_FULL);
                wrong += misplaced(&p, step);
                missing += step == w->nsteps && right_of_inputs(&p) != outputs;
            }
        }
    is_int(refused, 0, "it fits 120x40");
    is_int(wrong, 0, "every block that is needed has its own place");
    is_int(missing, 0, "and the end shows all of the output");
}

/* Where the data differs from what was scheduled, at rest long after. */
static void
test_wrong_data(void)
{
    OWNS(world) *w = algorithm_world("pairwise-alltoall", 4);
    struct scene s = {.world = w, .view = TABLE, .selected = 3};
    struct event *e = &w->steps[2].events[0];
    OWN(buf) text = {0};

    world_seek(w, 0);
    memset(e->content, 0,
           (size_t)ledger_words(4) * sizeof *e->content);
    ledger_input(e->content, 4, 3, 0); /* D0, where A1 is expected */
    world_seek(w, 4);
    picture(&s, 80, 24, &text);
    ok(strstr(buf_text(&text), "!  D0") != NULL,
       "other data than was scheduled stays marked");
}

/* Whether the numbers 0, k, 2k, ... up to n - 1 stand between two places, each
 * followed by a blank. */
static bool
has_numbers(const char *at, const char *end, int n)
{
    int last = 0, step = 0;

    for (; at < end; at++) {
        int number = atoi(at);
        if (!isdigit((unsigned char)*at))
            continue;
        at += strspn(at, "0123456789");
        if (at >= end || *at != ' ' || (step > 0 && number != last + step))
            return false;
        step = number > 0 && step == 0 ? number : step;
        last = number;
    }
    return last + step >= n;
}

/* The word "from" covers no number of the input, on a screen of any width. */
static void
test_heads(void)
{
    int words = 0, covered = 0;
    OWN(buf) text = {0};

    for (int n = 2; n <= 16; n++)
        for (int columns = 40; columns <= 120; columns++) {
            OWNS(world) *w = algorithm_world("pairwise-alltoall", n);
            struct scene s = {.world = w, .view = TABLE};
            const char *from, *line;
            like.glyphs = GLYPHS_ASCII;
            picture(&s, columns, 15, &text);
            from = strstr(buf_text(&text), " from ");
            for (line = from; line != NULL && line[-1] != '\n';)
                line--;
            if (line != NULL) {
                words++;
                covered += !has_numbers(line, from + 1, n);
            }
        }
    ok(words > 100, "%d tables have the word", words);
    is_int(covered, 0, "it covers no number");
}

int
main(void)
{
    test_places();
    test_wrong_data();
    test_heads();
    return done_testing();
}
