/* SPDX-License-Identifier: MIT */
/* The views of topologies other than the ring. */
#include "algorithm_world.h"
#include "picture.h"
#include "tap.h"
#include "view/view.h"

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
    OWN(buf) text = {0};
    int count = 0;

    for (int step = 0; step < w->nsteps; step++) {
        world_seek(w, step);
        fly(&s, flights, 0.3);
        count += foreign_characters(picture(&s, size.x, size.y, &text));
    }
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
            OWNS(world) *w = algorithm_world(names[i], ranks[r]);
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
        }
    ok(own >= 100, "topologies have views of their own: %d of 162", own);
    is_int(unseen, 0, "all of their ranks can be clicked");
    is_int(foreign, 0, "in ASCII, too");
}

int
main(void)
{
    test_topology_views();
    return done_testing();
}
