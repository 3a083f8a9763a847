/* SPDX-License-Identifier: MIT */
#include "model/world.h"

#include "schedule/program.h"

struct order {
    const struct world *world;
    struct buf *out;
    size_t most;
};

/* What a slot holds before an event. */
struct place {
    int rank, slot;
    struct world_entry at;
};

static void write_place(struct order *o, struct place at, bool nested);

/* Appends an operand of a sum; "?" for memory that was never written. */
static void
write_operand(struct order *o, struct place at, bool nested)
{
    size_t before = o->out->length;

    write_place(o, at, nested);
    if (o->out->length == before)
        buf_putc(o->out, '?');
}

/* The place of the operand that a reduction finds: the result of an earlier
 * event of the step, if one has written there, else what was there before the
 * step, perhaps in another slot, which only the schedule knows. */
static struct place
own_operand(const struct order *o, const struct event *e, struct place at)
{
    struct world_entry earlier = at.at;
    size_t count;
    const struct transfer *t =
        schedule_transfers(o->world->schedule, e->step, &count);

    if (world_writer(o->world, at.rank, at.slot, true, &earlier) != NULL &&
        earlier.step == at.at.step)
        return at;
    for (size_t i = 0; i < count; i++)
        if (t[i].src == e->src && t[i].dst == e->dst &&
            at.slot >= t[i].dst_slot &&
            at.slot < t[i].dst_slot + t[i].nslots &&
            t[i].src_slot - t[i].dst_slot == e->src_slot - e->dst_slot)
            return (struct place){at.rank,
                                  t[i].add_slot + at.slot - t[i].dst_slot,
                                  {e->step, 0}};
    return at;
}

static void
write_reduction(struct order *o, const struct event *e, struct place at,
                bool nested)
{
    enum redop op = o->world->run->op;
    const char *sign = redop_sign(op);
    bool named = sign == NULL;
    struct place theirs = {e->src, e->src_slot + at.slot - e->dst_slot,
                           {e->step, 0}};

    if (named)
        buf_puts(o->out, redop_name(op));
    if (named || nested)
        buf_putc(o->out, '(');
    write_operand(o, own_operand(o, e, at), !named);
    for (int i = 0; i < (e->fault == FAULT_REPEAT ? 2 : 1); i++) {
        buf_puts(o->out, named ? "," : sign);
        write_operand(o, theirs, !named);
    }
    if (named || nested)
        buf_putc(o->out, ')');
}

static void
write_event(struct order *o, const struct event *e, struct place at,
            bool nested)
{
    if (e->fault == FAULT_DROP) {
        write_place(o, e->op == EVENT_REDUCE ? own_operand(o, e, at) : at,
                    nested);
        return;
    }
    if (e->fault == FAULT_CORRUPT)
        buf_putc(o->out, '!');
    if (e->op == EVENT_REDUCE) {
        write_reduction(o, e, at, nested);
    } else if (e->op == EVENT_DIVIDE) {
        write_place(o, at, true);
        buf_addf(o->out, "/%d", schedule_members(o->world->schedule));
    } else {
        write_place(o,
                    (struct place){e->src, e->src_slot + at.slot - e->dst_slot,
                                   {e->step, 0}}, nested);
    }
}

/* Every call goes back in time, or to an earlier event of its step. */
static void
write_place(struct order *o, struct place at, bool nested)
{
    const struct event *e;

    if (o->out->length > o->most)
        return;
    e = world_writer(o->world, at.rank, at.slot, true, &at.at);
    if (e != NULL)
        write_event(o, e, at, nested);
    else
        world_label(o->world, world_row_at(o->world, at.rank, at.slot, 0),
                    false, o->out);
}

void
order_text(const struct world *w, int rank, int slot, size_t most,
           struct buf *out)
{
    struct order o = {w, out, out->length + most};
    /* with avg's divisions, which follow the last step */
    struct place at = {rank, slot,
                       {w->position + 1 + (w->position == w->nsteps), 0}};

    if (w->schedule->nranks > LEDGER_RANKS)
        return;
    write_place(&o, at, false);
    if (out->length > o.most) {
        out->length = o.most;
        buf_puts(out, "...");
    }
}
