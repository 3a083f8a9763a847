/* SPDX-License-Identifier: MIT */
/* The ring view's boxes and paths, at many sizes. */
#include "draw/layout.h"
#include "ring_world.h"
#include "tap.h"
#include "view/ring_layout.h"


static bool
within(struct rect a, struct rect b)
{
    return a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width &&
           a.y + a.height <= b.y + b.height;
}

/* Counts boxes that overlap or leave the area, and slots that leave their
 * box. */
static int
layout_errors(const struct ring_layout *l, struct rect area)
{
    int errors = 0;

    for (int i = 0; i < l->nranks; i++) {
        struct rect a = ring_layout_box(l, i);
        errors += !within(a, area);
        for (int k = 0; k < i; k++)
            errors += rect_overlaps(a, ring_layout_box(l, k));
        for (int slot = 0; slot < l->box.nslots; slot++) {
            struct point at =
                rank_box_slot(&l->box, (struct point){a.x, a.y}, slot);
            bool cell = l->box.form == BLOCK_CELL, framed = l->box.framed;
            struct rect block = {at.x - !cell, at.y,
                                 l->box.slot_width + 2 * !cell,
                                 1 + l->box.values};
            errors += !within(block, (struct rect){a.x + framed, a.y + 1,
                                                   a.width - 2 * framed,
                                                   a.height - 1 - framed});
        }
    }
    return errors;
}

static void
test_ring_layout(void)
{
    int errors = 0, fits_80x24 = 0, short_80x24 = 0, whole_80x24 = 0;
    int laid_out = 0;
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
            short_80x24 = l.box.form == BLOCK_SHORT ? n : short_80x24;
            whole_80x24 = l.box.form == BLOCK_WHOLE ? n : whole_80x24;
        }
        schedule_free(s);
    }
    ok(laid_out > 100, "rings are laid out");
    is_int(errors, 0, "boxes never overlap, and nothing leaves its place");
    is_int(fits_80x24, 18, "at 80x24 a ring of 18 fits");
    is_int(short_80x24, 8, "with names in its slots one of 8");
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
                inside += rect_contains(ring_layout_box(&l, rank), at);
        }
        struct point a = path_at(&p, 0, 1), b = path_at(&back, 1, 1);
        apart += a.x != b.x || a.y != b.y;
    }
    is_int(inside, 0, "a path to the next rank crosses no box");
    is_int(apart, 0, "and leads back as well");
    schedule_free(s);
}

int
main(void)
{
    test_ring_layout();
    test_paths();
    return done_testing();
}
