/* SPDX-License-Identifier: MIT */
/* The pictures, as text: what is drawn, that it fits, that nothing jumps. */
#include "base/utf8.h"
#include "canvas_text.h"
#include "coll/coll.h"
#include "colour_vision.h"
#include "draw/axis.h"
#include "draw/block.h"
#include "draw/canvas.h"
#include "model/order.h"
#include "ring_world.h"
#include "schedule/program.h"
#include "tap.h"
#include "text/sum_name.h"
#include "text/text.h"
#include "text/words.h"
#include "topology_golden.h"
#include "view/frame.h"
#include "view/mouse.h"
#include "view/ring_layout.h"
#include "view/traffic.h"
#include "view/view.h"
#include "view_golden.h"

static void
test_canvas(void)
{
    struct canvas c = {0};
    struct buf text = {0};
    struct pen plain = {0};

    canvas_resize(&c, 6, 3);
    canvas_puts(&c, 1, 0, "环形ab", plain);
    canvas_puts(&c, -1, 1, "环x", plain);
    canvas_puts(&c, 0, 2, "环环环", plain);
    canvas_put(&c, 1, 2, 'x', plain); /* on the right half of one */
    canvas_put(&c, 4, 2, 'y', plain); /* on the left half of one */
    canvas_text(&c, &text);
    is_str(buf_text(&text), " 环形a\n x\n x环y\n",
           "wide characters take two cells, and are never halved");
    buf_clear(&text);
    canvas_clear(&c, (struct rect){0, 0, 6, 3});
    is_int(canvas_puts_within(&c, 0, 0, 6, "一二三四", plain), 5,
           "a text is cut at whole characters");
    canvas_put(&c, 99, 0, 'x', plain);
    canvas_put(&c, 0, -1, 'x', plain);
    canvas_put(&c, 1, 1, '\033', plain);
    canvas_text(&c, &text);
    is_str(buf_text(&text), "一...\n \\x1b\n\n",
           "nothing is drawn outside, and control characters are escaped");
    buf_clear(&text);
    canvas_clear(&c, (struct rect){0, 0, 6, 3});
    is_int(canvas_puts(&c, 0, 0, "\xe2\x80\x8f", plain), 6,
           "a mark of direction takes six cells");
    is_int(canvas_puts_within(&c, 0, 1, 5, "\xe2\x80\x8f", plain), 3,
           "no escape is cut");
    canvas_puts(&c, 0, 2, "a\xff", plain);
    canvas_text(&c, &text);
    is_str(buf_text(&text), "\\u200f\n...\na\\xff\n", "escaped");
    buf_done(&text);
    canvas_done(&c);
}

static const char *
block_text(const struct block *b, struct buf *out)
{
    struct canvas c = {0};

    buf_clear(out);
    canvas_resize(&c, 40, 1);
    is_int(block_draw(b, &c, 0, 0), block_draw(b, NULL, 0, 0),
           "a block is as wide as it was measured");
    canvas_text(&c, out);
    canvas_done(&c);
    return buf_text(out);
}

static void
test_blocks(void)
{
    struct world *w = ring_world(3, 4);
    struct buf text = {0};
    struct block b = {.world = w, .width = 10};

    b.row = world_row(w, 0, 1);
    is_str(block_text(&b, &text), "▐A1▌\n", "one contribution");
    world_seek(w, 1);
    b.row = world_row(w, 0, 1);
    is_str(block_text(&b, &text), "▐A1▌C1▌\n", "two of them");
    b.glyphs = GLYPHS_ASCII;
    is_str(block_text(&b, &text), "[A1+C1]\n", "in ASCII");
    b.form = BLOCK_SHORT;
    is_str(block_text(&b, &text), "AC1\n", "in short");
    world_seek(w, 4);
    b = (struct block){.world = w, .row = world_row(w, 0, 1), .width = 10};
    is_str(block_text(&b, &text), "▐A1▌B1▌C1▌\n", "all of them");
    b.sums = true;
    is_str(block_text(&b, &text), "▐  S1   ▌▌\n", "and by its name");
    b.glyphs = GLYPHS_ASCII;
    is_str(block_text(&b, &text), "[   S1   ]\n", "the same in ASCII");
    buf_done(&text);
    world_free(w);
}

static void
test_short_labels(void)
{
    struct world *w = ring_world(8, 14);
    const uint64_t *row = world_row(w, 0, 2);
    struct buf text = {0};

    world_seek(w, 5);
    sum_name(w, row, 6, &text);
    is_str(buf_text(&text), "D-A2", "a run of ranks, over the end of the ring");
    buf_clear(&text);
    sum_name(w, row, 8, &text);
    is_str(buf_text(&text), "ADEFGH2", "letters where they fit");
    buf_done(&text);
    world_free(w);
}

/* What came twice is not to be overlooked. */
static void
test_fault(void)
{
    struct world *w = ring_world(3, 0);
    uint64_t row[2 + 1 + EVENT_VALUES] = {0};
    struct ledger_entry *e = (struct ledger_entry *)row;
    struct block b = {.world = w, .row = row, .width = 20};
    struct buf text = {0};

    e[0] = (struct ledger_entry){1, 1};
    e[2] = (struct ledger_entry){2, 1};
    row[ledger_words(3)] = 4;
    is_str(block_text(&b, &text), "▐A1▌!2*C1▌\n", "a contribution too many");
    b.form = BLOCK_SHORT;
    is_str(block_text(&b, &text), "!AC\n", "in short");
    buf_done(&text);
    world_free(w);
}

static bool
overlap(struct rect a, struct rect b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width &&
           a.y < b.y + b.height && b.y < a.y + a.height;
}

static bool
within(struct rect a, struct rect b)
{
    return a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width &&
           a.y + a.height <= b.y + b.height;
}

/* Boxes overlap each other or leave the area; slots leave their box. */
static int
layout_errors(const struct ring_layout *l, struct rect area)
{
    int errors = 0;

    for (int i = 0; i < l->nranks; i++) {
        struct rect a = ring_layout_box(l, i);
        errors += !within(a, area);
        for (int k = 0; k < i; k++)
            errors += overlap(a, ring_layout_box(l, k));
        for (int slot = 0; slot < l->box.nslots; slot++) {
            struct point at =
                rank_box_slot(&l->box, (struct point){a.x, a.y}, slot);
            errors += !within((struct rect){at.x - 1, at.y, l->box.slot_width + 2,
                                            1 + l->box.values},
                              (struct rect){a.x + 1, a.y + 1, a.width - 2,
                                            a.height - 2});
        }
    }
    return errors;
}

static void
test_ring_layout(void)
{
    int errors = 0, fits_80x24 = 0, whole_80x24 = 0, laid_out = 0;
    struct ring_layout l;
    struct layout frame;

    for (int n = 1; n <= 24; n++) {
        struct schedule *s = ring_schedule(n);
        for (int columns = 80; columns <= 240; columns += 13)
            for (int rows = 24; rows <= 80; rows += 7) {
                layout(columns, rows, false, &frame);
                if (!ring_layout(s, frame.picture, &l))
                    continue;
                laid_out++;
                errors += layout_errors(&l, frame.picture);
            }
        layout(80, 24, false, &frame);
        if (ring_layout(s, frame.picture, &l)) {
            fits_80x24 = n;
            whole_80x24 = l.box.form == BLOCK_WHOLE ? n : whole_80x24;
        }
        schedule_free(s);
    }
    ok(laid_out > 100, "rings are laid out");
    is_int(errors, 0, "boxes never overlap, and nothing leaves its place");
    is_int(fits_80x24, 8, "at 80x24 a ring of 8 fits");
    is_int(whole_80x24, 5, "with whole sums one of 5");
}

static void
test_paths(void)
{
    struct schedule *s = ring_schedule(5);
    struct ring_layout l;
    struct rect area = {0, 0, 120, 36};
    int inside = 0, apart = 0;

    ring_layout(s, area, &l);
    for (int i = 0; i < 5; i++) {
        struct path p = ring_layout_path(&l, i, (i + 1) % 5);
        struct path back = ring_layout_path(&l, (i + 1) % 5, i);
        for (int k = 0; k <= 100; k++) {
            struct point at = path_at(&p, k / 100.0, 1);
            for (int rank = 0; rank < 5; rank++)
                inside += overlap((struct rect){at.x, at.y, 1, 1},
                                  ring_layout_box(&l, rank));
        }
        struct point a = path_at(&p, 0, 1), b = path_at(&back, 1, 1);
        apart += a.x != b.x || a.y != b.y;
    }
    is_int(inside, 0, "a path to the next rank crosses no box");
    is_int(apart, 0, "and leads back as well");
    schedule_free(s);
}

/* In the table of views. */
enum { RING, MATRIX = 7, TIMELINE, LOG };

/* What a scene looks like as text. */
static const char *
picture(const struct scene *s, int columns, int rows, struct buf *out)
{
    struct canvas c = {0};

    canvas_resize(&c, columns, rows);
    frame_draw(s, &c);
    buf_clear(out);
    canvas_text(&c, out);
    canvas_done(&c);
    return buf_text(out);
}

/* Every transfer of a step in the same place of its way. */
static size_t
fly(struct scene *s, struct flight *flights, double progress)
{
    const struct transfer *t;
    const struct step *p;

    s->step = s->world->position + 1;
    p = scene_transfers(s, s->step, &t);
    for (size_t i = 0; i < p->count; i++)
        flights[i] = (struct flight){
            &t[i], &s->world->steps[s->step].events[i], progress};
    s->flights = flights;
    return s->nflights = p->count;
}

/* The pictures in view_golden.h are to be looked at, and written anew by
 * `tests/view --write >tests/view_golden.h` when they have become better. */
static bool writing;

static void
check_picture(const struct scene *s, struct point size, const char *name,
              const char *want, const char *what)
{
    struct buf text = {0};
    const char *line = picture(s, size.x, size.y, &text), *end;

    if (!writing) {
        is_str(line, want, "%s", what);
    } else {
        printf("\n/* %s */\nstatic const char %s[] =", what, name);
        for (; (end = strchr(line, '\n')) != NULL; line = end + 1)
            printf("\n    \"%.*s\\n\"", (int)(end - line), line);
        printf(";\n");
    }
    buf_done(&text);
}

#define PICTURE_AT(columns, rows, scene, name, what)                          \
    check_picture(scene, (struct point){columns, rows}, #name, name, what)
#define PICTURE(scene, name, what) PICTURE_AT(80, 24, scene, name, what)

static void
test_small_rings(void)
{
    struct world *w = ring_world(3, 4);
    struct scene s = {.world = w, .view = -1};
    struct flight flights[16];

    world_seek(w, 1);
    PICTURE(&s, golden_after_1, "3 ranks, after step 1");
    fly(&s, flights, 0.5);
    flights[1].event = NULL; /* of rank 1 to rank 2 */
    flights[2].progress = 1;
    PICTURE(&s, golden_in_2, "in step 2: one waits, one has landed");
    s = (struct scene){.world = w, .view = -1, .glyphs = GLYPHS_ASCII};
    world_seek(w, 4);
    PICTURE(&s, golden_end_ascii, "the end, in ASCII");
    world_free(w);
}

static void
test_large_rings(void)
{
    struct world *w = ring_world(8, 14);
    struct scene s = {.world = w, .view = -1};

    world_seek(w, 9);
    PICTURE(&s, golden_8, "8 ranks in short");
    world_free(w);

    w = ring_world(16, 30);
    s = (struct scene){.world = w, .view = -1};
    world_seek(w, 9);
    PICTURE(&s, golden_16, "16 ranks as a matrix");
    world_free(w);

    w = ring_world(64, 126);
    s = (struct scene){.world = w, .view = -1};
    world_seek(w, 40);
    PICTURE(&s, golden_64, "64 ranks as a density map");
    world_free(w);
}

static void
test_sizes(void)
{
    struct world *w = ring_world(2, 2);
    struct scene s = {.world = w, .view = -1};

    world_seek(w, 1);
    PICTURE(&s, golden_2, "2 ranks, after step 1");
    world_free(w);

    w = ring_world(4, 6);
    s.world = w;
    world_seek(w, 3);
    PICTURE_AT(120, 40, &s, golden_4_120x40, "4 ranks at 120x40");
    world_free(w);

    w = ring_world(16, 30);
    s.world = w;
    world_seek(w, 9);
    PICTURE_AT(200, 60, &s, golden_16_200x60, "16 ranks at 200x60");
    world_free(w);

    w = ring_world(1000, 3);
    s.world = w;
    world_seek(w, 3);
    PICTURE(&s, golden_1000, "1000 ranks, after step 3");
    s.view = LOG;
    s.selected = 998;
    PICTURE(&s, golden_log_1000, "of 1000 ranks the log");
    world_free(w);
}

static void
test_timelines(void)
{
    struct world *w = ring_world(4, 5);
    struct scene s = {.world = w, .view = TIMELINE};

    world_seek(w, 3);
    PICTURE(&s, golden_timeline, "lockstep: pauses cut out, step 6 to come");
    world_free(w);

    w = ring_world_paced(8, 14, 2);
    s = (struct scene){.world = w, .view = TIMELINE};
    world_seek(w, 4);
    PICTURE(&s, golden_wake, "the wake of a slow rank");
    s.glyphs = GLYPHS_ASCII;
    PICTURE(&s, golden_wake_ascii, "the same in ASCII");
    world_free(w);

    w = ring_world_paced(64, 126, RING_EVEN);
    s = (struct scene){.world = w, .view = TIMELINE, .selected = 40};
    world_seek(w, 126);
    PICTURE(&s, golden_timeline_64, "of 64 ranks those around the selected");
    world_free(w);
}

static void
test_logs(void)
{
    struct world *w = ring_world_paced(3, 4, 2);
    struct scene s = {.world = w, .view = LOG, .selected = 1};

    world_seek(w, 2);
    PICTURE(&s, golden_log, "the log");
    world_free(w);

    w = ring_world_paced(64, 126, RING_EVEN);
    s = (struct scene){.world = w, .view = LOG, .selected = 40,
                       .glyphs = GLYPHS_ASCII};
    world_seek(w, 70);
    PICTURE(&s, golden_log_64, "of 64 ranks, the selected in the middle");
    world_free(w);
}

/* Ranks 0 and 1 on one, rank 2 on another. */
static void
put_on_gpus(struct world *w)
{
    struct run_info *run = &w->own_run;

    run->place = PLACE_GPU;
    run->nplaces = run->ndevices = 2;
    snprintf(run->devices[0], RUN_NAME_MAX,
             "NVIDIA H200 0000:1b:00.0, read by peer access");
    snprintf(run->devices[1], RUN_NAME_MAX,
             "NVIDIA H200 0000:3d:00.0, read through host memory");
    run->first_rank[1] = 2;
}

static void
test_devices(struct world *w)
{
    struct buf text = {0};

    if (writing)
        return;
    text_result(w, &text);
    ok(strstr(buf_text(&text),
              "\n  ranks 0-1: NVIDIA H200 0000:1b:00.0, read by peer access"
              "\n  rank 2: NVIDIA H200 0000:3d:00.0, read through host "
              "memory\n") != NULL, "the text says which rank is where");
    buf_done(&text);
}

static void
test_inspector(void)
{
    struct world *w = ring_world_paced(3, 4, RING_EVEN);
    struct scene s = {.world = w, .view = -1, .selected = 1, .inspect = true,
                      .slot = 1};

    world_seek(w, 2);
    PICTURE(&s, golden_inspect, "what GPU 1 holds");
    put_on_gpus(w);
    PICTURE(&s, golden_inspect_device, "and where it lives");
    test_devices(w);
    world_free(w);

    w = ring_world_paced(64, 126, RING_EVEN);
    s = (struct scene){.world = w, .view = -1, .selected = 40, .inspect = true,
                       .slot = 30, .glyphs = GLYPHS_ASCII};
    world_seek(w, 70);
    PICTURE(&s, golden_inspect_64, "what one of 64 holds");
    world_free(w);
}

/* All of an algorithm's run. */
static struct world *
world_by(const char *name, int n)
{
    const struct algorithm *algorithm;
    struct coll_options o = {.nranks = n, .in_place = true};
    struct schedule *s;
    struct err err;

    if (!coll_find(name, &algorithm, &err) ||
        (s = coll_build(algorithm, &o, &err)) == NULL)
        die("%s: %s", name, err.text);
    return world_of(s, s->nsteps, RING_LOCKSTEP);
}

static void
check_topology(const char *algorithm, int n, int step, struct point size,
               const char *name, const char *want, const char *what)
{
    struct world *w = world_by(algorithm, n);
    struct scene s = {.world = w, .view = -1};

    world_seek(w, step);
    check_picture(&s, size, name, want, what);
    world_free(w);
}

#define TOPOLOGY(algorithm, n, step, columns, rows, name, what)               \
    check_topology(algorithm, n, step, (struct point){columns, rows}, #name,  \
                   name, what)

/* In topology_golden.h, by `tests/view --write-topologies`. */
static void
test_topologies(void)
{
    TOPOLOGY("tree-allreduce", 8, 3, 80, 24, golden_tree_8,
             "a tree, chunk after chunk");
    TOPOLOGY("tree-allreduce", 4, 3, 120, 40, golden_tree_4_120x40,
             "a small one with room");
    TOPOLOGY("double-tree-allreduce", 8, 2, 80, 24, golden_trees_8,
             "two trees over the same ranks");
    TOPOLOGY("double-tree-allreduce", 16, 4, 80, 24, golden_trees_16,
             "of 16 ranks");
    TOPOLOGY("double-tree-allreduce", 2, 2, 80, 24, golden_trees_2,
             "two ranks with a link in either tree");
    TOPOLOGY("torus2d-allreduce", 9, 4, 80, 24, golden_torus_9,
             "a torus with its ways back");
    TOPOLOGY("mesh2d-allreduce", 4, 1, 80, 24, golden_mesh_4, "a mesh");
    TOPOLOGY("hierarchical-allreduce", 8, 1, 120, 40,
             golden_nodes_8_120x40, "nodes");
    TOPOLOGY("torus3d-allreduce", 8, 3, 120, 40, golden_torus3d_8_120x40,
             "planes side by side");
    TOPOLOGY("hypercube-allreduce", 8, 2, 80, 24, golden_cube_8, "a cube");
    TOPOLOGY("hypercube-allreduce", 16, 4, 80, 24, golden_cube_16,
             "a cube of four dimensions");
    TOPOLOGY("hypercube-allreduce", 5, 1, 80, 24, golden_cube_5,
             "one that is not full");
    TOPOLOGY("server-allreduce", 8, 1, 80, 24, golden_star_8, "a star");
    TOPOLOGY("butterfly-allreduce", 8, 2, 80, 24, golden_arcs_8,
             "between any two ranks");
}

/* Every step of every topology, at any size: ranks are where they can be
 * clicked. */
static void
test_topology_views(void)
{
    static const char *const names[] = {
        "tree-allreduce", "double-tree-allreduce", "torus2d-allreduce",
        "torus3d-allreduce", "mesh2d-allreduce", "hierarchical-allreduce",
        "hypercube-allreduce", "server-allreduce", "butterfly-allreduce"};
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    static const int ranks[] = {2, 4, 8, 12, 16, 18};
    int foreign = 0, unseen = 0, own = 0;
    struct buf text = {0};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (size_t r = 0; r < sizeof ranks / sizeof ranks[0]; r++) {
            struct world *w = world_by(names[i], ranks[r]);
            for (int k = 0; k < 3; k++) {
                struct scene s = {.world = w, .view = -1,
                                  .glyphs = GLYPHS_ASCII};
                struct flight flights[512];
                struct layout l;
                bool seen[64] = {false};

                layout(sizes[k][0], sizes[k][1], false, &l);
                if (view_choose(&s, l.picture) == view_at(MATRIX))
                    continue;
                own++;
                for (int y = 0; y < sizes[k][1]; y += 1 + k)
                    for (int x = 0; x < sizes[k][0]; x += 2 + k) {
                        struct mouse_target hit = mouse_at(&s, sizes[k][0], sizes[k][1],
                                                (struct point){x, y});
                        if (hit.what == MOUSE_RANK)
                            seen[hit.number] = true;
                    }
                for (int rank = 0; rank < ranks[r]; rank++)
                    unseen += !seen[rank];
                for (int step = 0; step < w->nsteps; step++) {
                    world_seek(w, step);
                    fly(&s, flights, 0.3);
                    picture(&s, sizes[k][0], sizes[k][1], &text);
                    for (const char *p = buf_text(&text); *p != '\0'; p++)
                        foreign += *p != '\n' && (*p < ' ' || *p > '~');
                }
            }
            world_free(w);
        }
    ok(own >= 100, "topologies have views of their own: %d of 162", own);
    is_int(unseen, 0, "all of their ranks can be clicked");
    is_int(foreign, 0, "in ASCII too");
    buf_done(&text);
}

static void
check_order(const struct world *w, int rank, int slot, size_t most,
            const char *want, const char *what)
{
    struct buf text = {0};

    order_text(w, rank, slot, most, &text);
    is_str(buf_text(&text), want, "%s", what);
    buf_done(&text);
}

static void
test_order(void)
{
    struct world *w = ring_world(3, 4);

    check_order(w, 1, 1, 99, "B1", "a rank's own data");
    world_seek(w, 1);
    check_order(w, 0, 1, 99, "A1+C1", "added to the receiver's");
    world_seek(w, 2);
    check_order(w, 1, 1, 99, "B1+(A1+C1)", "in brackets, as it was executed");
    world_seek(w, 4);
    check_order(w, 0, 1, 99, "B1+(A1+C1)", "and passed on as it is");
    check_order(w, 0, 1, 4, "B1+(...", "cut where it gets too long");
    w->steps[1].events[2].fault = FAULT_DROP;
    check_order(w, 0, 1, 99, "B1+A1", "without what was dropped");
    w->steps[1].events[2].fault = FAULT_REPEAT;
    check_order(w, 0, 1, 99, "B1+(A1+C1+C1)", "twice what came twice");
    w->own_run.op = REDOP_MIN;
    w->steps[1].events[2].fault = FAULT_NONE;
    check_order(w, 0, 1, 99, "min(B1,min(A1,C1))", "a minimum");
    world_free(w);
    w = ring_world(3, 4);
    memset(w->contents + w->words * (2 * w->schedule->nslots + 1), 0,
           (size_t)w->words * sizeof *w->contents);
    check_order(w, 2, 1, 99, "", "nothing where nobody wrote");
    world_seek(w, 1);
    check_order(w, 0, 1, 99, "A1+?", "but an operand it is");
    world_free(w);
}

static void
test_help(void)
{
    struct world *w = ring_world(4, 6);
    struct scene s = {.world = w, .view = TIMELINE, .help = true};

    world_seek(w, 2);
    PICTURE(&s, golden_help, "help for the timeline");
    s.view = MATRIX;
    s.glyphs = GLYPHS_ASCII;
    PICTURE(&s, golden_help_matrix, "for the matrix, in ASCII");
    world_free(w);
}

/* In lockstep every step is a span of its own in its own place; running
 * freely, all is one. */
static void
test_axis(void)
{
    struct world *w = ring_world(4, 3);
    struct axis a = axis_of(w, 3, 60);
    int first, last;

    is_int(a.nspans, 3, "three steps that are known, with pauses");
    is_int(a.spans[2].x, 20, "the third has its place among six");
    is_int(a.spans[2].width, 9, "and a column is left for the cut");
    is_int(axis_column(&a.spans[0], a.spans[0].begin_ns), 0, "from its left");
    is_int(axis_column(&a.spans[0], a.spans[0].end_ns), 8, "to its right");
    ok(!axis_columns(&a.spans[0], a.spans[1].begin_ns, a.spans[1].end_ns,
                     &first, &last),
       "what happens in another span has no place in it");
    world_free(w);
    w = ring_world_paced(8, 14, 2);
    is_int(axis_of(w, 0, 60).nspans, 1, "a run that never rests is one span");
    a = axis_of(w, 14, 40);
    is_int(a.first, 8, "what does not fit is on two pages");
    is_int(a.last, 14, "of the same length");
    world_free(w);
}

static void
test_times(void)
{
    static const struct {
        int64_t ns;
        const char *text, *brief;
    } times[] = {
        {0, "0 ns", "0 ns"},
        {999, "999 ns", "999 ns"},
        {1000, "1.00 us", "1 us"},
        {9996, "10.0 us", "10 us"},
        {99960, "100 us", "100 us"},
        {999600, "1.00 ms", "1 ms"},
        {INT64_C(12345678901), "12.3 s", "12 s"},
    };
    struct buf text = {0};

    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        text_ns(times[i].ns, false, &text);
        is_str(buf_text(&text), times[i].text, "a time");
        buf_clear(&text);
        text_ns(times[i].ns, true, &text);
        is_str(buf_text(&text), times[i].brief, "in brief");
        buf_clear(&text);
    }
    buf_done(&text);
}

/* Every line of every picture within the size, at any size, step and number
 * of ranks; ASCII where that was asked for. */
static void
test_all_sizes(void)
{
    static const int ranks[] = {1, 2, 3, 5, 8, 17, 40, 70};
    static const int sizes[][2] = {{80, 24}, {81, 25}, {120, 40}, {200, 60},
                                   {79, 24}, {80, 23}, {20, 5}, {1, 1}};
    int drawn = 0, foreign = 0, small = 0, views = 0;
    struct buf text = {0};

    while (view_at(views) != NULL)
        views++;
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        struct world *w = ring_world(ranks[i], 2 * (ranks[i] - 1));
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            for (int view = 0; view_at(view) != NULL; view++) {
                struct scene s = {.world = w, .view = view,
                                  .selected = (int)k * 9 % ranks[i],
                                  .glyphs = GLYPHS_ASCII, .help = k % 2 == 0,
                                  .inspect = k % 3 == 0};
                world_seek(w, w->nsteps * (int)k / 8);
                picture(&s, sizes[k][0], sizes[k][1], &text);
                drawn++;
                for (const char *p = buf_text(&text); *p != '\0'; p++)
                    foreign += *p != '\n' && (*p < ' ' || *p > '~');
                if (sizes[k][0] < 80 || sizes[k][1] < 24)
                    small += sizes[k][0] >= 40 &&
                             strstr(buf_text(&text), "80x24") == NULL;
            }
        world_free(w);
    }
    is_int(drawn, 64 * views, "every size, view and number of ranks");
    is_int(foreign, 0, "ASCII is ASCII but for marks in the help");
    is_int(small, 0, "a screen that is too small says what is needed");
    buf_done(&text);
}

/* Frames, names and numbers of slots stay where they are from step to step:
 * cells outside of slots' blocks and paths. */
static void
test_nothing_jumps(void)
{
    struct world *w = ring_world(4, 6);
    struct scene s = {.world = w, .view = -1};
    struct layout frame;
    struct ring_layout l;
    struct canvas first = {0}, c = {0};
    int moved = 0;

    layout(80, 24, false, &frame);
    ring_layout(w->schedule, frame.picture, &l);
    canvas_resize(&first, 80, 24);
    frame_draw(&s, &first);
    canvas_resize(&c, 80, 24);
    for (int step = 1; step <= w->nsteps; step++) {
        world_seek(w, step);
        frame_draw(&s, &c);
        for (int rank = 0; rank < 4; rank++) {
            struct rect box = ring_layout_box(&l, rank);
            for (int x = box.x; x < box.x + box.width; x++)
                moved += canvas_at(&c, x, box.y)->code !=
                         canvas_at(&first, x, box.y)->code;
            for (int y = box.y; y < box.y + box.height; y++)
                moved += canvas_at(&c, box.x + 1, y)->code !=
                         canvas_at(&first, box.x + 1, y)->code;
        }
    }
    is_int(moved, 0, "boxes, names and numbers never move");
    canvas_done(&first);
    canvas_done(&c);
    world_free(w);
}

/* Every rank and every step is where it is drawn. */
static void
check_hits(int n, int columns, int rows, int view)
{
    struct world *w = ring_world(n, 2 * (n - 1));
    struct scene s = {.world = w, .view = view};
    struct canvas c = {0};
    struct layout l;
    bool ranks[LEDGER_RANKS] = {false};
    int missed = 0, steps_missed = 0;

    canvas_resize(&c, columns, rows);
    layout(columns, rows, false, &l);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            struct mouse_target hit = mouse_at(&s, columns, rows, (struct point){x, y});
            if (hit.what == MOUSE_RANK)
                ranks[hit.number] = true;
        }
    for (int rank = 0; rank < n; rank++)
        missed += !ranks[rank];
    is_int(missed, 0, "%d ranks at %dx%d can all be clicked", n, columns,
           rows);
    for (int step = 1; step <= w->nsteps; step++) {
        world_seek(w, step);
        frame_draw(&s, &c);
        for (int x = 0; x < columns; x++) {
            struct point at = {x, l.progress};
            struct mouse_target hit = mouse_at(&s, columns, rows, at);
            if (canvas_at(&c, x, l.progress)->code ==
                    glyph(GLYPHS_FULL, GLYPH_HERE) &&
                (hit.what != MOUSE_STEP || hit.number != step))
                steps_missed++;
        }
    }
    is_int(steps_missed, 0, "and all steps, at their marks");
    canvas_done(&c);
    world_free(w);
}

static bool
is_name(const struct canvas *c, int x, int y, const char *name)
{
    for (; *name != '\0'; x++, name++)
        if (canvas_at(c, x, y)->code != (unsigned char)*name)
            return false;
    return canvas_at(c, x, y)->code < '0' || canvas_at(c, x, y)->code > '9';
}

/* Who clicks a rank's name gets that rank. */
static void
check_names(int n, int view)
{
    struct world *w = ring_world(n, 8);
    struct scene s = {.world = w, .view = view, .selected = n / 2 - 1};
    struct canvas c = {0};
    struct layout l;
    int found = 0, wrong = 0;
    char name[SCENE_NAME_MAX];

    world_seek(w, 3);
    canvas_resize(&c, 120, 40);
    layout(120, 40, false, &l);
    frame_draw(&s, &c);
    for (int y = l.picture.y + 1; y < l.picture.y + l.picture.height; y++)
        for (int x = 0; x < 80; x++)
            for (int rank = 0; rank < n; rank++)
                if (is_name(&c, x, y, scene_rank_name(rank, name))) {
                    struct mouse_target hit = mouse_at(&s, 120, 40, (struct point){x, y});
                    found++;
                    wrong += hit.what != MOUSE_RANK || hit.number != rank;
                }
    ok(found >= 5 && wrong == 0, "%d names in view %d are where they are seen",
       found, view);
    canvas_done(&c);
    world_free(w);
}

static void
test_hits(void)
{
    struct world *w = world_new();
    struct scene s = {.world = w};

    is_int(mouse_at(&s, 80, 24, (struct point){40, 1}).what, MOUSE_NOTHING,
           "before the run there is nothing to click");
    world_free(w);
    check_hits(3, 80, 24, RING);
    check_hits(8, 80, 24, RING);
    check_hits(5, 200, 60, MATRIX);
    check_hits(16, 80, 24, MATRIX);
    check_hits(8, 80, 24, TIMELINE);
    check_hits(5, 120, 40, TIMELINE);
    check_hits(8, 120, 40, LOG);
    check_names(5, TIMELINE);
    check_names(5, LOG);
    check_names(64, MATRIX); /* a map with a lens */
}

/* The result as text contains `part`. */
static void
check_result(struct world *w, const char *part, const char *what)
{
    struct buf text = {0};

    text_result(w, &text);
    ok(strstr(buf_text(&text), part) != NULL, "%s", what);
    buf_done(&text);
}

/* The result of NCCL's own collective: on the screen it takes one line of 78
 * columns. */
static void
check_native(struct world *w, const struct scene *s)
{
    struct buf text = {0};
    bool wrong;

    w->result.wall_ns = 20000;
    w->result.native = (struct run_native){
        "ncclAllReduce", "RING, SIMPLE, 1 channel", 9690, 0, 0};
    words_next(s, &text, &wrong);
    is_str(buf_text(&text), "Correct; ncclAllReduce agrees, in 9.69 us (RING, "
           "SIMPLE, 1 channel)", "NCCL's own result is on the same line");
    check_result(w, "\n  ncclAllReduce computed the same output, bit for bit\n"
                 "  it took 9.69 us; the run shown here took 20.0 us, because "
                 "it runs step by step and is recorded\n"
                 "  NCCL chose RING, SIMPLE, 1 channel; its steps cannot be "
                 "shown\n", "and in the text");
    w->result.native.inside[0] = '\0';
    w->result.native.differ = 2;
    buf_clear(&text);
    words_next(s, &text, &wrong);
    is_str(buf_text(&text), "Correct; ncclAllReduce rounds differently, in "
           "9.69 us", "NCCL may round differently, in an unknown way");
    check_result(w, "computed the same output, but rounded 2 elements "
                 "differently\n", "and in the text");
    check_result(w, "\n  NCCL's steps cannot be shown\n", "in an unknown way");
    w->result.native.wrong = 1;
    check_result(w, "\n  ! ncclAllReduce computed 1 WRONG element\n",
                 "NCCL may be wrong");
    w->result.native.wrong = 0;
    w->result.correct = false;
    check_result(w, "\n  ncclAllReduce computed the correct output; this run "
                 "did not\n", "or this run");
    w->result.correct = true;
    buf_done(&text);
}

static void
test_words(void)
{
    struct world *w = ring_world(3, 4);
    struct scene s = {.world = w, .selected = 1};
    struct buf text = {0};
    bool wrong;

    world_seek(w, 2);
    words_now(&s, &text);
    is_str(buf_text(&text), "GPU 1 sent A2+B2 to GPU 2, which added it to C2. "
           "3 transfers at once.", "what happened, with what was there before");
    buf_clear(&text);
    words_next(&s, &text, &wrong);
    is_str(buf_text(&text), "next: GPU 1 sends S1 to GPU 2",
           "what comes next, called as the next step calls it");
    buf_clear(&text);
    world_seek(w, 4);
    words_next(&s, &text, &wrong);
    ok(!wrong && strncmp(buf_text(&text), "Correct", 7) == 0,
       "the verdict at the end");
    check_native(w, &s);
    world_free(w);
    s.world = w = ring_world(3, 1);
    s.target = 4;
    world_seek(w, 0);
    w->has_result = w->has_end = false;
    w->steps[1].count--;
    buf_clear(&text);
    words_next(&s, &text, &wrong);
    is_str(buf_text(&text), "waiting for GPU 0",
           "on the way to a step, who is late");
    w->steps[1].count++;
    buf_clear(&text);
    words_next(&s, &text, &wrong);
    is_str(buf_text(&text), "", "or nobody");
    world_free(w);
    s.world = w = ring_world(3, 4);
    world_seek(w, 4);
    w->result.correct = false;
    strcpy(w->result.first_wrong, "rank 1, chunk 0");
    buf_clear(&text);
    words_next(&s, &text, &wrong);
    ok(wrong, "a wrong result is a warning");
    is_str(buf_text(&text), "WRONG: rank 1, chunk 0", "that says where");
    buf_done(&text);
    world_free(w);
}

static void
test_traffic(void)
{
    struct world *w = ring_world(3, 4);
    struct traffic t;

    world_seek(w, 1);
    t = traffic_of(w);
    is_int(t.sent, 16, "bytes sent so far");
    is_int(t.total, 64, "bytes in all");
    is_int(t.optimum, 64, "a ring sends no more than it must");
    ok(t.even, "and all ranks as much");
    world_free(w);
}

/* The world knows how full its slots are, wherever it stands. */
static void
test_counts(void)
{
    static const int positions[] = {0, 5, 126, 3, 2};
    struct world *w = ring_world(64, 126);
    int wrong = 0;

    for (int i = 0; i < 5; i++) {
        world_seek(w, positions[i]);
        for (int rank = 0; rank < 64; rank++)
            for (int slot = 0; slot < 64; slot++)
                wrong += world_counts(w, rank)[slot] !=
                         ledger_count(world_row(w, rank, slot), 64);
    }
    is_int(wrong, 0, "slots are counted wherever one goes");
    world_free(w);
}

/* WCAG 2.1, relative luminance. */
static double
luminance(int32_t rgb)
{
    static const double weight[] = {0.0722, 0.7152, 0.2126}; /* b, g, r */
    double sum = 0;

    for (int i = 0; i < 3; i++) {
        double c = (rgb >> 8 * i & 0xff) / 255.0;
        sum += weight[i] * (c <= 0.04045 ? c / 12.92
                                         : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

/* Black or white, whichever has the higher contrast: at least 4.5 (WCAG AA)
 * on every hue; and the hues differ in every depth, or by an underline. */
static void
test_palette(void)
{
    int same = 0, bad = 0;

    for (int i = 0; i < HUES; i++)
        for (int k = 0; k < i; k++) {
            const struct colour *a = palette_colour(palette_origin(i));
            const struct colour *b = palette_colour(palette_origin(k));
            same += a->rgb == b->rgb || a->x256 == b->x256 ||
                    (a->ansi == b->ansi &&
                     a->ansi_underlined == b->ansi_underlined);
        }
    is_int(same, 0, "no two hues are the same in any depth");
    for (int i = 0; i < ROLES; i++) {
        /* The contrast is (lighter + 0.05) / (darker + 0.05). */
        double l = luminance(palette_colour(i)->rgb) + 0.05;
        bool white = 1.05 / l > l / 0.05;
        bad += palette_colour(i)->rgb >= 0 &&
               palette_ink(i) != (white ? ROLE_WHITE : ROLE_BLACK);
        bad += i >= ROLE_ORIGIN && fmax(1.05 / l, l / 0.05) < 4.5;
    }
    is_int(bad, 0, "ink can be read on every ground");
}

/* The least distance of two hues, in 24 bits or 256 colours. */
static double
least_difference(enum vision vision, bool of_256)
{
    double least = 1000;

    for (int i = 0; i < HUES; i++)
        for (int k = 0; k < i; k++) {
            const struct colour *a = palette_colour(palette_origin(i));
            const struct colour *b = palette_colour(palette_origin(k));
            least = fmin(least, of_256 ? colour_difference(
                                             colour_of_256(a->x256),
                                             colour_of_256(b->x256), vision)
                                       : colour_difference(a->rgb, b->rgb,
                                                           vision));
        }
    return least;
}

static void
test_colour_vision(void)
{
    for (int vision = 0; vision < VISIONS; vision++)
        for (int of_256 = 0; of_256 < 2; of_256++) {
            double least = least_difference(vision, of_256);
            ok(least >= 15, "hues in %s are told apart with %s: %.1f",
               of_256 ? "256 colours" : "24 bits", vision_names[vision],
               least);
        }
    ok(colour_difference(0xff0000, 0x00ff00, VISION_NORMAL) > 150 &&
           colour_difference(0xcc0000, 0x557700, PROTANOPIA) <
               colour_difference(0xcc0000, 0x557700, VISION_NORMAL) / 2,
       "the simulation simulates");
}

int
main(int argc, char **argv)
{
    writing = argc > 1 && strncmp(argv[1], "--write", 7) == 0;
    if (writing && strcmp(argv[1], "--write-topologies") == 0) {
        printf("/* SPDX-License-Identifier: MIT */\n"
               "/* Written by tests/view --write-topologies. */\n");
        test_topologies();
        return 0;
    }
    if (writing) {
        printf("/* SPDX-License-Identifier: MIT */\n"
               "/* Written by tests/view --write. */\n");
        test_small_rings();
        test_large_rings();
        test_timelines();
        test_logs();
        test_inspector();
        test_help();
        test_sizes();
        return 0;
    }
    test_canvas();
    test_blocks();
    test_short_labels();
    test_fault();
    test_palette();
    test_colour_vision();
    test_ring_layout();
    test_paths();
    test_hits();
    test_words();
    test_traffic();
    test_counts();
    test_nothing_jumps();
    test_all_sizes();
    test_small_rings();
    test_large_rings();
    test_axis();
    test_times();
    test_timelines();
    test_logs();
    test_order();
    test_inspector();
    test_help();
    test_sizes();
    test_topologies();
    test_topology_views();
    return done_testing();
}
