/* SPDX-License-Identifier: MIT */
/* The views stages and paths where no picture of tests/albums/stages.txt can
 * be: very wide, empty, and what colours say. */
#include "algorithm_world.h"
#include "picture.h"
#include "tap.h"
#include "view/frame.h"
#include "view/places.h"
#include "view/view.h"

/* A very wide screen has room for more columns than are placed. */
static void
test_many_columns(void)
{
    struct schedule *schedule = build(
        "chain-broadcast",
        &(struct coll_options){.nranks = 2, .chunks = 70, .in_place = true});
    OWNS(world) *w = world_of(schedule, schedule->nsteps, RING_LOCKSTEP);
    struct scene s = {.world = w, .view = STAGES};
    struct places p;

    for (int step = 0; step <= w->nsteps; step += 35) {
        bool before = false, here = false;

        world_seek(w, step);
        ok(places_find(&p, &s, (struct rect){0, 0, 780, 50},
                       &view_stages, GLYPHS_FULL),
           "step %d of %d has room", step, w->nsteps);
        for (int i = 0; i < p.nspots; i++) {
            before |= p.spots[i].step == step - 1;
            here |= p.spots[i].step == step;
        }
        ok(here && (before || step == 0), "and is shown, with the one before");
        places_done(&p);
    }
}

/* The number of cells on the colour of a rank's data, or of all others'. */
static int
count_coloured(const struct scene *s, int rank, bool others)
{
    OWN(canvas) c = {0};
    int count = 0;

    canvas_resize(&c, 120, 40);
    frame_draw(s, &around, &c);
    for (int y = 0; y < c.rows; y++)
        for (int x = 0; x < c.columns; x++) {
            enum role bg = canvas_at(&c, x, y)->pen.bg;
            count += bg >= ROLE_ORIGIN &&
                     (bg == palette_origin(rank)) != others;
        }
    return count;
}

/* Whether some cell on the colour of a rank's data is bold. */
static bool
has_bold(const struct scene *s, int rank)
{
    OWN(canvas) c = {0};
    bool has = false;

    canvas_resize(&c, 120, 40);
    frame_draw(s, &around, &c);
    for (int y = 0; y < c.rows; y++)
        for (int x = 0; x < c.columns; x++) {
            struct pen pen = canvas_at(&c, x, y)->pen;
            has = has || (pen.bg == palette_origin(rank) &&
                          pen.attrs & ATTR_BOLD);
        }
    return has;
}

/* In every view the blocks of other data lose their colours. */
static void
test_trail_views(void)
{
    static const struct {
        const char *algorithm;
        int view;
    } pictures[] = {{"butterfly-allreduce", STAGES},
                    {"butterfly-allreduce", ARCS},
                    {"butterfly-allreduce", MATRIX},
                    {"ring-allreduce", RING},
                    {"tree-allreduce", -1}};

    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        OWNS(world) *w = algorithm_world(pictures[i].algorithm, 4);
        struct scene s = {.world = w, .view = pictures[i].view};
        OWNS(trail) *t = trail_new(w->schedule, 1, 0, 0);

        ok(count_coloured(&s, 1, true) > 0, "%s, view %d: others",
           pictures[i].algorithm, pictures[i].view);
        s.trail = t;
        ok(count_coloured(&s, 1, false) > 0, "the data that is followed");
        is_int(count_coloured(&s, 1, true), 0, "no others");
        ok(has_bold(&s, 1), "without colour, it is highlighted");
    }
}

/* A recording may hold a schedule that sends a slot in which nothing is. */
static void
test_empty_path(void)
{
    struct schedule *schedule =
        build("ring-allgather", &(struct coll_options){.nranks = 3});
    struct scene s = {.view = PATHS};
    struct world *w;
    OWN(places) p;
    struct err err;
    int scratch, roads = 0;

    if (!schedule_add_scratch(schedule, 1, &err))
        die("%s", err.text);
    scratch = schedule->nslots - 1;
    schedule_step(schedule, "empty");
    schedule_add(schedule, (struct transfer){.src = 0, .dst = 1,
                                             .src_slot = scratch,
                                             .dst_slot = scratch,
                                             .add_slot = scratch,
                                             .nslots = 1});
    s.world = w = world_with(schedule, schedule->nsteps, RING_LOCKSTEP,
                             (struct fault){0});
    ok(places_find(&p, &s, (struct rect){0, 0, 78, 17}, &view_paths,
                   GLYPHS_FULL),
       "paths of a step that sends an empty slot");
    for (int i = 0; i < p.nroads; i++)
        roads += p.roads[i].step == w->nsteps && p.roads[i].a != p.roads[i].b;
    is_int(roads, 0, "have no arrow for it");
    world_free(w);
}

int
main(void)
{
    test_empty_path();
    test_many_columns();
    test_trail_views();
    return done_testing();
}
