/* SPDX-License-Identifier: MIT */
#include "run/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The place of `count` items in the block, and room for them. */
static void *
lay(unsigned char *block, size_t *length, size_t count, size_t size)
{
    void *place = count > 0 && block != NULL ? block + *length : NULL;

    *length += (count * size + 15) / 16 * 16;
    return place;
}

size_t
share_lay(struct share *s, unsigned char *block)
{
    size_t length = 0, steps = (size_t)s->nsteps + 1;

    lay(block, &length, 1, sizeof *s);
    s->rooms = lay(block, &length, (size_t)s->nslots, sizeof *s->rooms);
    s->lengths = lay(block, &length, (size_t)s->input.count,
                     sizeof *s->lengths);
    s->steps = lay(block, &length, steps, sizeof *s->steps);
    s->sends = lay(block, &length, s->nsends, sizeof *s->sends);
    s->receives = lay(block, &length, s->nreceives, sizeof *s->receives);
    s->works = lay(block, &length, s->nworks, sizeof *s->works);
    s->events = lay(block, &length, s->nevents, sizeof *s->events);
    s->data.given = lay(block, &length, s->ngiven, 1);
    return length;
}

size_t
share_length(const struct share *s)
{
    struct share counts = *s;

    return share_lay(&counts, NULL);
}

struct share *
share_of(unsigned char *block, size_t length)
{
    struct share *s = (struct share *)block;

    if (length < sizeof *s || share_length(s) != length)
        return NULL;
    share_lay(s, block);
    return s;
}

/* Puts `count` items after the *n that are there, if there is room for any. */
static void
append(void *items, size_t *n, const void *from, size_t count, size_t size)
{
    if (items != NULL && count > 0)
        memcpy((unsigned char *)items + *n * size, from, count * size);
    *n += count;
}

/* What is known of an instruction's event before it happens.  END's is the
 * division of the rank's output, for avg. */
static struct event
event_of(const struct instr *in, int rank, struct region output)
{
    bool division = in->op == INSTR_END;

    return (struct event){
        .step = in->step, .src = in->peer, .dst = rank,
        .src_slot = division ? output.first : in->src_slot,
        .dst_slot = division ? output.first : in->final_slot,
        .nslots = division ? output.count : in->nslots,
        .op = (uint8_t)(division                 ? EVENT_DIVIDE
                        : in->op == INSTR_REDUCE ? EVENT_REDUCE
                                                 : EVENT_COPY),
        .fault = in->fault, .waited_for = -1};
}

/* Deals out the rank's part of each step, or only counts what it has before
 * there is room.  The last step has END alone. */
static void
add_parts(struct share *s, const struct program *p,
          const struct message_plan *plan)
{
    s->nsends = s->nreceives = s->nworks = s->nevents = 0;
    for (int step = 1; step <= s->nsteps + 1; step++) {
        struct message_step part = message_plan_step(plan, s->rank, step);
        uint32_t i = program_at_step(p, s->rank, step);
        uint32_t end = step > s->nsteps
                           ? i + 1
                           : program_at_step(p, s->rank, step + 1);
        bool takes_part = step <= s->nsteps && (i < end || part.nsends > 0);
        size_t before = s->nevents;

        append(s->sends, &s->nsends, part.sends, part.nsends,
               sizeof *s->sends);
        append(s->receives, &s->nreceives, part.receives, part.nreceives,
               sizeof *s->receives);
        append(s->works, &s->nworks, part.works, part.nworks,
               sizeof *s->works);
        for (; part.nworks > 0 && i < end; i++) {
            const struct instr *in = &p->instrs[p->first[s->rank] + i];
            struct event event = event_of(in, s->rank, s->output);
            if (in->op != INSTR_APPLY)
                append(s->events, &s->nevents, &event, 1, sizeof event);
        }
        if (s->steps != NULL)
            s->steps[step - 1] = (struct share_step){
                (int32_t)part.nsends, (int32_t)part.nreceives,
                (int32_t)part.nworks, (int32_t)(s->nevents - before),
                takes_part};
    }
}

static struct share *
share_new(const struct schedule *schedule, const struct program *p,
          const struct message_plan *plan, const struct run_options *o,
          int rank)
{
    size_t row = (size_t)o->input.count * dtype_size(o->input.type);
    struct share s = {
        .rank = rank, .nranks = schedule->nranks,
        .members = schedule_members(schedule), .nsteps = schedule->nsteps,
        .nslots = message_plan_slots(plan),
        .nschedule_slots = schedule->nslots,
        .data = o->input,
        .delay_ns = o->delays != NULL ? o->delays[rank] : 0,
        .watched = o->watched, .mismatched = o->mismatch != NULL,
        .native = o->native, .timing = o->timing,
        .root = schedule->root, .in_place = schedule->in_place,
        .input = schedule_input(schedule, rank),
        .output = schedule_output(schedule, rank),
        .ngiven = o->input.given != NULL ? row : 0};
    struct share *share;

    snprintf(s.collective, sizeof s.collective, "%s",
             schedule->collective->name);
    s.data.first = rank;
    add_parts(&s, p, plan);
    share = mem_new(share_length(&s), 1);
    *share = s;
    share_lay(share, (unsigned char *)share);
    add_parts(share, p, plan);
    for (int slot = 0; slot < share->nslots; slot++)
        share->rooms[slot] = message_plan_room(plan, rank, slot);
    for (int chunk = 0; chunk < share->input.count; chunk++)
        share->lengths[chunk] =
            schedule_chunk_length(schedule, share->data.count, chunk);
    if (share->ngiven > 0)
        memcpy((unsigned char *)share->data.given,
               o->input.given + (size_t)rank * share->ngiven, share->ngiven);
    return share;
}

/* A schedule with all that follows from it. */
struct lowered {
    const struct schedule *s;
    struct program *p;
    struct message_plan *plan;
    struct run_options options;
};

static struct lowered
lower(const struct schedule *s, const struct run_options *o, int64_t count)
{
    struct lowered l = {.s = s, .p = program_lower(s), .options = *o};

    l.options.input.count = count;
    program_set_fault(l.p, &o->fault);
    l.plan = message_plan_new(s, l.p, count,
                              o->input.op == REDOP_AVG &&
                                  s->collective->reduces);
    return l;
}

static void
lowered_done(struct lowered *l)
{
    message_plan_free(l->plan);
    program_free(l->p);
}

/* Lets every slot take the longest message that any rank sends. */
static void
give_room(struct share **shares, int nranks)
{
    int64_t longest = 0;

    for (int rank = 0; rank < nranks; rank++)
        for (size_t i = 0; i < shares[rank]->nsends; i++)
            if (shares[rank]->sends[i].length > longest)
                longest = shares[rank]->sends[i].length;
    for (int rank = 0; rank < nranks; rank++)
        shares[rank]->longest = longest;
}

static void
share_out_mismatched(const struct run_options *o, struct share **shares,
                     struct waits **waits)
{
    const struct mismatch *m = o->mismatch;
    struct lowered theirs = lower(m->theirs, o, o->input.count);
    struct lowered its = lower(m->its, o, m->its_count);
    int nranks = m->theirs->nranks;
    const struct message_plan **plans =
        mem_new((size_t)nranks, sizeof *plans);

    for (int rank = 0; rank < nranks; rank++) {
        const struct lowered *l = rank == m->rank ? &its : &theirs;
        plans[rank] = l->plan;
        shares[rank] = share_new(l->s, l->p, l->plan, &l->options, rank);
    }
    give_room(shares, nranks);
    *waits = waits_new(plans, nranks);
    free(plans);
    lowered_done(&theirs);
    lowered_done(&its);
}

void
share_out(const struct schedule *s, const struct run_options *o,
          struct share **shares, struct waits **waits)
{
    struct lowered l;

    *waits = NULL;
    if (o->mismatch != NULL) {
        share_out_mismatched(o, shares, waits);
        return;
    }
    l = lower(s, o, o->input.count);
    for (int rank = 0; rank < s->nranks; rank++)
        shares[rank] = share_new(s, l.p, l.plan, o, rank);
    lowered_done(&l);
}
