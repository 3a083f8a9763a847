/* SPDX-License-Identifier: MIT */
/* The views of topologies other than the ring. */
#include "algorithm_world.h"
#include "picture.h"
#include "tap.h"
#include "topology_golden.h"
#include "view/view.h"

static void
check_topology(const char *algorithm, int n, int step, struct point size,
               const char *name, const char *expected, const char *what)
{
    struct world *w = algorithm_world(algorithm, n);
    bool any = w->schedule->topology.kind == TOPOLOGY_ANY;
    struct scene s = {.world = w, .view = any ? ARCS : -1};

    world_seek(w, step);
    check_picture(&s, size, name, expected, what);
    world_free(w);
}

#define TOPOLOGY(algorithm, n, step, columns, rows, name, what)               \
    check_topology(algorithm, n, step, (struct point){columns, rows}, #name,  \
                   name, what)

static void
test_topologies(void)
{
    TOPOLOGY("tree-allreduce", 8, 3, 80, 24, golden_tree_8,
             "a tree, chunk after chunk");
    TOPOLOGY("tree-allreduce", 16, 5, 80, 24, golden_tree_16,
             "of 16 ranks, with the chunks' numbers");
    TOPOLOGY("tree-allreduce", 4, 3, 120, 40, golden_tree_4_120x40,
             "a small one with room");
    TOPOLOGY("double-tree-allreduce", 8, 2, 80, 24, golden_trees_8,
             "two trees over the same ranks");
    TOPOLOGY("double-tree-allreduce", 16, 4, 80, 24, golden_trees_16,
             "of 16 ranks");
    TOPOLOGY("double-tree-allreduce", 2, 2, 80, 24, golden_trees_2,
             "two ranks with a link in either tree");
    TOPOLOGY("torus2d-allreduce", 9, 4, 80, 24, golden_torus_9,
             "a torus with its ways back");
    TOPOLOGY("torus2d-allreduce", 9, 3, 120, 40, golden_torus_9_120x40,
             "along its columns; names stay in the pane, apart");
    TOPOLOGY("mesh2d-allreduce", 4, 1, 80, 24, golden_mesh_4, "a mesh");
    TOPOLOGY("mesh2d-allreduce", 8, 1, 80, 24, golden_mesh_8,
             "of two rows: chains from both ends");
    TOPOLOGY("hierarchical-allreduce", 8, 1, 120, 40,
             golden_nodes_8_120x40, "nodes");
    TOPOLOGY("torus3d-allreduce", 8, 3, 120, 40, golden_torus3d_8_120x40,
             "planes side by side");
    TOPOLOGY("torus3d-allreduce", 8, 1, 80, 24, golden_torus3d_8,
             "each in a frame");
    TOPOLOGY("torus3d-allreduce", 27, 2, 200, 60, golden_torus3d_27_200x60,
             "of 27 ranks");
    TOPOLOGY("hypercube-allreduce", 8, 2, 80, 24, golden_cube_8, "a cube");
    TOPOLOGY("hypercube-allreduce", 16, 4, 80, 24, golden_cube_16,
             "a cube of four dimensions");
    TOPOLOGY("hypercube-allreduce", 5, 1, 80, 24, golden_cube_5,
             "one that is not full");
    TOPOLOGY("server-allreduce", 8, 1, 80, 24, golden_star_8, "a star");
    TOPOLOGY("butterfly-allreduce", 8, 2, 80, 24, golden_arcs_8,
             "between any two ranks");
    TOPOLOGY("naive-allreduce", 8, 1, 80, 24, golden_fan_8,
             "all send to all: the fan of one rank");
    TOPOLOGY("sharded-server-allreduce", 8, 1, 120, 40, golden_fan_8_120x40,
             "with room");
    TOPOLOGY("sharded-server-allreduce", 16, 2, 200, 60,
             golden_fan_16_200x60, "of 16 ranks");
}

/* With Tab, the fan goes from rank to rank. */
static void
test_fans(void)
{
    struct world *w = algorithm_world("sharded-server-allreduce", 8);
    struct scene s = {.world = w, .view = -1, .selected = 3};
    struct buf text = {0};
    struct layout l;

    layout(80, 24, false, &l);
    world_seek(w, 1);
    PICTURE(&s, golden_fan_of_3, "the fan of a rank in the middle");
    if (writing)
        return;
    ok(view_choose(&s, l.picture) == &view_arcs,
       "where all send to all, the first view shows fans");
    picture(&s, 80, 24, &text);
    ok(strstr(buf_text(&text), "Each sent to every other.") != NULL,
       "and the words are about all");
    s.glyphs = GLYPHS_ASCII;
    picture(&s, 80, 24, &text);
    is_int(foreign_characters(buf_text(&text)), 0, "in ASCII, too");
    buf_done(&text);
    world_free(w);
}

/* Counts the ranks that no click finds. */
static int
unseen_ranks(const struct scene *s, struct point size, int stride)
{
    int nranks = s->world->schedule->nranks, count = 0;
    bool seen[64] = {false};

    for (int y = 0; y < size.y; y += stride)
        for (int x = 0; x < size.x; x += 1 + stride) {
            struct point at = {x, y};
            struct frame_target hit = frame_at(s, size.x, size.y, at);
            if (hit.what == FRAME_RANK)
                seen[hit.number] = true;
        }
    for (int rank = 0; rank < nranks; rank++)
        count += !seen[rank];
    return count;
}

/* Counts the characters that are not ASCII in the pictures of all steps. */
static int
foreign_in_flight(struct world *w, struct point size)
{
    struct scene s = {.world = w, .view = -1, .glyphs = GLYPHS_ASCII};
    struct flight flights[512];
    struct buf text = {0};
    int count = 0;

    for (int step = 0; step < w->nsteps; step++) {
        world_seek(w, step);
        fly(&s, flights, 0.3);
        count += foreign_characters(picture(&s, size.x, size.y, &text));
    }
    buf_done(&text);
    return count;
}

/* Every step of every topology, at any size: all ranks can be clicked, and the
 * picture is ASCII if that was asked for. */
static void
test_topology_views(void)
{
    static const char *const names[] = {
        "tree-allreduce", "double-tree-allreduce", "torus2d-allreduce",
        "torus3d-allreduce", "mesh2d-allreduce", "hierarchical-allreduce",
        "hypercube-allreduce", "server-allreduce", "butterfly-allreduce"};
    static const struct point sizes[] = {{80, 24}, {120, 40}, {200, 60}};
    static const int ranks[] = {2, 4, 8, 12, 16, 18};
    int foreign = 0, unseen = 0, own = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (size_t r = 0; r < sizeof ranks / sizeof ranks[0]; r++) {
            struct world *w = algorithm_world(names[i], ranks[r]);
            for (int k = 0; k < 3; k++) {
                bool any = w->schedule->topology.kind == TOPOLOGY_ANY;
                struct scene s = {.world = w, .view = any ? ARCS : -1};
                struct layout l;

                layout(sizes[k].x, sizes[k].y, false, &l);
                if (view_choose(&s, l.picture) == &view_matrix ||
                    view_choose(&s, l.picture) == &view_heat)
                    continue;
                own++;
                unseen += unseen_ranks(&s, sizes[k], 1 + (k > 0));
                foreign += foreign_in_flight(w, sizes[k]);
                world_seek(w, 0);
            }
            world_free(w);
        }
    ok(own >= 100, "topologies have views of their own: %d of 162", own);
    is_int(unseen, 0, "all of their ranks can be clicked");
    is_int(foreign, 0, "in ASCII, too");
}

int
main(int argc, char **argv)
{
    picture_arguments(argc, argv);
    test_topologies();
    test_fans();
    if (writing)
        return 0;
    test_topology_views();
    return done_testing();
}
