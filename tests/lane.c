/* SPDX-License-Identifier: MIT */
/* The lanes of a race: where they are, and that each has its picture. */
#include "algorithm_world.h"
#include "lane_golden.h"
#include "picture.h"
#include "tap.h"
#include "view/lane.h"

enum { LANES_MOST = 8 };

static const char *const names[LANES_MOST] = {
    "ring-allreduce",      "butterfly-allreduce", "naive-allreduce",
    "server-allreduce",    "ring-allreduce",      "butterfly-allreduce",
    "naive-allreduce",     "server-allreduce"};

/* The first `count` lanes, each after its first step, as text that the caller
 * frees. */
static void
draw_lanes(int count, struct point size, struct buf *out)
{
    struct lane lanes[LANES_MOST];
    struct canvas c = {0};

    for (int i = 0; i < count; i++) {
        struct world *w = algorithm_world(names[i], 4);
        world_seek(w, 1);
        lanes[i] = (struct lane){.scene = {.world = w, .view = -1},
                                 .name = names[i],
                                 .ns = 500,
                                 .of_ns = 1000,
                                 .place = i == 1};
    }
    canvas_resize(&c, size.x, size.y);
    lanes_draw(lanes, count, &c);
    canvas_text(&c, out);
    canvas_done(&c);
    for (int i = 0; i < count; i++)
        world_free((struct world *)lanes[i].scene.world);
}

static void
check_lanes(int count, struct point size, const char *name,
            const char *expected, const char *what)
{
    struct buf text = {0};

    draw_lanes(count, size, &text);
    check_text(buf_text(&text), name, expected, what);
    buf_done(&text);
}

#define LANES(count, columns, rows, name, what)                               \
    check_lanes(count, (struct point){columns, rows}, #name, name, what)

static void
test_pictures(void)
{
    LANES(4, 80, 24, golden_race_4, "a race of four is 2 x 2");
    LANES(4, 120, 40, golden_race_4_120x40, "with room");
    LANES(4, 200, 60, golden_race_4_200x60, "with more room");
    LANES(2, 120, 40, golden_race_2_120x40, "two are side by side");
    LANES(3, 200, 60, golden_race_3_200x60, "and three, if they fit");
}

/* Any number of lanes, at any size: each has its name and its time. */
static void
test_all_shown(void)
{
    static const struct point sizes[] = {{80, 24}, {120, 40}, {200, 60}};
    int wrong = 0;

    for (int count = 2; count <= LANES_MOST; count++)
        for (int k = 0; k < 3; k++) {
            struct buf text = {0};
            int shown = 0;
            draw_lanes(count, sizes[k], &text);
            for (const char *p = buf_text(&text);
                 (p = strstr(p, "sent: ")) != NULL; p++)
                shown++;
            wrong += shown != count;
            buf_done(&text);
        }
    is_int(wrong, 0, "all lanes are shown, up to %d, at any size",
           LANES_MOST);
}

/* Two lanes and the keys, on the clock of a network. */
static void
draw_network(int columns, struct buf *out)
{
    struct lane lanes[2];
    struct canvas c = {0};

    for (int i = 0; i < 2; i++) {
        struct world *w = algorithm_world(names[i], 4);
        snprintf(w->own_run.network, sizeof w->own_run.network, "lab\033[1m");
        lanes[i] = (struct lane){.scene = {.world = w, .view = -1},
                                 .name = names[i], .of_ns = 600000,
                                 .here_ns = 12300};
    }
    canvas_resize(&c, columns, 40);
    lanes_draw(lanes, 2, &c);
    lanes_draw_keys(lanes, 1e5, 0, true, &c);
    canvas_text(&c, out);
    canvas_done(&c);
    for (int i = 0; i < 2; i++)
        world_free((struct world *)lanes[i].scene.world);
}

static void
test_network(void)
{
    static const char label[] = "modelled: 4 GPUs on lab\\x1b[1m";
    struct buf text = {0};

    draw_network(140, &text);
    ok(strstr(buf_text(&text), "600 us modelled") != NULL,
       "a lane says that its time is modelled");
    ok(strstr(buf_text(&text), "; measured here: 12.3 us") != NULL,
       "and what was measured");
    ok(strstr(buf_text(&text), label) != NULL &&
           strstr(buf_text(&text), "each second shows 10.0 us") != NULL,
       "the last line has the network and the speed");
    buf_clear(&text);
    draw_network(100, &text);
    ok(strstr(buf_text(&text), label) != NULL &&
           strstr(buf_text(&text), "each second") == NULL,
       "with less room the network alone");
    buf_clear(&text);
    draw_network(80, &text);
    ok(strstr(buf_text(&text), label) == NULL &&
           strstr(buf_text(&text), "us modelled") != NULL,
       "without room the lanes still say so");
    buf_done(&text);
}

int
main(int argc, char **argv)
{
    picture_arguments(argc, argv);
    test_pictures();
    if (writing)
        return 0;
    test_all_shown();
    test_network();
    return done_testing();
}
