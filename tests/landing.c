/* SPDX-License-Identifier: MIT */
/* How slots take in data that has arrived: what is added closes up to what is
 * there, and what replaces something pushes it out: whose slots do, and the
 * flash of a sum that becomes complete.  Pictures are in tests/albums. */
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
    is_int(turned_cells(&s, 0.6), 0, "no sum is complete");
    ok(turned_cells(&s, 0.4) > 0, "it is: it flashes");
    is_int(turned_cells(&s, 0.2), 0, "once");
    ok(turned_cells(&s, 0) > 0, "and stays");
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
    test_none();
    return done_testing();
}
