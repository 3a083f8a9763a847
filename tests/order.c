/* SPDX-License-Identifier: MIT */
/* What the world derives from events: the order of addition, and the number of
 * contributions in each slot. */
#include "model/order.h"
#include "ring_world.h"
#include "schedule/program.h"
#include "tap.h"

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
    check_order(w, 2, 1, 99, "", "nothing in a slot that nobody wrote");
    world_seek(w, 1);
    check_order(w, 0, 1, 99, "A1+?", "but it is an operand");
    world_free(w);
}

/* The world counts the contributions in each slot, at any position. */
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
    is_int(wrong, 0, "slots are counted at any position");
    world_free(w);
}

int
main(void)
{
    test_order();
    test_counts();
    return done_testing();
}
