/* SPDX-License-Identifier: MIT */
/* The lanes of a race: where they are, and that each has its picture. */
#include "album.h"
#include "algorithm_world.h"
#include "picture.h"
#include "screen/race.h"
#include "tap.h"

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
    struct lanes lanes = {.title = "four ways", .n = count};
    struct canvas c = {0};

    for (int i = 0; i < count; i++) {
        struct world *w = algorithm_world(names[i], 4);
        world_seek(w, 1);
        lanes.all[i] = (struct lane){.scene = {.world = w, .view = -1},
                                 .name = names[i],
                                 .ns = 500,
                                 .of_ns = 1000,
                                 .place = i == 1,
                                 .level = i == 1};
    }
    canvas_resize(&c, size.x, size.y);
    lanes_draw(&lanes, &c);
    canvas_text(&c, out);
    canvas_done(&c);
    for (int i = 0; i < count; i++)
        world_free((struct world *)lanes.all[i].scene.world);
}

/* Any number of lanes, at any size: each has its bar, and one clock goes
 * through all bars. */
static void
test_all_shown(void)
{
    static const struct point sizes[] = {{80, 24}, {120, 40}, {200, 60}};
    int wrong = 0;

    for (int count = 2; count <= LANES_MOST; count++)
        for (int k = 0; k < 3; k++) {
            struct buf text = {0};
            int lines = 0, column = -1;
            draw_lanes(count, sizes[k], &text);
            for (const char *row = buf_text(&text), *end;
                 (end = strchr(row, '\n')) != NULL; row = end + 1) {
                const char *clock = strstr(row, "\u2503\u2591");
                int at = 0;
                if (clock == NULL || clock > end)
                    continue;
                for (const char *p = row; p < clock; at++)
                    utf8_next(&p);
                lines += column < 0 || at == column;
                column = at;
            }
            wrong += lines != count;
            buf_done(&text);
        }
    is_int(wrong, 0, "all lanes are shown, up to %d, at any size",
           LANES_MOST);
}

/* A name is never cut, and does not run into what is beside it: that is said in
 * fewer words, or not at all. */
static void
test_names(void)
{
    OWNS(world) *w = algorithm_world("ring-allreduce", 4);
    int wrong = 0, unsaid = 0;

    for (int count = 2; count <= LANES_MOST + 1; count++) {
        bool last = count > LANES_MOST; /* three with a longer name alone */
        struct lanes lanes = {.title = "", .n = last ? 3 : count};
        OWN(canvas) c = {0};
        OWN(buf) text = {0};
        int whole = 0, places = 0;
        for (int i = 0; i < lanes.n; i++)
            lanes.all[i] = (struct lane){.scene = {.world = w, .view = -1},
                                     .name = last ? "double-tree-allreduce"
                                                  : "halving-doubling",
                                     .place = !last, .level = i == 0};
        canvas_resize(&c, 80, 24);
        lanes_draw(&lanes, &c);
        canvas_text(&c, &text);
        for (const char *p = buf_text(&text);
             (p = strstr(p, lanes.all[0].name)) != NULL; p++)
            whole += strchr(" \n", p[strlen(lanes.all[0].name)]) != NULL;
        for (const char *p = buf_text(&text);
             (p = strstr(p, "place 1")) != NULL; p++)
            places++;
        wrong += whole < lanes.n;
        unsaid += !last && places + (strstr(buf_text(&text), "level") !=
                                     NULL) < count;
    }
    is_int(wrong, 0, "names are whole at 80 columns, up to %d", LANES_MOST);
    is_int(unsaid, 0, "and the places are there");
}

/* A ranking never goes beyond the place that is left over: where there is no
 * room for times it has none, and where there are too few rows it is left out.
 */
static void
test_ranking(void)
{
    OWNS(world) *w = algorithm_world("ring-allreduce", 4);
    static const struct {
        int lanes;
        bool ranks;
    } races[] = {{3, true}, {5, true}, {7, false}};

    for (size_t k = 0; k < sizeof races / sizeof *races; k++) {
        struct lanes lanes = {.title = "", .n = races[k].lanes, .slower = 1e5};
        OWN(canvas) c = {0};
        OWN(buf) text = {0};
        for (int i = 0; i < lanes.n; i++)
            lanes.all[i] = (struct lane){
                .scene = {.world = w, .view = -1}, .name = "halving-doubling",
                .ns = 1000 + i, .of_ns = 1000 + i, .place = 1 + i};
        canvas_resize(&c, 80, 24);
        lanes_draw(&lanes, &c);
        canvas_text(&c, &text);
        is_int(strstr(buf_text(&text), "ranking") != NULL, races[k].ranks,
               "whether %d lanes leave room for a ranking", lanes.n);
        is_int(strstr(buf_text(&text), "  1.0x") != NULL, races[k].ranks,
               "which is whole");
        ok(strstr(buf_text(&text), "+- speed  Home again  ? help") != NULL,
           "the keys are, too");
    }
}

/* Two lanes and the keys, on the clock of a network. */
static void
draw_network(int columns, struct buf *out)
{
    struct lanes lanes = {.title = "all-reduce of float32 on 4 GPUs",
                          .n = 2, .slower = 1e5, .playing = true};
    struct canvas c = {0};

    for (int i = 0; i < 2; i++) {
        struct world *w = algorithm_world(names[i], 4);
        snprintf(w->own_run.network, sizeof w->own_run.network, "lab\033[1m");
        lanes.all[i] = (struct lane){.scene = {.world = w, .view = -1},
                                 .name = names[i], .of_ns = 600000,
                                 .here_ns = 12300, .here_level = i == 0};
    }
    canvas_resize(&c, columns, 40);
    lanes_draw(&lanes, &c);
    canvas_text(&c, out);
    canvas_done(&c);
    for (int i = 0; i < 2; i++)
        world_free((struct world *)lanes.all[i].scene.world);
}

/* A bar is as long as its run takes, on the time scale of all, which stays
 * where it is when lanes finish. */
static void
test_scale_kept(void)
{
    OWNS(world) *w = algorithm_world("ring-allreduce", 4);
    int ends[2], bars[2] = {0};

    for (int done = 0; done < 2; done++) {
        struct lanes lanes = {.title = "", .n = 2};
        OWN(canvas) c = {0};
        for (int i = 0; i < 2; i++)
            lanes.all[i] = (struct lane){
                .scene = {.world = w, .view = -1}, .name = "ring", .ns = 500,
                .of_ns = 1000 / (1 + i), .place = done * (1 + i),
                .level = done};
        canvas_resize(&c, 80, 24);
        lanes_draw(&lanes, &c);
        for (int x = 0; x < c.columns; x++)
            if (canvas_at(&c, x, 1)->code == glyph(c.glyphs, GLYPH_TROUGH))
                ends[done] = x;
        for (int i = 0; i < 2 * c.columns; i++) {
            uint32_t code = c.cells[c.columns + i].code;
            bars[i / c.columns] +=
                done == 0 && (code == glyph(c.glyphs, GLYPH_TROUGH) ||
                              code == glyph(c.glyphs, GLYPH_FULL) ||
                              code == glyph(c.glyphs, GLYPH_THICK));
        }
    }
    ok(bars[0] > 20 && abs(bars[0] - 2 * bars[1]) <= 2,
       "half the time has half the bar: %d, %d", bars[0], bars[1]);
    is_int(ends[1], ends[0], "the scale's end stays");
}

static void
test_pictures(void)
{
    static const struct {
        int count;
        struct point size;
        const char *title;
    } races[] = {{4, {80, 24}, "a race of four is 2 x 2"},
                 {4, {120, 40}, "with room"},
                 {4, {200, 60}, "with more room"},
                 {2, {120, 40}, "two are side by side"},
                 {3, {120, 40}, "three leave a place for the ranking"},
                 {3, {80, 24}, "in little room, too"},
                 {3, {200, 60}, "and three, if they fit"}};
    struct album album;

    album_open(&album, "races");
    for (size_t i = 0; i < sizeof races / sizeof races[0]; i++) {
        OWN(buf) text = {0};
        draw_lanes(races[i].count, races[i].size, &text);
        album_check(&album, races[i].title, buf_text(&text));
    }
    for (int columns = 140; columns >= 80; columns -= 60) {
        OWN(buf) text = {0};
        draw_network(columns, &text);
        album_check(&album, columns == 80 ? "the network in less room"
                                          : "on the clock of a network",
                    buf_text(&text));
    }
    album_close(&album);
}

int
main(void)
{
    test_pictures();
    test_all_shown();
    test_names();
    test_ranking();
    test_scale_kept();
    return done_testing();
}
