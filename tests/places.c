/* SPDX-License-Identifier: MIT */
/* Where views put boxes, slots and roads: every algorithm that a view of boxes
 * draws, at many sizes. */
#include <ctype.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algorithm_world.h"
#include "draw/route.h"
#include "patience.h"
#include "picture.h"
#include "view/frame.h"
#include "view/places.h"
#include "view/view.h"

static bool
within(struct rect a, struct rect b)
{
    return a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width &&
           a.y + a.height <= b.y + b.height;
}

/* Counts boxes that overlap or leave the area. */
static int
box_errors(const struct places *p, struct rect area)
{
    int errors = 0;

    for (int i = 0; i < p->schedule->nranks; i++) {
        errors += !within(p->boxes[i], area);
        for (int k = 0; k < i; k++)
            errors += rect_overlaps(p->boxes[i], p->boxes[k]);
    }
    return errors;
}

/* Counts slots that are not in their box, or that a click does not find. */
static int
spot_errors(const struct places *p)
{
    int errors = 0;
    OWN(canvas) c = {0};

    canvas_resize(&c, p->area.x + p->area.width, p->area.y + p->area.height);
    painter_draw(p, &c);
    for (int i = 0; i < p->nspots; i++) {
        const struct spot *s = &p->spots[i];
        struct rect box = p->boxes[s->rank];
        struct rect block = {s->x - p->look.marked, s->y,
                             s->width + p->look.marked, places_rows(p)};

        if (p->look.framed)
            box = (struct rect){box.x + 1, box.y + 1, box.width - 2,
                                box.height - 2};
        errors += !within(block, box);
        struct target at = canvas_target_at(&c, (struct point){s->x, s->y});

        errors += at.kind != TARGET_RANK || at.number != s->rank ||
                  at.slot != s->slot;
        errors += places_find_spot(p, 0, s->rank, s->slot) != s;
    }
    return errors;
}

/* Counts cells of roads that are in a box, but for their two ends. */
static int
road_errors(const struct places *p)
{
    int errors = 0;

    for (int i = 0; i < p->nroads; i++) {
        const struct route *path = &p->roads[i].path;
        struct rect a = p->boxes[p->roads[i].a], b = p->boxes[p->roads[i].b];
        struct point from = path->points[0];
        struct point to = path->points[path->count - 1];
        errors += !rect_contains(a, from) || !rect_contains(b, to);
        for (int k = 1; k < 100; k++) {
            struct point at = route_at(path, k / 100.0, 1);
            for (int rank = 0; rank < p->schedule->nranks; rank++)
                errors += rank != p->roads[i].a && rank != p->roads[i].b &&
                          rect_contains(p->boxes[rank], at);
        }
    }
    return errors;
}

struct tally {
    int placed, boxes, spots, roads, moved;
};

/* Whether nothing has moved from one step to another. */
static bool
same_places(const struct places *a, const struct places *b)
{
    bool same = a->nspots == b->nspots && a->look.form == b->look.form;

    for (int rank = 0; rank < a->schedule->nranks; rank++)
        same = same && memcmp(&a->boxes[rank], &b->boxes[rank],
                              sizeof a->boxes[rank]) == 0;
    for (int i = 0; same && i < a->nspots; i++)
        same = a->spots[i].x == b->spots[i].x && a->spots[i].y == b->spots[i].y;
    return same;
}

static void
look_at(struct world *w, struct rect area, struct tally *t)
{
    struct scene s = {.world = w, .view = -1};

    for (int i = 0; view_at(i) != NULL; i++) {
        const struct view *v = view_at(i);
        struct places p, later;
        world_seek(w, 0);
        if (!(v->topologies & VIEW_OF(w->schedule->topology.kind)))
            continue;
        if (places_find(&p, &s, area, v, GLYPHS_FULL)) {
            t->placed++;
            t->boxes += box_errors(&p, area);
            t->spots += spot_errors(&p);
            t->roads += road_errors(&p);
            world_seek(w, w->nsteps);
            t->moved += !places_find(&later, &s, area, v, GLYPHS_FULL) ||
                        !same_places(&p, &later);
            places_done(&later);
        }
        places_done(&p);
    }
}

static void
test_boxes(void)
{
    static const char *const names[] = {
        "ring-allreduce",    "server-allreduce",    "tree-allreduce",
        "double-tree-allreduce", "torus2d-allreduce", "torus3d-allreduce",
        "hypercube-allreduce", "naive-allreduce",   "mesh2d-allreduce",
        "hierarchical-allreduce", "binomial-broadcast"};
    static const struct point sizes[] = {{40, 10}, {60, 15}, {80, 23},
                                         {80, 24}, {100, 30}, {120, 40},
                                         {160, 50}, {200, 60}, {240, 80}};
    struct tally t = {0};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int n = 2; n <= 16; n += n < 9 ? 1 : 3) {
            OWNS(world) *w = algorithm_world(names[i], n);
            for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
                struct layout l;
                layout(sizes[k].x, sizes[k].y, false, &l);
                look_at(w, l.picture, &t);
            }
        }
    ok(t.placed > 600, "%d pictures of boxes are placed", t.placed);
    is_int(t.boxes, 0, "boxes never overlap, and none leaves the picture");
    is_int(t.spots, 0, "every slot is in its box, and a click finds its rank");
    is_int(t.roads, 0, "roads begin and end at their boxes and cross no other");
    is_int(t.moved, 0, "nothing moves between steps");
}

/* The largest number of ranks that a ring has in a form at 80x24. */
static void
test_rings(void)
{
    int most[BLOCK_BAR + 1] = {0};
    struct layout l;

    layout(80, 24, false, &l);
    for (int n = 2; n <= 24; n++) {
        OWNS(world) *w = algorithm_world("ring-allreduce", n);
        struct scene s = {.world = w, .view = -1};
        OWN(places) p;
        if (places_find(&p, &s, l.picture, &view_ring, GLYPHS_FULL))
            most[p.look.form] = n;
    }
    ok(most[BLOCK_NAMES] >= 4, "at 80x24 all names are in a ring of %d",
       most[BLOCK_NAMES]);
    ok(most[BLOCK_LETTERS] >= 6 || most[BLOCK_COUNT] >= 8,
       "letters in one of %d, counts in one of %d", most[BLOCK_LETTERS],
       most[BLOCK_COUNT]);
    ok(most[BLOCK_BAR] >= 16, "bars in one of %d", most[BLOCK_BAR]);
}

/* Counts the characters that a view draws outside its area. */
static int
stray(const struct view *v, const struct scene *s, struct point size)
{
    struct rect area = {30, 2, size.x, size.y};
    OWN(canvas) c = {0};
    int count = 0;

    canvas_resize(&c, size.x + 60, size.y + 4);
    view_draw(v, s, &c, area);
    for (int y = 0; y < c.rows; y++)
        for (int x = 0; x < c.columns; x++)
            count += !rect_contains(area, (struct point){x, y}) &&
                     canvas_at(&c, x, y)->code != ' ';
    return count;
}

static void
test_areas(void)
{
    static const struct {
        const char *name;
        int n;
        bool in_place;
        struct point size;
    } rows[] = {
        {"ring-allreduce", 1, true, {78, 17}},
        {"binomial-broadcast", 33, false, {78, 17}},
        {"binomial-broadcast", 33, true, {40, 10}},
        {"ring-allreduce", 64, false, {100, 30}},
        {"server-allreduce", 8, false, {70, 11}},
        {"double-tree-allreduce", 8, true, {40, 12}},
        {"pairwise-alltoall", 8, false, {1, 1}},
        {"pairwise-alltoall", 16, true, {39, 17}}, /* 15 over the last slot */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct coll_options o = {.nranks = rows[i].n,
                                 .in_place = rows[i].in_place};
        struct schedule *schedule = build(rows[i].name, &o);
        OWNS(world) *w = world_of(schedule, schedule->nsteps, RING_LOCKSTEP);
        int count = 0;

        for (int v = 0; view_at(v) != NULL; v++) {
            struct scene s = {.world = w, .view = v};
            if (view_suits(view_at(v), &s, (struct rect){30, 2, rows[i].size.x,
                                                         rows[i].size.y}))
                count += stray(view_at(v), &s, rows[i].size);
        }
        is_int(count, 0, "%s of %d stays in an area of %dx%d", rows[i].name,
               rows[i].n, rows[i].size.x, rows[i].size.y);
    }
}

/* Data on its way may be wider than the place at which its road runs. */
static void
test_flights(void)
{
    static const struct point sizes[] = {{38, 7}, {58, 11}, {78, 16}};
    static const char *const names[] = {
        "ring-allreduce", "chain-reduce", "hierarchical-allreduce",
        "torus2d-allreduce", "binomial-broadcast"};
    int drawn = 0, count = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int n = 4; n <= 16; n += 4) {
            OWNS(world) *w = algorithm_world(names[i], n);
            struct flight flights[64];
            for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
                for (int step = 0; step < w->nsteps; step++) {
                    struct scene s = {.world = w, .view = -1};
                    struct rect area = {30, 2, sizes[k].x, sizes[k].y};
                    const struct view *v = view_choose(&s, area);
                    world_seek(w, step);
                    if (v->topologies == 0)
                        continue;
                    fly(&s, flights, 0.5);
                    drawn++;
                    count += stray(v, &s, sizes[k]);
                }
        }
    ok(drawn > 200, "data is on its way in %d pictures of boxes", drawn);
    is_int(count, 0, "and leaves none of them");
}

/* A short road has the letters of a sum rather than only their number. */
static void
test_names(void)
{
    OWNS(world) *w = algorithm_world("ring-allreduce", 4);
    struct scene s = {.world = w, .view = -1};
    OWN(canvas) c = {0};
    OWN(buf) text = {0};

    world_seek(w, 3);
    canvas_resize(&c, 38, 17);
    view_draw(&view_ring, &s, &c, (struct rect){0, 0, 38, 17});
    canvas_text(&c, &text);
    ok(strstr(buf_text(&text), "ACD 1") != NULL, "a name on a short road");
}

/* A heat map calls a sum complete only if each rank is in it once: rank 0's
 * slot gets rank 1's data twice, and rank 2's not at all. */
static void
test_heat(void)
{
    OWNS(world) *w = ring_world(40, 78);
    struct scene s = {.world = w, .view = -1};
    OWN(canvas) c = {0};
    OWN(buf) text = {0};
    int wrong[2] = {0};

    canvas_resize(&c, 120, 60);
    world_seek(w, w->nsteps);
    for (int i = 0; i < 2; i++) {
        struct ledger_entry *e =
            (struct ledger_entry *)(uintptr_t)world_row(w, 0, 3);
        canvas_clear(&c, (struct rect){0, 0, 120, 60});
        view_draw(&view_heat, &s, &c, (struct rect){0, 0, 120, 60});
        for (int k = 0; k < 120 * 60; k++)
            wrong[i] += c.cells[k].pen.fg == ROLE_WARNING ||
                        c.cells[k].pen.bg == ROLE_WARNING;
        e[1].times = 2;
        e[2].times = 0;
    }
    is_int(wrong[0], 0, "a heat map of complete sums");
    ok(wrong[1] > 0, "one that only has as many contributions is wrong");
    world_free(w);
    s.world = w = algorithm_world("ring-allgather", 40);
    world_seek(w, 10);
    canvas_clear(&c, (struct rect){0, 0, 120, 60});
    view_draw(&view_heat, &s, &c, (struct rect){0, 0, 120, 60});
    canvas_text(&c, &text);
    ok(strstr(buf_text(&text), " holds data") != NULL &&
           strstr(buf_text(&text), "contributions") == NULL,
       "where nothing is added up, it does not speak of sums");
}

/* Has room only for a look in which less than all names stand, and finds the
 * larger ones crowded. */
static bool
place_small(struct places *p)
{
    p->crowded |= p->look.form == BLOCK_NAMES;
    places_label(p, p->area.x, p->area.y,
                 "\347\254\254\344\270\200\351\230\266\346\256\265"
                 "\357\274\232\350\247\204\347\272\246\345\210\206"
                 "\346\225\243\345\222\214\346\224\266\351\233\206"
                 "\347\254\254\344\270\200\351\230\266\346\256\265");
    return p->look.form != BLOCK_NAMES;
}

static void
test_search(void)
{
    OWNS(world) *w = algorithm_world("ring-allreduce", 4);
    struct scene s = {.world = w, .view = -1};
    struct view small = {.place = place_small};
    OWN(places) p;

    ok(places_find(&p, &s, (struct rect){0, 0, 80, 24}, &small, GLYPHS_FULL) &&
           p.look.form == BLOCK_LETTERS, "the largest look that has room");
    ok(!p.crowded, "knows nothing of what larger ones found");
    is_int(p.labels[0].width, 30, "a label is cut between two characters");
}

/* A line of wires that slants to the left would never end. */
static void
test_slanting_wire(void)
{
    struct route slant = {.count = 2, .points = {{9, 1}, {1, 4}}};
    struct wires wires;
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        alarm(HUNG_S);
        fclose(stderr);
        wires_init(&wires, &(struct canvas){.columns = 20, .rows = 20});
        wires_add(&wires, &slant, 1, WIRE_THIN, ROLE_TEXT);
        _exit(0);
    }
    ok(child > 0 && waitpid(child, &status, 0) == child &&
           WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT,
       "a line that slants to the left is no wire");
}

/* The names of the input's and the output's columns, counted on the screen. */
static void
count_regions(const struct canvas *c, int *inputs, int *outputs)
{
    static const char input[] = " input ", output[] = " output ";

    for (int y = 0; y < c->rows; y++)
        for (int x = 0; x < c->columns; x++) {
            int in = 0, out = 0;
            while (input[in] != '\0' && canvas_at(c, x + in, y) != NULL &&
                   canvas_at(c, x + in, y)->code == (uint32_t)input[in])
                in++;
            while (output[out] != '\0' && canvas_at(c, x + out, y) != NULL &&
                   canvas_at(c, x + out, y)->code == (uint32_t)output[out])
                out++;
            *inputs += input[in] == '\0';
            *outputs += output[out] == '\0';
        }
}

/* Where the columns of input and output have names, both are whole. */
static void
test_regions(void)
{
    static const char *const names[] = {"ring-allreduce", "ring-allgather",
                                        "ring-reduce-scatter",
                                        "binomial-gather", "shift-sendrecv"};
    int both = 0, covered = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int n = 2; n <= 8; n++) {
            struct schedule *schedule =
                build(names[i], &(struct coll_options){.nranks = n});
            struct world *w = world_of(schedule, schedule->nsteps,
                                       RING_LOCKSTEP);

            for (int columns = 40; columns <= 160; columns += 8) {
                struct scene s = {.world = w, .view = -1};
                struct rect area = {0, 0, columns, columns / 4};
                const struct view *v = view_choose(&s, area);
                OWN(canvas) c = {0};
                int inputs = 0, outputs = 0;
                if (v->topologies == 0)
                    continue;
                canvas_resize(&c, area.width, area.height);
                view_draw(v, &s, &c, area);
                count_regions(&c, &inputs, &outputs);
                both += inputs > 0 && inputs == outputs;
                covered += inputs != outputs;
            }
            world_free(w);
        }
    ok(both > 20, "%d pictures name input and output", both);
    is_int(covered, 0, "neither name covers the other");
}

/* A ring on two hosts stands in their frames, in a look that has room for
 * them. */
static void
test_hosts(void)
{
    OWNS(world) *w = algorithm_world("ring-allreduce", 8);
    struct scene s = {.world = w, .view = -1};
    OWN(places) p;

    w->own_run.hosts.gpus = 4;
    ok(places_find(&p, &s, (struct rect){1, 4, 69, 23}, &view_ring,
                   GLYPHS_FULL) &&
           p.framed.gpus > 0 && p.look.framed && p.labels[0].frame.width > 0,
       "frames of hosts come before a larger look");
}

/* Draws a ring on hosts of so many GPUs, dealt to `turn` of them. */
static void
draw_on_hosts(struct world *w, int gpus, int turn, const struct scene *s,
              struct point size, struct canvas *c)
{
    w->own_run.hosts.gpus = gpus;
    w->own_run.hosts.turn = turn;
    canvas_resize(c, size.x, size.y);
    view_draw(&view_ring, s, c, (struct rect){0, 0, size.x, size.y});
}

/* Marks that stand in a label of the ring in that picture. */
static int
marks_in_labels(const struct scene *s, const struct canvas *c)
{
    int count = 0;
    OWN(places) p;

    if (!places_find(&p, s, (struct rect){0, 0, c->columns, c->rows},
                     &view_ring, GLYPHS_FULL))
        return 0;
    for (int i = 0; i < p.nlabels; i++)
        for (int x = 0; x < p.labels[i].width; x++)
            count += c->cells[p.labels[i].at.y * c->columns +
                              p.labels[i].at.x + x].code == '~';
    return count;
}

/* Each road between hosts is marked in every picture, where names stand, where
 * data is and has landed, and covers none: all of a ring on hosts in turn, else
 * two of eight.  Without hosts the first step's pictures are the same. */
static void
test_leaving(void)
{
    static const struct point sizes[] = {{80, 19}, {120, 35}};
    OWNS(world) *w = algorithm_world("ring-allreduce", 8);
    int wrong = 0, drawn = 0, covers = 0;

    for (int turn = 0; turn <= 2; turn += 2)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            for (int step = 0; step < w->nsteps; step += 3)
                for (int part = -1; part <= 20; part++) {
                    struct scene s = {.world = w, .view = -1};
                    struct flight flights[64];
                    OWN(canvas) c = {0};
                    OWN(canvas) bare = {0};
                    int marks = 0;
                    world_seek(w, step);
                    if (part >= 0)
                        fly(&s, flights, part / 20.0);
                    draw_on_hosts(w, 0, 0, &s, sizes[k], &bare);
                    draw_on_hosts(w, 4, turn, &s, sizes[k], &c);
                    for (int i = 0; i < c.columns * c.rows; i++) {
                        bool mark = c.cells[i].code == '~';
                        marks += mark;
                        covers += mark && turn > 0 && step == 0 &&
                                  bare.cells[i].code < 0x80 &&
                                  isalnum((int)bare.cells[i].code);
                    }
                    wrong += marks != (turn > 0 ? 8 : 2);
                    drawn++;
                }
    is_int(drawn, 440, "roads between hosts, with data anywhere on them");
    is_int(wrong, 0, "are marked in every picture");
    is_int(covers, 0, "beside the names");
    covers = 0;
    for (int part = -1; part <= 20; part++) {
        struct scene s = {.world = w, .view = -1};
        struct flight flights[64];
        OWN(canvas) c = {0};
        world_seek(w, 1);
        if (part >= 0)
            fly(&s, flights, part / 20.0);
        draw_on_hosts(w, 2, 0, &s, (struct point){80, 26}, &c);
        covers += marks_in_labels(&s, &c);
    }
    is_int(covers, 0, "and beside those of hosts");
}

int
main(void)
{
    test_search();
    test_hosts();
    test_leaving();
    test_slanting_wire();
    test_regions();
    test_boxes();
    test_rings();
    test_areas();
    test_flights();
    test_names();
    test_heat();
    return done_testing();
}
