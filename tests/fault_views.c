/* SPDX-License-Identifier: MIT */
/* A fault in every view: what was dropped is struck out where it should have
 * arrived, and what is wrong is marked to the end. */
#include "algorithm_world.h"
#include "fault_golden.h"
#include "picture.h"
#include "tap.h"

static void
test_inspector(void)
{
    struct world *w = faulty_world("ring-allreduce", 4,
                                   (struct fault){FAULT_DROP, 1, 2});
    struct scene s = {.world = w, .view = -1, .selected = 3, .inspect = true,
                      .slot = 1};

    world_seek(w, 1);
    PICTURE(&s, golden_inspect, "the inspector");
    world_free(w);
}

static void
check_fault(int view, const char *algorithm, int n, struct fault fault,
            int step, const char *name, const char *expected,
            const char *what)
{
    struct world *w = faulty_world(algorithm, n, fault);
    struct scene s = {.world = w, .view = view};

    world_seek(w, step);
    check_picture(&s, (struct point){80, 24}, name, expected, what);
    world_free(w);
}

#define DROP(step, src) ((struct fault){FAULT_DROP, step, src})
#define FAULT_OF(view, algorithm, n, fault, step, name, what)                 \
    check_fault(view, algorithm, n, fault, step, #name, name, what)

static void
test_pictures(void)
{
    FAULT_OF(-1, "ring-allreduce", 4, DROP(1, 2), 1, golden_ring_1,
             "ring: struck out at the arrow and in the slot");
    FAULT_OF(-1, "ring-allreduce", 4, DROP(1, 2), 6, golden_ring_6,
             "at the end, every sum that lacks it");
    FAULT_OF(-1, "ring-allreduce", 8, DROP(2, 1), 4, golden_ring_8,
             "where sums have short names");
    FAULT_OF(MATRIX, "ring-allreduce", 4, DROP(1, 2), 3, golden_matrix,
             "matrix");
    FAULT_OF(TIMELINE, "ring-allreduce", 4, DROP(1, 2), 3, golden_timeline,
             "timeline");
    FAULT_OF(LOG, "ring-allreduce", 4, DROP(1, 2), 2, golden_log, "log");
    FAULT_OF(-1, "tree-allreduce", 8, DROP(2, 1), 2, golden_tree,
             "tree: at the name, where another block has arrived");
    FAULT_OF(-1, "torus2d-allreduce", 9, DROP(2, 1), 2, golden_torus,
             "torus: small slots are marked themselves");
    FAULT_OF(-1, "binomial-broadcast", 8, DROP(1, 0), 2, golden_binomial,
             "a broadcast that brings nothing");
    FAULT_OF(STAGES, "butterfly-allreduce", 8, DROP(1, 2), 3,
             golden_butterfly, "stages: marked in every column");
    FAULT_OF(STAGES, "ring-allreduce", 4, DROP(1, 2), 3, golden_stages,
             "small slots of stages are marked themselves");
    FAULT_OF(TABLE, "pairwise-alltoall", 6, DROP(2, 1), 4, golden_alltoall,
             "table: struck out where other data still is");
    FAULT_OF(TABLE, "ring-allgather", 5, DROP(2, 1), 3, golden_allgather,
             "nothing in its place");
}

/* On its way the block is like any other. */
static void
test_flight(void)
{
    struct world *w = faulty_world("ring-allreduce", 4, DROP(2, 3));
    struct scene s = {.world = w, .view = -1, .glyphs = GLYPHS_ASCII};
    struct flight flights[4];

    world_seek(w, 1);
    fly(&s, flights, 0.6);
    PICTURE(&s, golden_flight, "on its way it looks like any other block");
    fly(&s, flights, 1);
    PICTURE(&s, golden_landed, "when it should have landed; in ASCII");
    world_free(w);
}

int
main(int argc, char **argv)
{
    picture_arguments(argc, argv);
    test_pictures();
    test_flight();
    test_inspector();
    return writing ? 0 : done_testing();
}
