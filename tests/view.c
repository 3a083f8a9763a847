/* SPDX-License-Identifier: MIT */
/* The views and the frame around them, in every state and at every size.
 * tests/pictures.c compares them cell by cell. */
#include "picture.h"
#include "ring_world.h"
#include "tap.h"
#include "view/frame.h"
#include "view/places.h"
#include "view/view.h"

static void
test_help_pages(void)
{
    OWNS(world) *w = ring_world(4, 6);
    struct scene s = {.world = w, .view = RING};
    struct help low = frame_help(&s, &around, 80, 24);
    struct help high = frame_help(&s, &around, 80, 40);
    OWN(buf) text = {0};

    is_int(help_after(&low, 1, '?', 80, 24), 2, "? turns the page");
    is_int(help_after(&low, 1, 'x', 80, 24), 0, "another key closes it");
    is_int(help_after(&high, 1, '?', 80, 40), 0, "more rows have one page");
    is_int(help_after(&low, 2, '?', 80, 24), 0, "? closes the last page");
    ok(strstr(help_picture(&s, 2, (struct point){80, 40}, &text), "Keys") !=
           NULL,
       "a screen that grows shows the page that is left");
}

/* On a low screen the help has several pages; the keys below each say how it
 * goes on. */
static void
test_help_goes_on(void)
{
    OWNS(world) *w = ring_world(4, 6);
    struct scene s = {.world = w, .view = RING};
    struct help help = frame_help(&s, &around, 40, 10);
    OWN(buf) text = {0};
    int pages = 0, next = 0, symbols = 0;
    bool last = false;

    for (int page = 1; page > 0; page = help_after(&help, page, '?', 40, 10)) {
        pages++;
        help_picture(&s, page, (struct point){40, 10}, &text);
        last = strstr(buf_text(&text), "next page") == NULL;
        next += !last;
        symbols += strstr(buf_text(&text), "the next step") != NULL;
    }
    ok(pages > 4 && symbols > 0, "%d pages of keys, then symbols", pages);
    ok(last && next == pages - 1, "each but the last says that there is more");
}

/* Every view can be drawn at any size and step, for any number of ranks, in
 * ASCII if that was asked for. */
static void
test_all_sizes(void)
{
    static const int ranks[] = {1, 2, 3, 5, 8, 17, 40, 70};
    static const int sizes[][2] = {{80, 24}, {40, 10}, {120, 40}, {200, 60},
                                   {60, 16}, {80, 23}, {39, 12}, {1, 1},
                                   {40, 9}, {81, 25}, {50, 30}, {200, 10}};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    int drawn = 0, foreign = 0, small = 0, views = 0;
    OWN(buf) text = {0};

    while (view_at(views) != NULL)
        views++;
    like.glyphs = GLYPHS_ASCII;
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        struct world *w = ring_world(ranks[i], 2 * (ranks[i] - 1));
        for (size_t k = 0; k < SIZES; k++)
            for (int view = 0; view_at(view) != NULL; view++) {
                struct scene s = {.world = w, .view = view,
                                  .selected = (int)k * 9 % ranks[i],
                                  .inspect = k % 3 == 0};
                world_seek(w, w->nsteps * (int)k / SIZES);
                drawn++;
                foreign += foreign_characters(help_picture(
                    &s, 1 + (int)k % 2,
                    (struct point){sizes[k][0], sizes[k][1]}, &text));
                foreign += foreign_characters(
                    picture(&s, sizes[k][0], sizes[k][1], &text));
                if (sizes[k][0] >= 30)
                    small += (strstr(buf_text(&text), "40x10") != NULL) !=
                             (sizes[k][0] < 40 || sizes[k][1] < 10);
            }
        world_free(w);
    }
    is_int(drawn, SIZES * 8 * views, "every size, view and number of ranks");
    is_int(foreign, 0, "ASCII is ASCII");
    is_int(small, 0, "a screen that is too small says what is needed");
}

/* Whether the number of the step shown, which ends at the arrowhead, stands
 * between blanks. */
static bool
stands_alone(const struct canvas *c, int step)
{
    const uint32_t down = glyph(GLYPHS_FULL, GLYPH_DOWN);
    const struct cell *cell = c->cells, *end = cell + c->columns * c->rows;
    char text[16];
    int digits = snprintf(text, sizeof text, "%d", step);

    while (cell < end && cell->code != down)
        cell++;
    if (cell == end || cell[1].code != ' ' || cell[-digits - 1].code != ' ')
        return false;
    for (int i = 0; i < digits; i++)
        if (cell[i - digits].code != (unsigned char)text[i])
            return false;
    return true;
}

/* The end of another step is moved over the whole axis, past the step shown. */
static void
test_timeline_numbers(void)
{
    enum { STEP = 12, OTHER = 11, PARTS = 300 };
    OWNS(world) *w = ring_world_paced(16, 30, RING_EVEN);
    struct scene s = {.world = w, .view = TIMELINE};
    OWN(canvas) c = {0};
    int64_t first_ns = w->steps[1].end_ns;
    int64_t all_ns = w->steps[STEP + 4].end_ns - first_ns;
    int close = 0;

    canvas_resize(&c, 80, 24);
    world_seek(w, STEP);
    for (int i = 0; i <= PARTS; i++) {
        w->steps[OTHER].end_ns = first_ns + all_ns * i / PARTS;
        frame_draw(&s, &around, &c);
        close += !stands_alone(&c, STEP);
    }
    is_int(close, 0, "no other number touches that of the step shown");
}

/* On a network's clock the second page goes on where the first ends. */
static void
test_timeline_pages(void)
{
    OWNS(world) *w = ring_world_paced(16, 30, RING_EVEN);
    struct run_info modelled = *w->run;
    struct scene s = {.world = w, .view = TIMELINE};
    OWN(buf) measured = {0}, on_network = {0};

    world_seek(w, 28);
    picture(&s, 80, 24, &measured);
    strcpy(modelled.network, "pcie");
    w->run = &modelled;
    picture(&s, 80, 24, &on_network);
    ok(strstr(buf_text(&measured), "|0 ") != NULL,
       "a page of a measured run begins at 0");
    ok(strstr(buf_text(&on_network), "|2 ms ") != NULL,
       "on a network only the first page does");
}

/* 23 rows show all that 24 show but blank rows, in every view and step. */
static void
test_status_line(void)
{
    OWNS(world) *w = ring_world(4, 6);
    OWN(buf) full = {0}, less = {0};
    int lost = 0;

    for (int view = 0; view_at(view) != NULL; view++)
        for (int step = 0; step <= w->nsteps; step++) {
            struct scene s = {.world = w, .view = view};
            world_seek(w, step);
            picture(&s, 80, 24, &full);
            picture(&s, 80, 23, &less);
            lost += strlen(buf_text(&full)) != strlen(buf_text(&less)) + 1;
        }
    is_int(lost, 0, "a status line costs only a blank row");
}

/* Frames, names and the number of slots do not change between steps. */
static void
test_nothing_jumps(void)
{
    OWNS(world) *w = ring_world(4, 6);
    struct scene s = {.world = w, .view = -1};
    struct layout frame;
    OWN(places) p;
    OWN(canvas) first = {0}, c = {0};
    int moved = 0;

    layout(80, 24, false, &frame);
    places_find(&p, &s, frame.picture, &view_ring, GLYPHS_FULL);
    canvas_resize(&first, 80, 24);
    frame_draw(&s, &around, &first);
    canvas_resize(&c, 80, 24);
    for (int step = 1; step <= w->nsteps; step++) {
        world_seek(w, step);
        frame_draw(&s, &around, &c);
        for (int rank = 0; rank < 4; rank++) {
            struct rect box = p.boxes[rank];
            for (int x = box.x; x < box.x + box.width; x++)
                moved += canvas_at(&c, x, box.y)->code !=
                         canvas_at(&first, x, box.y)->code;
            for (int y = box.y; y < box.y + box.height; y++)
                moved += canvas_at(&c, box.x + 1, y)->code !=
                         canvas_at(&first, box.x + 1, y)->code;
        }
    }
    is_int(moved, 0, "boxes, names and numbers never move");
}

/* V shows every view that fits in the right pane once, then none; the two views
 * never overlap. */
static void
test_panes(void)
{
    OWNS(world) *w = ring_world(8, 14);
    struct scene s = {.world = w, .view = -1};
    struct panes p;
    struct layout l;
    unsigned seen = 0;
    int views = 0, overlap = 0;

    layout(120, 40, false, &l);
    p = frame_panes(&s, l.picture);
    ok(p.count == 2 && p.panes[0].view == view_at(RING) &&
           p.panes[1].view == view_at(MATRIX),
       "the matrix stands beside a ring whose stages are too many");
    s.beside = SCENE_ALONE;
    while ((s.beside = frame_next_beside(&s, 120, 40)) != SCENE_ALONE &&
           views++ < 20) {
        p = frame_panes(&s, l.picture);
        for (int i = 0; view_at(i) != NULL && p.count == 2; i++)
            seen |= (unsigned)(p.panes[1].view == view_at(i)) << i;
        overlap += p.count == 2 &&
                   rect_overlaps(p.panes[0].area, p.panes[1].area);
    }
    is_int(seen, 1u << STAGES | 1u << MATRIX | 1u << HEAT | 1u << PATHS |
                     1u << TIMELINE,
           "V goes through all other views but the log, which is too wide");
    is_int(overlap, 0, "which do not overlap the left one");
    p = frame_panes(&s, l.picture);
    is_int(p.count, 1, "after the last there is none");
    s.beside = 0;
    s.view = STAGES;
    p = frame_panes(&s, l.picture);
    ok(p.count == 1 || p.panes[1].view != view_at(STAGES),
       "never the same view twice");
    layout(119, 40, false, &l);
    p = frame_panes(&s, l.picture);
    is_int(p.count, 1, "119 columns are one pane");
}

/* Panes that are kept from one frame to the next while a step is in flight look
 * like those that are found for each frame, whatever changes in between. */
static void
test_kept_panes(void)
{
    struct world *w = ring_world(8, 14);
    struct flight flights[8];
    struct scene s = {.world = w, .view = -1};
    struct panes kept = {.count = 0};
    struct buf with = {0}, without = {0};
    int different = 0;

    for (int i = 0; i < 12; i++) {
        int columns = i == 8 ? 100 : 120, rows = i == 9 ? 30 : 40;
        s.view = i == 1 ? TIMELINE : i == 10 ? STAGES : -1;
        s.beside = i == 2 ? HEAT + 1 : i == 3 ? SCENE_ALONE : 0;
        s.inspect = i == 4;
        s.selected = i == 5 ? 3 : 0;
        if (i == 6)
            world_seek(w, 4);
        s.step = 0;
        if (i != 7)
            s.nflights = fly(&s, flights, i / 12.0);
        s.flights = flights;
        around.panes = &kept;
        picture(&s, columns, rows, &with);
        around.panes = NULL;
        different += strcmp(picture(&s, columns, rows, &without),
                            buf_text(&with)) != 0;
    }
    is_int(different, 0, "panes that were kept fit");
    buf_done(&with);
    buf_done(&without);
    world_free(w);
}

/* At the end every link has carried what the schedule said, and a rank's links
 * together what the rank sent; going back takes it all back. */
static void
test_links(void)
{
    OWNS(world) *w = ring_world(5, 8);
    int open = 0, left = 0, idle = 0;
    int64_t sent = 0;

    world_seek(w, w->nsteps);
    for (int link = 0; link < 25; link++) {
        open += w->links[link].sent != w->links[link].total;
        idle += (w->links[link].total > 0) != (link % 5 == (link / 5 + 1) % 5);
    }
    for (int dst = 0; dst < 5; dst++)
        sent += w->links[3 * 5 + dst].sent;
    is_int(open, 0, "links carry what was scheduled");
    is_int(idle, 0, "those of the ring, and no others");
    is_int(sent, w->sent[3], "a rank's links carry what it sends");
    world_seek(w, 0);
    for (int link = 0; link < 25; link++)
        left += w->links[link].sent != 0;
    is_int(left, 0, "bytes on links go back with the position");
}

/* Of the links below the picture, those from and to the selected GPU stand
 * out. */
static void
test_links_selected(void)
{
    enum { RANKS = 4, CHOSEN = 2 };
    OWNS(world) *w = ring_world(RANKS, 6);
    struct scene s = {.world = w, .view = -1, .selected = CHOSEN};
    OWN(canvas) c = {0};
    const struct cell *at, *end;
    int found = 0, wrong = 0;

    canvas_resize(&c, 120, 40);
    frame_draw(&s, &around, &c);
    end = c.cells + c.columns * c.rows - 1;
    at = canvas_find(&c, "bytes sent over each link");
    for (; at != NULL && at < end; at++) {
        int src = (int)at[-1].code - '0', dst = (int)at[1].code - '0';
        if (at->code != glyph(c.glyphs, GLYPH_RIGHT) || src < 0 ||
            src >= RANKS || dst < 0 || dst >= RANKS)
            continue;
        found++;
        wrong += (at->pen.fg == ROLE_QUIET) ==
                 (src == CHOSEN || dst == CHOSEN);
    }
    is_int(found, RANKS, "a ring's links are listed");
    is_int(wrong, 0, "those of the selected GPU are not quiet, others are");
}

/* Sentences that are too long for their place. */
static void
test_long_sentences(void)
{
    OWNS(world) *w = ring_world(4, 0), *many = ring_world(64, 8);
    struct scene s = {.world = w, .view = -1};
    OWN(canvas) c = {0};
    OWN(buf) text = {0};
    const char *head;

    ring_world_lose(w, 1, 0);
    w->has_result = w->has_end = w->result.hangs = true;
    say_wrong(w, "the run hangs: rank 0 waits for rank 2 (step 2), rank 2 "
              "waits for rank 0 (step 1): a cycle; 1 more waits: the culprit");
    canvas_resize(&c, 80, 24);
    frame_draw(&s, &around, &c);
    canvas_text(&c, &text);
    ok(strstr(buf_text(&text), "the culprit\n") != NULL,
       "the reason why a run hangs is shown to its end");
    for (s = (struct scene){.world = many, .view = TIMELINE, .beside = -1};
         c.columns > 50; canvas_resize(&c, c.columns - 1, 24)) {
        buf_clear(&text);
        frame_draw(&s, &around, &c);
        canvas_text(&c, &text);
        head = strstr(buf_text(&text), "GPUs 0 to ");
        if (head == NULL || head[-1] != ' ')
            break;
    }
    is_int(c.columns, 50, "the head of the timeline has its texts apart");
}

/* Two colours in a cell are those of the blocks, on every ground. */
static void
test_block_halves(void)
{
    OWNS(world) *w = ring_world(8, 6);
    struct scene s = {.world = w, .view = -1};
    OWN(canvas) c = {0};
    int halves = 0, others = 0;

    world_seek(w, 6);
    canvas_resize(&c, 80, 24);
    frame_draw(&s, &around, &c);
    for (int y = 0; y < c.rows; y++)
        for (int x = 0; x < c.columns; x++) {
            const struct cell *cell = canvas_at(&c, x, y);
            if (cell->code != glyph(GLYPHS_FULL, GLYPH_STRIPE))
                continue;
            halves++;
            others += (cell->pen.attrs & ATTR_AREA) == 0;
        }
    ok(halves >= 4 && others == 0, "%d halves of cells, %d of another shade",
       halves, others);
}

/* Why a run hangs is said to its end, if need be in the place of the bytes
 * sent. */
static void
test_long_verdict(void)
{
    OWNS(world) *w = ring_world(4, 1);
    struct scene s = {.world = w, .view = -1};
    OWN(canvas) c = {0};

    world_seek(w, 1);
    w->has_result = w->result.hangs = true;
    w->result.first_wrong = (struct wrong){
        WRONG_HANGS, .nwaits = 3, .others = 1,
        .waits = {{WAIT_RECEIVE, 0, 3, 4, 0, 0}, {WAIT_RECEIVE, 3, 2, 3, 0, 0},
                  {WAIT_TRUNCATED, 2, 1, 2, 2, 1}}};
    canvas_resize(&c, 80, 24);
    frame_draw(&s, &around, &c);
    ok(canvas_find(&c, "1 more waits") != NULL &&
           canvas_find(&c, "sent") == NULL, "a long verdict is not cut");
}

/* The corners of boxes at their lower left. */
static int
count_corners(const struct canvas *c)
{
    int corners = 0;

    for (int y = 0; y < c->rows; y++)
        for (int x = 0; x < c->columns; x++)
            corners += canvas_at(c, x, y)->code == 0x2570;
    return corners;
}

/* However many rows a lesson's text takes, boxes are whole, and slots are
 * there.  A notice covers rows for a while, and nothing moves. */
static void
test_lesson_grows(void)
{
    OWNS(world) *w = ring_world(4, 8);
    struct scene s = {.world = w, .view = -1, .target = -1, .taught = true};
    struct panel p = {.title = "", .text = "a\nb\nc\nd\ne", .chosen = -1,
                      .refused = -1, .right = -1, .asked.rank = -1};
    struct surround frame = {.panel = &p};
    static const char *const asides[] = {NULL, "f", "f\ng", "f\ng\nh"};
    OWN(canvas) c = {.glyphs = GLYPHS_FULL};
    OWN(buf) calm = {0}, noticed = {0};
    struct layout l;

    canvas_resize(&c, 80, 24);
    for (size_t i = 0; i < sizeof asides / sizeof *asides; i++) {
        p.aside = asides[i];
        frame_draw(&s, &frame, &c);
        is_int(count_corners(&c), 4, "four boxes over %d more rows of text",
               (int)i);
        ok(canvas_find(&c, "D3") != NULL, "with all their slots");
    }
    p.aside = NULL;
    frame_draw(&s, &frame, &c);
    canvas_clear(&c, (struct rect){0, 15, 80, 9});
    canvas_text(&c, &calm);
    frame.notice_rows = 2;
    frame_draw(&s, &frame, &c);
    canvas_clear(&c, (struct rect){0, 15, 80, 9});
    canvas_text(&c, &noticed);
    is_str(buf_text(&noticed), buf_text(&calm), "a notice moves no box");
    layout(200, 60, true, &l);
    ok(l.picture.height >= 48, "a large screen's rows are the picture's: %d",
       l.picture.height);
}

int
main(void)
{
    test_lesson_grows();
    test_long_verdict();
    test_all_sizes();
    test_timeline_numbers();
    test_timeline_pages();
    test_nothing_jumps();
    test_status_line();
    test_panes();
    test_kept_panes();
    test_links();
    test_links_selected();
    test_help_pages();
    test_help_goes_on();
    test_long_sentences();
    test_block_halves();
    return done_testing();
}
