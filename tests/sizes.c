/* SPDX-License-Identifier: MIT */
/* Pictures of every view, alone, at three sizes. */
#include "algorithm_world.h"
#include "picture.h"
#include "sizes_golden.h"
#include "view/view.h"

enum { TREE = RING + 1, GRID, CUBE, STAR };

static bool drawn[LOG + 1]; /* by view */

static void
check_size(int view, const char *algorithm, int n, int step, struct point size,
           const char *name, const char *expected)
{
    struct world *w = algorithm_world(algorithm, n);
    struct scene s = {.world = w, .view = view, .beside = SCENE_ALONE};
    struct buf what = {0};

    buf_addf(&what, "%s of %d ranks at %dx%d", view_at(view)->name, n, size.x,
             size.y);
    world_seek(w, step);
    check_picture(&s, size, name, expected, buf_text(&what));
    drawn[view] = true;
    buf_done(&what);
    world_free(w);
}

#define SIZE(view, algorithm, n, step, columns, rows, name)                   \
    check_size(view, algorithm, n, step, (struct point){columns, rows},       \
               #name "_" #columns "x" #rows, name##_##columns##x##rows)
#define SIZES(view, algorithm, n, step, name)                                 \
    SIZE(view, algorithm, n, step, 80, 24, name);                             \
    SIZE(view, algorithm, n, step, 120, 40, name);                            \
    SIZE(view, algorithm, n, step, 200, 60, name)

int
main(int argc, char **argv)
{
    picture_arguments(argc, argv);
    SIZES(RING, "ring-allreduce", 6, 3, golden_ring);
    SIZE(RING, "ring-allreduce", 16, 18, 80, 24, golden_ring16);
    SIZES(TREE, "tree-allreduce", 8, 4, golden_tree);
    SIZES(GRID, "torus2d-allreduce", 8, 3, golden_grid);
    SIZE(GRID, "torus2d-allreduce", 16, 5, 80, 24, golden_grid16);
    SIZES(GRID, "torus3d-allreduce", 8, 2, golden_layers);
    SIZES(CUBE, "hypercube-allreduce", 8, 2, golden_cube);
    SIZES(STAR, "server-allreduce", 8, 1, golden_star);
    SIZES(STAGES, "butterfly-allreduce", 8, 2, golden_stages);
    SIZES(ARCS, "naive-allreduce", 8, 1, golden_arcs);
    SIZES(TABLE, "pairwise-alltoall", 8, 3, golden_table);
    SIZES(MATRIX, "ring-allreduce", 8, 4, golden_matrix);
    SIZES(HEAT, "ring-allreduce", 40, 20, golden_heat);
    SIZES(PATHS, "ring-allreduce", 8, 4, golden_paths);
    SIZES(TIMELINE, "ring-allreduce", 8, 4, golden_timeline);
    SIZES(LOG, "ring-allreduce", 8, 4, golden_log);
    if (writing)
        return 0;
    for (int i = 0; view_at(i) != NULL; i++)
        ok(i <= LOG && drawn[i], "%s", view_at(i)->name);
    return done_testing();
}
