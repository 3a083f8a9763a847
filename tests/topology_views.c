/* SPDX-License-Identifier: MIT */
/* Which view an algorithm has, and that all ranks can be clicked in it. */
#include "algorithm_world.h"
#include "picture.h"
#include "tap.h"
#include "view/view.h"

/* Counts the characters that are not ASCII in the pictures of all steps. */
static int
foreign_in_flight(const struct scene *shown, struct point size)
{
    struct scene s = *shown;
    struct flight flights[512];
    OWN(buf) text = {0};
    struct world *w = (struct world *)s.world;
    int count = 0;

    like.glyphs = GLYPHS_ASCII;
    for (int step = 0; step < w->nsteps; step++) {
        world_seek(w, step);
        fly(&s, flights, 0.3);
        count += foreign_characters(picture(&s, size.x, size.y, &text));
    }
    return count;
}

/* Every algorithm in the view of its topology, in arcs, and in stages, paths
 * and tables, which have room for 16 ranks, at any size: all ranks can be
 * clicked.
 * Every step of a topology is ASCII if that was asked for. */
static void
test_everywhere(void)
{
    static const int views[] = {-1, ARCS, STAGES, PATHS, TABLE};
    static const struct point sizes[] = {{200, 60}, {120, 40}, {80, 24}};
    static const int ranks[] = {2, 3, 4, 8, 12, 16, 18};
    const struct algorithm *a;
    int foreign = 0, unseen = 0, own = 0, refused = 0;
    bool suits = false;

    for (int i = 0; (a = coll_at(i)) != NULL && a->script == NULL; i++)
        for (size_t r = 0; r < sizeof ranks / sizeof ranks[0]; r++) {
            struct coll_options o = {.nranks = ranks[r], .in_place = true};
            struct err err;
            struct schedule *schedule = coll_build(a, &o, &err);
            OWNS(world) *w = NULL;
            if (schedule == NULL)
                continue;
            w = world_of(schedule, schedule->nsteps, RING_LOCKSTEP);
            for (int n = 0; n < 5 * 3; n++) {
                struct scene s = {.world = w, .view = views[n / 3]};
                bool asked = s.view >= 0 && s.view != ARCS;
                const struct view *v;
                struct layout l;
                int k = n % 3;

                layout(sizes[k].x, sizes[k].y, false, &l);
                v = view_choose(&s, l.picture);
                suits = k == 0 ? v == view_at(s.view) : suits;
                refused += asked && suits && v != view_at(s.view) &&
                           w->schedule->nranks <= 16; /* with a switch */
                if (v == &view_matrix || v == &view_heat ||
                    (s.view >= 0 && v != view_at(s.view)))
                    continue;
                own++;
                asked = v == &view_stages || v == &view_paths ||
                        v == &view_table;
                unseen += unseen_ranks(
                    &s, sizes[k],
                    asked ? (struct point){sizes[k].x, 1}
                          : (struct point){2 + (k < 2), 1 + (k < 2)});
                if (asked)
                    continue;
                foreign += foreign_in_flight(&s, sizes[k]);
                world_seek(w, 0);
            }
        }
    ok(own >= 2500, "%d pictures of topologies, stages, paths and tables", own);
    is_int(refused, 0, "stages and tables show up to 16 ranks at any size");
    is_int(unseen, 0, "all ranks can be clicked");
    is_int(foreign, 0, "in ASCII, too");
}

/* The first view of an algorithm on so many ranks, at 80x24. */
static void
test_choice(void)
{
    static const struct {
        const char *algorithm;
        int nranks;
        const struct view *view;
    } rows[] = {{"butterfly-allreduce", 8, &view_stages},
                {"scatter-allgather-broadcast", 16, &view_stages},
                {"sharded-server-allreduce", 8, &view_arcs},
                {"binomial-reduce", 4, &view_tree},
                {"ring-allgather", 8, &view_ring},
                {"ring-allgather", 16, &view_ring},
                {"ring-allreduce", 12, &view_ring},
                {"ring-allreduce", 32, &view_heat},
                {"circulant-allreduce", 7, &view_stages},
                {"direct-allgather", 8, &view_stages},
                {"direct-reduce-scatter", 8, &view_arcs},
                {"hierarchical-allgather", 8, &view_grid},
                {"hierarchical-reduce-scatter", 8, &view_grid},
                {"direct-alltoall", 8, &view_table},
                {"hierarchical-alltoall", 8, &view_table},
                {"pxn-alltoall", 8, &view_table},
                {"butterfly-allreduce", 40, &view_heat},
                {"pairwise-alltoall", 32, &view_heat},
                {"pairwise-alltoall", 16, &view_table},
                {"flat-gather", 4, &view_table},
                {"binomial-scatter", 8, &view_table}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNS(world) *w = algorithm_world(rows[i].algorithm, rows[i].nranks);
        struct scene s = {.world = w, .view = -1};
        struct layout l;

        layout(80, 24, false, &l);
        ok(view_choose(&s, l.picture) == rows[i].view,
           "the first view of %s of %d is %s", rows[i].algorithm,
           rows[i].nranks, rows[i].view->name);
    }
}

int
main(void)
{
    test_everywhere();
    test_choice();
    return done_testing();
}
