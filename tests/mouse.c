/* SPDX-License-Identifier: MIT */
/* The mouse finds the ranks and steps that are drawn. */
#include "draw/canvas.h"
#include "picture.h"
#include "model/holdup.h"
#include "ring_world.h"
#include "tap.h"
#include "text/word.h"

/* Every rank and every step can be clicked where it is drawn. */
static void
check_hits(int n, int columns, int rows, int view)
{
    struct world *w = ring_world(n, 2 * (n - 1));
    struct scene s = {.world = w, .view = view};
    OWN(canvas) c = {0};
    struct layout l;
    int steps_missed = 0;

    canvas_resize(&c, columns, rows);
    layout(columns, rows, false, &l);
    is_int(unseen_ranks(&s, (struct point){columns, rows},
                        (struct point){1, 1}),
           0, "%d ranks at %dx%d can all be clicked", n, columns, rows);
    for (int step = 1; step <= w->nsteps; step++) {
        world_seek(w, step);
        frame_draw(&s, &around, &c);
        for (int x = 0; x < columns; x++) {
            struct point at = {x, l.progress};
            struct target hit = canvas_target_at(&c, at);
            if (canvas_at(&c, x, l.progress)->code ==
                    glyph(GLYPHS_FULL, GLYPH_HERE) &&
                (hit.kind != TARGET_STEP || hit.number != step))
                steps_missed++;
        }
    }
    is_int(steps_missed, 0, "and all steps, at their marks");
    world_free(w);
}

static bool
is_name(const struct canvas *c, int x, int y, const char *name)
{
    for (; *name != '\0'; x++, name++)
        if (canvas_at(c, x, y)->code != (unsigned char)*name)
            return false;
    return canvas_at(c, x, y)->code < '0' || canvas_at(c, x, y)->code > '9';
}

/* Whether a word stands before it, as in a legend. */
static bool
is_in_text(const struct canvas *c, int x, int y)
{
    uint32_t code = x > 1 ? canvas_at(c, x - 2, y)->code : ' ';

    return code >= 'a' && code <= 'z';
}

/* A click on a rank's name finds that rank, in a run that may be held up by
 * rank 2. */
static void
check_names(int n, int view, bool held)
{
    OWNS(world) *w = ring_world(n, 8);
    struct scene s = {.world = w, .view = view, .selected = n / 2 - 1,
                      .awaited_ns = held ? 3 * HOLDUP_NS : 0};
    OWN(canvas) c = {0};
    struct layout l;
    int found = 0, wrong = 0;

    world_seek(w, 3);
    if (held) {
        ring_world_lose(w, 4, 2);
        ring_world_lose(w, 4, 3);
    }
    canvas_resize(&c, 120, 40);
    layout(120, 40, false, &l);
    frame_draw(&s, &around, &c);
    for (int y = l.picture.y + 1; y < l.picture.y + l.picture.height; y++)
        for (int x = 0; x < 80; x++)
            for (int rank = 0; rank < n; rank++)
                if (is_name(&c, x, y,
                            word_rank_name(w->schedule, rank).text) &&
                    !is_in_text(&c, x, y)) {
                    struct point at = {x, y};
                    struct target hit = canvas_target_at(&c, at);
                    found++;
                    wrong += hit.kind != TARGET_RANK || hit.number != rank;
                }
    ok(found >= 5 && wrong == 0,
       "%d names in view %d are found where they are drawn",
       found, view);
}

static void
test_hits(void)
{
    struct world *w = world_new();
    struct scene s = {.world = w};
    OWN(canvas) c = {0};

    canvas_resize(&c, 80, 24);
    frame_draw(&s, &around, &c);
    is_int(canvas_target_at(&c, (struct point){40, 1}).kind, TARGET_NONE,
           "without a run there is nothing to click");
    world_free(w);
    check_hits(3, 80, 24, RING);
    check_hits(8, 80, 24, RING);
    check_hits(5, 200, 60, MATRIX);
    check_hits(16, 80, 24, MATRIX);
    check_hits(8, 80, 24, TIMELINE);
    check_hits(5, 120, 40, TIMELINE);
    check_hits(8, 120, 40, LOG);
    check_hits(8, 200, 60, RING); /* in two panes */
    check_names(5, TIMELINE, false);
    check_names(5, LOG, false);
    check_names(5, LOG, true);
    check_names(64, MATRIX, false); /* a map with a lens */
}

/* The number typed before a key is no key. */
static void
test_typed(void)
{
    OWNS(world) *w = ring_world(3, 4);
    struct scene s = {.world = w};
    const struct surround typed = {.typed = "5"};
    OWN(canvas) c = {0};
    int digits = 0, keys = 0;

    canvas_resize(&c, 80, 24);
    frame_draw(&s, &typed, &c);
    for (int x = 0; x < 80; x++) {
        bool digit = canvas_at(&c, x, 23)->code == '5';
        digits += digit;
        keys += digit && key_at(&c, x, 23) != 0;
    }
    is_int(digits, 1, "a typed number is shown");
    is_int(keys, 0, "and cannot be clicked");
}

int
main(void)
{
    test_typed();
    test_hits();
    return done_testing();
}
