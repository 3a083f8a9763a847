/* SPDX-License-Identifier: MIT */
#include "run/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/prepare.h"

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

/* The rank's instructions of a step; nsteps + 1 has END alone. */
static const struct instr *
instrs_of(const struct program *p, int rank, int step, uint32_t *n)
{
    uint32_t first = program_at_step(p, rank, step);

    *n = step > p->nsteps ? 1 : program_at_step(p, rank, step + 1) - first;
    return p->instrs + p->first[rank] + first;
}

/* A step's parts in the plan, the instructions that report, and whether there
 * are any instructions. */
struct part {
    struct message_step plan;
    const struct instr *instrs;
    uint32_t ninstrs;
    int32_t nevents;
};

static struct part
part_of(const struct program *p, const struct message_plan *plan, int rank,
        int step)
{
    struct part part = {.plan = message_plan_step(plan, rank, step)};

    part.instrs = instrs_of(p, rank, step, &part.ninstrs);
    for (uint32_t i = 0; part.plan.nworks > 0 && i < part.ninstrs; i++)
        part.nevents += part.instrs[i].op != INSTR_APPLY;
    return part;
}

static void
count_parts(struct share *s, const struct program *p,
            const struct message_plan *plan)
{
    for (int step = 1; step <= s->nsteps + 1; step++) {
        struct part part = part_of(p, plan, s->rank, step);
        s->nsends += part.plan.nsends;
        s->nreceives += part.plan.nreceives;
        s->nworks += part.plan.nworks;
        s->nevents += (size_t)part.nevents;
    }
}

static void *
append(void *to, const void *from, size_t count, size_t size)
{
    if (from != NULL && count > 0)
        memcpy(to, from, count * size);
    return (unsigned char *)to + count * size;
}

static void
copy_parts(const struct share *s, const struct program *p,
           const struct message_plan *plan)
{
    void *sends = s->sends, *receives = s->receives, *works = s->works;
    struct event *event = s->events;

    for (int step = 1; step <= s->nsteps + 1; step++) {
        struct part part = part_of(p, plan, s->rank, step);
        sends = append(sends, part.plan.sends, part.plan.nsends,
                       sizeof *s->sends);
        receives = append(receives, part.plan.receives, part.plan.nreceives,
                          sizeof *s->receives);
        works = append(works, part.plan.works, part.plan.nworks,
                       sizeof *s->works);
        for (uint32_t i = 0; part.nevents > 0 && i < part.ninstrs; i++)
            if (part.instrs[i].op != INSTR_APPLY)
                *event++ = prepare_event(&part.instrs[i], s->rank, s->output);
        s->steps[step - 1] = (struct share_step){
            (int32_t)part.plan.nsends, (int32_t)part.plan.nreceives,
            (int32_t)part.plan.nworks, part.nevents,
            step <= s->nsteps && part.ninstrs + part.plan.nsends > 0};
    }
}

static void
copy_lengths(const struct share *s, const struct schedule *schedule,
             const struct message_plan *plan)
{
    for (int slot = 0; slot < s->nslots; slot++)
        s->rooms[slot] = message_plan_room(plan, s->rank, slot);
    for (int chunk = 0; chunk < s->input.count; chunk++)
        s->lengths[chunk] =
            schedule_chunk_length(schedule, s->data.count, chunk);
}

static struct share *
share_new(const struct schedule *schedule, const struct program *p,
          const struct message_plan *plan, const struct run_options *o,
          int rank)
{
    size_t row = (size_t)o->input.count * dtype_size(o->input.type);
    struct share s = {
        .rank = rank, .nranks = schedule->nranks, .nsteps = schedule->nsteps,
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
    count_parts(&s, p, plan);
    share = mem_new(share_length(&s), 1);
    *share = s;
    share_lay(share, (unsigned char *)share);
    copy_parts(share, p, plan);
    copy_lengths(share, schedule, plan);
    append((unsigned char *)share->data.given,
           o->input.given + (size_t)rank * share->ngiven, share->ngiven, 1);
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
