/* SPDX-License-Identifier: MIT */
/* The views stages and paths: rungs, and that what is shown is so. */
#include <limits.h>

#include "algorithm_world.h"
#include "base/bounds.h"
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
                       &view_stages),
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

/* A rung as a picture has it: how many ranks send along it, and where it
 * stands. */
struct rung {
    int senders, x;
};

/* Finds the rungs of a step.  Returns how many there are, and in *columns how
 * many stand side by side. */
static int
rungs_of(const struct places *p, int step, struct rung rungs[64],
         int *columns)
{
    int count = 0, first = INT_MAX, last = INT_MIN;

    memset(rungs, 0, 64 * sizeof *rungs);
    for (int i = 0; i < p->nroads; i++) {
        const struct road *road = &p->roads[i];
        if (road->step != step || road->a == road->b)
            continue;
        rungs[road->group].senders++;
        rungs[road->group].x = road->path.points[1].x;
        count = most(count, road->group);
        first = least(first, road->path.points[1].x);
        last = most(last, road->path.points[1].x);
    }
    *columns = last - first + 1;
    return count;
}

static const struct road *
road_of(const struct places *p, int step, int a, int b)
{
    for (int i = 0; i < p->nroads; i++)
        if (p->roads[i].step == step && p->roads[i].a == a &&
            p->roads[i].b == b)
            return &p->roads[i];
    return NULL;
}

static bool
has_label(const struct places *p, const char *text)
{
    for (int i = 0; i < p->nlabels; i++)
        if (strcmp(p->labels[i].text, text) == 0)
            return true;
    return false;
}

static void
test_rungs(void)
{
    const char *names[] = {"butterfly-allreduce", "server-allreduce",
                           "ring-allreduce"};

    for (int i = 0; i < 3; i++) {
        OWNS(world) *w = algorithm_world(names[i], 8);
        struct scene s = {.world = w, .view = STAGES};
        struct rung rungs[64];
        int columns, count;
        OWN(places) p;

        world_seek(w, 0);
        if (!places_find(&p, &s, (struct rect){0, 0, 780, 60}, &view_stages))
            die("no room for %s", names[i]);
        count = rungs_of(&p, 2 - (i > 0), rungs, &columns);
        switch (i) {
        case 0:
            is_int(count, 4, "ranks that exchange share a rung");
            is_int(columns, 2, "two columns, because two rungs overlap");
            is_int(road_of(&p, 2, 3, 1)->group, road_of(&p, 2, 1, 3)->group,
                   "either way");
            ok(road_of(&p, 2, 0, 1) == NULL, "no rung if nothing is sent");
            ok(has_label(&p, "3: 4 apart"), "4 apart");
            break;
        case 1:
            is_int(count, 1, "one rung for all that send to one rank");
            is_int(rungs[1].senders, 7, "from all the others");
            ok(has_label(&p, "1"), "at different distances");
            break;
        default:
            is_int(columns, 3, "rungs that touch stand side by side");
            ok(has_label(&p, "1: to the next"),
               "the last rank is next to 0");
        }
    }
}

/* A drop leaves the past as it was, not as it should have been. */
static void
test_past_is_real(void)
{
    OWNS(world) *w = algorithm_world("butterfly-allreduce", 4);
    struct scene s = {.world = w, .view = STAGES};
    struct event *e = &w->steps[1].events[0];
    OWN(buf) before = {0}, after = {0};

    world_seek(w, 0);
    ledger_input(e->content, 4, 3, 0); /* D0, where nobody expects it */
    world_seek(w, 2);
    picture(&s, 80, 24, &after);
    ok(strstr(buf_text(&after), "! A0 + B0 + D0") != NULL,
       "the past is what happened");
    world_seek(w, 0);
    picture(&s, 80, 24, &before);
    ok(strstr(buf_text(&before), "A0+B0+D0") == NULL,
       "what is ahead is what was planned");
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
    ok(places_find(&p, &s, (struct rect){0, 0, 78, 17}, &view_paths),
       "paths of a step that sends an empty slot");
    for (int i = 0; i < p.nroads; i++)
        roads += p.roads[i].step == w->nsteps && p.roads[i].a != p.roads[i].b;
    is_int(roads, 0, "have no arrow for it");
    world_free(w);
}

/* The rank that a view finds in each row, "0 1 2 ... - -". */
static void
add_ranks(const struct scene *s, struct rect area, struct buf *out)
{
    OWN(canvas) c = {0};

    canvas_resize(&c, area.x + area.width, area.y + area.height);
    view_draw(&view_stages, s, &c, area);
    for (int y = area.y; y < area.y + area.height; y++) {
        struct target hit = canvas_target_at(&c, (struct point){area.x + 1, y});
        buf_addf(out, hit.kind == TARGET_RANK ? " %d" : " -", hit.number);
    }
}

static void
test_window(void)
{
    OWNS(world) *w = algorithm_world("butterfly-allreduce", 8);
    struct scene s = {.world = w, .view = STAGES};
    struct rect area = {1, 2, 78, 8};
    OWN(buf) ranks = {0};

    ok(view_suits(&view_stages, &s, area), "6 of 8 ranks are enough");
    add_ranks(&s, area, &ranks);
    is_str(buf_text(&ranks), " - 0 1 2 3 4 5 -", "a click finds the first");
    s.selected = 6;
    buf_clear(&ranks);
    add_ranks(&s, area, &ranks);
    is_str(buf_text(&ranks), " - - 2 3 4 5 6 7", "or the last ones");
    area.height = 7;
    ok(!view_suits(&view_stages, &s, area), "5 of 8 are not");
    area.height = 9;
    buf_clear(&ranks);
    add_ranks(&s, area, &ranks);
    is_str(buf_text(&ranks), " - 0 1 2 3 4 5 6 7", "9 rows have all of them");
}

/* Stages that leave no room for the wiring stand alone, until V is pressed. */
static void
test_beside(void)
{
    OWNS(world) *w = algorithm_world("butterfly-allreduce", 16);
    struct scene s = {.world = w, .view = -1};
    struct panes p;
    struct layout l;

    layout(120, 40, false, &l);
    p = frame_panes(&s, l.picture);
    is_int(p.count, 1, "16 ranks' stages stand alone");
    s.beside = frame_next_beside(&s, 120, 40);
    p = frame_panes(&s, l.picture);
    ok(p.count == 2, "beside another view if that is asked for");
    world_free(w);
    w = algorithm_world("butterfly-allreduce", 8);
    s = (struct scene){.world = w, .view = -1};
    p = frame_panes(&s, l.picture);
    ok(p.count == 2 && p.panes[1].view == view_at(ARCS),
       "8 ranks' stages have the wiring beside them");
}

/* Where the lit rungs of a picture are, as one number. */
static long
lit_cells(struct scene *s, int selected)
{
    OWN(canvas) c = {0};
    long sum = 0;

    s->selected = selected;
    canvas_resize(&c, 120, 40);
    frame_draw(s, &around, &c);
    for (int y = 0; y < c.rows; y++)
        for (int x = 0; x < c.columns; x++)
            if (canvas_at(&c, x, y)->code == glyph(s->glyphs, GLYPH_THICK))
                sum += 1 + x * 1000 + y;
    return sum;
}

/* Where the rungs of a step are too many to be told apart, those of the
 * selected rank are lit, and only its data is seen on its way. */
static void
test_crowded(void)
{
    static const struct {
        const char *algorithm;
        int nranks, step;
        bool crowded;
    } steps[] = {{"naive-allreduce", 8, 1, true},
                 {"naive-allreduce", 7, 1, false},
                 {"pairwise-reduce-scatter", 16, 5, true},
                 {"pairwise-reduce-scatter", 16, 2, false},
                 {"butterfly-allreduce", 16, 4, false}};
    struct flight flights[64];
    struct world *w;
    struct scene s = {.view = STAGES, .beside = SCENE_ALONE, .selected = 2};

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        s.world = w = algorithm_world(steps[i].algorithm, steps[i].nranks);
        world_seek(w, steps[i].step);
        ok(view_choose(&s, (struct rect){0, 0, 118, 30}) == &view_stages,
           "there is room for stages");
        is_int(lit_cells(&s, 2) != lit_cells(&s, 3), steps[i].crowded,
               "step %d of %s", steps[i].step, steps[i].algorithm);
        world_free(w);
    }
    s.selected = 2;
    s.world = w = algorithm_world("naive-allreduce", 8);
    world_seek(w, 0);
    fly(&s, flights, 0.5);
    ok(count_coloured(&s, 2, false) > count_coloured(&s, 3, false),
       "in flight, its blocks are seen");
    s.selected = 3;
    ok(count_coloured(&s, 2, false) < count_coloured(&s, 3, false),
       "or those of another one");
    world_free(w);
}

int
main(void)
{
    test_empty_path();
    test_crowded();
    test_many_columns();
    test_rungs();
    test_past_is_real();
    test_beside();
    test_window();
    test_trail_views();
    return done_testing();
}
