/* SPDX-License-Identifier: MIT */
/* How slots take in data that has arrived: what is added closes up to what is
 * there, and what replaces something pushes it out.  Letters show it, not only
 * colours. */
#include "algorithm_world.h"
#include "picture.h"
#include "schedule/program.h"
#include "tap.h"

enum { FLIGHTS_MOST = 64 };

/* The picture of the step after the world's position, when all its data has
 * arrived and so much of the landing is left. Valid until `out` changes. */
static const char *
picture_landing(struct scene *s, double left, struct buf *out)
{
    struct flight flights[FLIGHTS_MOST];
    size_t count = fly(s, flights, 1);

    for (size_t i = 0; i < count; i++)
        flights[i].landing = left;
    return picture(s, 80, 24, out);
}

struct landing_case {
    int position;
    double left;
    const char *line, *what;
};

static void
check_lines(struct scene *s, struct world *w, const struct landing_case *cases,
            size_t count)
{
    struct buf text = {0};

    s->world = w;
    for (size_t i = 0; i < count; i++) {
        world_seek(w, cases[i].position);
        ok(strstr(picture_landing(s, cases[i].left, &text), cases[i].line) !=
           NULL, "%s", cases[i].what);
    }
    buf_done(&text);
}

#define CHECK_LINES(s, w, cases)                                              \
    check_lines(s, w, cases, sizeof cases / sizeof cases[0])

static void
test_ring(void)
{
    static const struct landing_case full[] = {
        {0, 1, "│1+  A1            C1    │",
         "what is added comes from the right"},
        {0, 0.75, "│1+  A1         C1       │", "closes up"},
        {0, 0.51, "│1+  A1     C1           │", "to what is there"},
        {0, 0.5, "│1+A1+C1                 │", "both are one, hollow at first"},
        {0, 0, "│1+  A1  +  C1           │", "and then a block"},
        {2, 1, "│2=  A2                  │", "what is replaced"},
        {2, 0.8, "│2=      A2              │", "is pushed out"},
        {2, 0.4, "│2= S2            A2     │", "to the right"},
        {2, 0, "│2=         S2           │", "until it has gone"},
    };
    static const struct landing_case ascii[] = {
        {0, 0.75, "|1+  A1         C1       |", "in ASCII it closes up, too"},
        {0, 0.5, "|1+A1+C1                 |", "and is hollow"},
        {2, 0.4, "|2= S2            A2     |", "or pushed out"},
    };
    struct world *w = algorithm_world("ring-allreduce", 3);
    struct scene s = {.view = RING};

    CHECK_LINES(&s, w, full);
    s.glyphs = GLYPHS_ASCII;
    CHECK_LINES(&s, w, ascii);
    world_free(w);
}

static void
test_stages(void)
{
    static const struct landing_case cases[] = {
        {1, 0.75, "+C0+D0   A0+B0", "in stages what is added comes after"},
        {1, 0.5, "+A0+B0+C0+D0", "and finds its place"},
    };
    struct world *w = algorithm_world("butterfly-allreduce", 8);
    struct scene s = {.view = STAGES};

    CHECK_LINES(&s, w, cases);
    world_free(w);
}

/* The cells of a picture that are turned, as those of complete sums are. */
static int
turned_cells(struct scene *s, double left)
{
    struct flight flights[FLIGHTS_MOST];
    struct canvas c = {0};
    size_t count = fly(s, flights, 1);
    int turned = 0;

    for (size_t i = 0; i < count; i++)
        flights[i].landing = left;
    canvas_resize(&c, 80, 24);
    frame_draw(s, &around, &c);
    for (int i = 0; i < c.columns * c.rows; i++)
        turned += (c.cells[i].pen.attrs & ATTR_REVERSE) != 0;
    canvas_done(&c);
    return turned;
}

static void
test_flash(void)
{
    struct world *w = algorithm_world("ring-allreduce", 3);
    struct scene s = {.world = w, .view = RING};

    world_seek(w, 1);
    is_int(turned_cells(&s, 0.6), 0, "no sum is complete");
    ok(turned_cells(&s, 0.4) > 0, "it is: it flashes");
    is_int(turned_cells(&s, 0.2), 0, "once");
    ok(turned_cells(&s, 0) > 0, "and stays");
    world_free(w);
}

static void
note_rank(const void *ranks, const struct landing *l)
{
    unsigned *const *bits = ranks;

    **bits |= 1u << l->rank;
}

/* The ranks whose slots take data in, in the step after a position: bits. */
static unsigned
ranks_landing(struct world *w, int position)
{
    struct flight flights[FLIGHTS_MOST];
    struct scene s = {.world = w};
    unsigned ranks = 0, *bits = &ranks;
    size_t count;

    world_seek(w, position);
    count = fly(&s, flights, 1);
    for (size_t i = 0; i < count; i++)
        flights[i].landing = 0.5;
    scene_each_landing(&s, note_rank, &bits);
    return ranks;
}

/* A slot that becomes wrong is marked, as is one whose data is followed. */
static void
test_none(void)
{
    struct world *w = faulty_world(
        "ring-allreduce", 3,
        (struct fault){.kind = FAULT_DROP, .step = 1, .src = 0});
    struct scene s = {.view = RING};
    struct buf half = {0}, over = {0};

    is_int(ranks_landing(w, 0), 0x5, "what is dropped is not taken in");
    is_int(ranks_landing(w, 1), 0x3, "nor what lacks it a step later");
    world_free(w);
    s.world = w = algorithm_world("ring-allreduce", 3);
    is_int(ranks_landing(w, 0), 0x7, "everything else is");
    s.trail = trail_new(w->schedule, 1, 2, 3);
    world_seek(w, 1);
    picture_landing(&s, 0.75, &half);
    picture_landing(&s, 0, &over);
    is_str(buf_text(&half), buf_text(&over), "followed data has other marks");
    trail_free((struct trail *)s.trail);
    world_free(w);
    buf_done(&half);
    buf_done(&over);
}

int
main(void)
{
    test_ring();
    test_stages();
    test_flash();
    test_none();
    return done_testing();
}
