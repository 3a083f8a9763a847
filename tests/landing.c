/* SPDX-License-Identifier: MIT */
/* How slots take in data that has arrived: what is added is at its place at
 * once, hollow at first, and what replaces something pushes it out: whose slots
 * do, and the flash of a sum that becomes complete.  Pictures are in
 * tests/albums. */
#include "algorithm_world.h"
#include "picture.h"
#include "schedule/program.h"
#include "tap.h"

enum { FLIGHTS_MOST = 64 };

/* The cells of a picture that are turned, as those of complete sums are. */
static int
turned_cells(struct scene *s, double left)
{
    struct flight flights[FLIGHTS_MOST];
    OWN(canvas) c = {0};
    size_t count = fly(s, flights, 1);
    int turned = 0;

    for (size_t i = 0; i < count; i++)
        flights[i].landing = left;
    canvas_resize(&c, 80, 24);
    frame_draw(s, &around, &c);
    for (int i = 0; i < c.columns * c.rows; i++)
        turned += (c.cells[i].pen.attrs & ATTR_REVERSE) != 0;
    return turned;
}

static void
test_flash(void)
{
    OWNS(world) *w = algorithm_world("ring-allreduce", 3);
    struct scene s = {.world = w, .view = RING};

    world_seek(w, 1);
    ok(turned_cells(&s, 0.6) > 0, "a sum is complete: it flashes");
    is_int(turned_cells(&s, 0.2), 0, "once");
    ok(turned_cells(&s, 0) > 0, "and stays");
}

/* Data that is added moves nothing: each letter stands where it will stay, and
 * what was there before keeps its ground. */
static void
test_places_kept(void)
{
    OWNS(world) *w = algorithm_world("ring-allreduce", 4);
    struct scene s = {.world = w, .view = RING};
    struct flight flights[FLIGHTS_MOST];
    OWN(canvas) lands = {0}, rests = {0};
    int moved = 0, hollow = 0, bare = 0;
    size_t count = fly(&s, flights, 1);

    for (size_t i = 0; i < count; i++)
        flights[i].landing = 0.5;
    canvas_resize(&lands, 80, 24);
    canvas_resize(&rests, 80, 24);
    frame_draw(&s, &around, &lands);
    for (size_t i = 0; i < count; i++)
        flights[i].landing = 0;
    frame_draw(&s, &around, &rests);
    for (int i = 80 * 3; i < 80 * 20; i++) { /* the picture */
        struct pen now = lands.cells[i].pen, then = rests.cells[i].pen;
        moved += lands.cells[i].code != rests.cells[i].code;
        hollow += now.bg == 0 && then.bg >= ROLE_ORIGIN &&
                  now.fg == then.bg && (now.attrs & ATTR_UNDERLINE) != 0;
        bare += now.bg == 0 && then.bg >= ROLE_ORIGIN && now.fg != then.bg;
    }
    is_int(moved, 0, "no letter moves");
    ok(hollow > 0 && bare == 0, "what has arrived is hollow: %d", hollow);
}

/* The ranks whose slots take data in, in the step after a position: bits. */
static unsigned
ranks_landing(struct world *w, int position)
{
    struct flight flights[FLIGHTS_MOST];
    struct scene s = {.world = w};
    const struct schedule *p = w->schedule;
    struct landing l;
    unsigned ranks = 0;
    size_t count;

    world_seek(w, position);
    count = fly(&s, flights, 1);
    for (size_t i = 0; i < count; i++)
        flights[i].landing = 0.5;
    for (int rank = 0; rank < p->nranks; rank++)
        for (int slot = 0; slot < p->nslots; slot++)
            if (scene_landing(&s, rank, slot, &l))
                ranks |= 1u << rank;
    return ranks;
}

/* A slot that becomes wrong takes nothing in. */
static void
test_none(void)
{
    OWNS(world) *right = algorithm_world("ring-allreduce", 3);
    OWNS(world) *w = faulty_world(
        "ring-allreduce", 3,
        (struct fault){.kind = FAULT_DROP, .step = 1, .src = 0});

    is_int(ranks_landing(w, 0), 0x5, "what is dropped is not taken in");
    is_int(ranks_landing(w, 1), 0x3, "nor what lacks it a step later");
    is_int(ranks_landing(right, 0), 0x7, "everything else is");
}

int
main(void)
{
    test_flash();
    test_places_kept();
    test_none();
    return done_testing();
}
