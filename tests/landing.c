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
        {0, 1, "│1+▐ A1 ▌    ▐ C1 ▌ │", "what is added comes from the right"},
        {0, 0.75, "│1+▐ A1 ▌  ▐ C1 ▌   │", "closes up"},
        {0, 0.51, "│1+▐ A1 ▌▐ C1 ▌     │", "to what is there"},
        {0, 0.5, "│1+ A1+C1           │", "both are one, hollow at first"},
        {0, 0, "│1+▐ A1 ▌ C1 ▌      │", "and then a block"},
        {2, 1, "│2=▐ A2 ▌           │", "what is replaced"},
        {2, 0.8, "│2= ▌▌▐ A2 ▌        │", "is pushed out"},
        {2, 0.4, "│2=S2      ▌▌▐ A2 ▌ │", "to the right"},
        {2, 0, "│2=▐     S2      ▌▌ │", "until it has gone"},
    };
    static const struct landing_case ascii[] = {
        {0, 0.75, "|1+[ A1 ]  [ C1 ]   |", "in ASCII it closes up, too"},
        {0, 0.5, "|1+ A1+C1           |", "and is hollow"},
        {2, 0.4, "|2= S2      ][ A2 ] |", "or pushed out"},
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
        {1, 0.75, "+CDAB", "in stages what is added comes after"},
        {1, 0.5, "+ABCD", "and finds its place"},
    };
    struct world *w = algorithm_world("butterfly-allreduce", 8);
    struct scene s = {.view = STAGES};

    CHECK_LINES(&s, w, cases);
    world_free(w);
}

/* Nothing is added or replaced by a transfer that was dropped, and a trail has
 * marks of its own. */
static void
test_none(void)
{
    struct world *w = algorithm_world("ring-allreduce", 3);
    struct scene s = {.view = RING, .world = w};
    struct buf half = {0}, over = {0};

    w->faulty = true;
    for (int i = 0; i < 3; i++)
        w->steps[1].events[i].fault = FAULT_DROP;
    world_seek(w, 0);
    picture_landing(&s, 0.75, &half);
    picture_landing(&s, 0, &over);
    is_str(buf_text(&half), buf_text(&over), "faults are taken in as before");
    w->faulty = false;
    s.trail = trail_new(w->schedule, 1, 2, 3);
    world_seek(w, 1);
    picture_landing(&s, 0.75, &half);
    picture_landing(&s, 0, &over);
    is_str(buf_text(&half), buf_text(&over), "and what is followed");
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
    test_none();
    return done_testing();
}
