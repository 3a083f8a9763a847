/* SPDX-License-Identifier: MIT */
/* What the world derives from events: the order of addition, and the number of
 * contributions in each slot. */
#include "base/mem.h"
#include "model/world.h"
#include "made.h"
#include "ring_world.h"
#include "tap.h"

static void
check_order(const struct world *w, int rank, int slot, size_t most,
            const char *want, const char *what)
{
    OWN(buf) text = {0};

    order_text(w, rank, slot, most, &text);
    is_str(buf_text(&text), want, "%s", what);
}

static void
check_signs(struct world *w)
{
    static const struct {
        enum redop op;
        const char *text;
    } cases[] = {
        {REDOP_SUM, "B1+(A1+C1)"},    {REDOP_PROD, "B1*(A1*C1)"},
        {REDOP_MAX, "max(B1,max(A1,C1))"}, {REDOP_LAND, "B1&&(A1&&C1)"},
        {REDOP_LOR, "B1||(A1||C1)"},  {REDOP_BAND, "B1&(A1&C1)"},
        {REDOP_BOR, "B1|(A1|C1)"},    {REDOP_BXOR, "B1^(A1^C1)"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        w->own_run.op = cases[i].op;
        check_order(w, 0, 1, 99, cases[i].text, redop_name(cases[i].op));
    }
}

static void
test_order(void)
{
    OWNS(world) *w = ring_world(3, 4);

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
    check_signs(w);
    world_free(w);
    w = ring_world(3, 4);
    memset(w->contents + w->words * (2 * w->schedule->nslots + 1), 0,
           (size_t)w->words * sizeof *w->contents);
    check_order(w, 2, 1, 99, "", "nothing in a slot that nobody wrote");
    world_seek(w, 1);
    check_order(w, 0, 1, 99, "A1+?", "but it is an operand");
}

/* The world counts the contributions in each slot, at any position. */
static void
test_counts(void)
{
    static const int positions[] = {0, 5, 126, 3, 2};
    OWNS(world) *w = ring_world(64, 126);
    int wrong = 0;

    for (int i = 0; i < 5; i++) {
        world_seek(w, positions[i]);
        for (int rank = 0; rank < 64; rank++)
            for (int slot = 0; slot < 64; slot++)
                wrong += world_counts(w, rank)[slot] !=
                         ledger_count(world_row(w, rank, slot), 64);
    }
    is_int(wrong, 0, "slots are counted at any position");
}

/* A copy of B0 next to A0, a sum of that with B0 again that replaces A0, and
 * the division of avg. */
static void
test_order_elsewhere(void)
{
    OWNS(schedule) *s = made_in_place(2, 1, 1, "1.0>0.1; 1.0+0.1=0");
    OWNS(world) *w = world_new();
    struct run_info info = {.type = DTYPE_INT64, .op = REDOP_AVG, .count = 1};
    struct item item = {.type = ITEM_TRANSFER,
                        .event = {.step = 1, .src = 1, .dst_slot = 1,
                                  .nslots = 1, .op = EVENT_COPY}};
    uint64_t *contents = mem_new(4 * (size_t)content_words(2),
                                 sizeof *contents);
    struct err err;

    world_add(w, &(struct item){.type = ITEM_RUN, .run = &info,
                                .schedule = s}, &err);
    ring_world_input(w, s, contents);
    world_add(w, &item, &err);
    item.event = (struct event){.step = 2, .src = 1, .nslots = 1,
                                .op = EVENT_REDUCE};
    world_add(w, &item, &err);
    item.event.slice = 1; /* of the same transfer */
    world_add(w, &item, &err);
    item.event = (struct event){.step = 3, .nslots = 1, .op = EVENT_DIVIDE};
    world_add(w, &item, &err);
    world_seek(w, 2);
    check_order(w, 0, 0, 99, "(B0+B0)/2", "what a sum was added to, divided");
    world_seek(w, 1);
    check_order(w, 0, 0, 99, "A0", "before them the input");
    free(contents);
    world_free(w);
    w = ring_world(LEDGER_RANKS + 1, 1);
    world_seek(w, 1);
    check_order(w, 1, 0, 99, "", "with many ranks nobody could read it");
}

/* A fault made on purpose is shown at its own transfer. */
static void
test_faults(void)
{
    OWNS(world) *w = ring_world(3, 4);
    const struct event *e = &w->steps[1].events[2];
    struct transfer t = {.src = e->src, .dst = e->dst,
                         .src_slot = e->src_slot, .dst_slot = e->dst_slot,
                         .nslots = e->nslots};

    w->steps[1].events[2].fault = FAULT_DROP;
    w->faulty = true;
    world_seek(w, 1);
    is_int(world_fault(w, 1, &t), FAULT_DROP, "a transfer that was dropped");
    t.dst = t.src;
    is_int(world_fault(w, 1, &t), FAULT_NONE, "not one to another rank");
    t.dst = w->steps[1].events[2].dst;
    is_int(world_fault(w, 2, &t), FAULT_NONE, "nor of another step");
}

int
main(void)
{
    test_order();
    test_counts();
    test_order_elsewhere();
    test_faults();
    return done_testing();
}
